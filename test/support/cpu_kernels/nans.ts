import type { Bits } from "../../../src/demos/cpu/order.js";

/** The ordered forms of +infinity in both directions, and the least and greatest form, by a float's bits. */
const floatForms: Record<number, { up: Bits; down: Bits; least: Bits; most: Bits }> = {
  16: { up: 0xf801, down: 0x07fe, least: 0, most: 0xffff },
  32: { up: 0xff00_0001, down: 0x00ff_fffe, least: 0, most: 0xffff_ffff },
  64: {
    up: 0xffe0_0000_0000_0001n,
    down: 0x001f_ffff_ffff_fffen,
    least: 0n,
    most: 0xffff_ffff_ffff_ffffn,
  },
};

/**
 * Whether a key in its ordered form is a NaN, as in wgsl/shared/nans.wgsl.
 *
 * @param constants the program's: NANS_FIRST (1 or 0), and FLOAT_BITS (16 or 32) unless floats have 64 bits.
 */
export function nanTest({
  NANS_FIRST,
  FLOAT_BITS = 64,
}: Readonly<Record<string, number>>): (ordered: Bits) => boolean {
  const { up, down } = floatForms[FLOAT_BITS]!;
  return NANS_FIRST === 1 ? (ordered) => ordered < down : (ordered) => ordered > up;
}

/**
 * What is compared of a key in its ordered form, as in wgsl/shared/compared.wgsl.
 *
 * @param variant the program's variant of the slot "compared".
 * @param constants the program's: those of `nanTest` are used.
 */
export function comparedForm(
  variant: string | undefined,
  constants: Readonly<Record<string, number>>,
): (ordered: Bits) => Bits {
  if (variant !== "nans_equal") return (ordered) => ordered;
  const isNan = nanTest(constants);
  const { least, most } = floatForms[constants.FLOAT_BITS ?? 64]!;
  const outermost = constants.NANS_FIRST === 1 ? least : most;
  return (ordered) => (isNan(ordered) ? outermost : ordered);
}

/** Whether keys are equal where that shows, as in wgsl/shared/same.wgsl: all NaNs are, -0 and +0 are not. */
export function isSame(
  bits: number,
  { ORDER }: Readonly<Record<string, number>>,
): (a: Bits, b: Bits) => boolean {
  if (ORDER !== 2) return (a, b) => a === b;
  const isNan = (key: Bits) => {
    if (bits === 64) return BigInt.asUintN(63, key as bigint) > 0x7ff0_0000_0000_0000n;
    return bits === 16 ? ((key as number) & 0x7fff) > 0x7c00 : ((key as number) & 0x7fff_ffff) > 0x7f80_0000;
  };
  return (a, b) => a === b || (isNan(a) && isNan(b));
}
