import { mix } from "../../core/items/mix.js";

/** The bits of a key or of its ordered form, as an unsigned integer: a bigint for keys of 64 bits. */
export type Bits = number | bigint;

/** The arithmetic of wgsl/shared/{key,order,mix32}.wgsl and wgsl/inspect/hash.wgsl, for one width. */
export interface KeyOps {
  readonly bits: number;
  /** The bits of a low word and a high word; narrow bits have only the low one. */
  of(low: number, high: number): Bits;
  read(words: Uint32Array, index: number): Bits;
  write(words: Uint32Array, index: number, key: Bits): void;
  toOrdered(key: Bits): Bits;
  fromOrdered(ordered: Bits): Bits;
  hash(key: Bits, seed: number): number;
  /** A word of the bits: 0 is the low one, 1 the high one. */
  word(bits: Bits, index: 0 | 1): number;
  /** A digit of at most 16 bits. */
  digit(bits: Bits, shift: number, mask: number): number;
  /** Bits `begin` to `end` - 1, shifted down. */
  field(bits: Bits, begin: number, end: number): Bits;
}

/**
 * The operations on keys of a width.
 *
 * @param bits 8, 16, 32 or 64.
 * @param constants the program's: ORDER (0 unsigned, 1 signed, 2 float) and DESCENDING (1 or 0) are used.
 */
export function keyOps(bits: number, constants: Readonly<Record<string, number>>): KeyOps {
  const { ORDER = 0, DESCENDING = 0 } = constants;
  return (
    bits === 64 ? wideOps(ORDER, DESCENDING === 1) : narrowOps(bits, ORDER, DESCENDING === 1)
  ) as KeyOps;
}

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

/**
 * The operations on keys of up to 32 bits. Bitwise operators give signed numbers; `>>> 0` makes them
 * unsigned.
 */
function narrowOps(bits: number, order: number, descending: boolean) {
  const all = 2 ** bits - 1;
  const sign = 2 ** (bits - 1);
  const negativeNans = bits === 16 ? 0x03ff : 0x007f_ffff;
  const flip = descending ? all : 0;
  return {
    bits,
    of: (low: number) => low,
    read: (words: Uint32Array, index: number) => {
      const at = index * bits;
      return ((words[at >>> 5]! >>> (at & 31)) & all) >>> 0;
    },
    write: (words: Uint32Array, index: number, key: number) => {
      const at = index * bits;
      words[at >>> 5] = (words[at >>> 5]! & ~(all << (at & 31))) | (key << (at & 31));
    },
    toOrdered: (key: number) => {
      if (order === 1) return (key ^ sign ^ flip) >>> 0;
      if (order === 2) return ((((key ^ (key >= sign ? all : sign)) - negativeNans) & all) ^ flip) >>> 0;
      return (key ^ flip) >>> 0;
    },
    fromOrdered: (ordered: number) => {
      const ascending = (ordered ^ flip) >>> 0;
      if (order === 1) return (ascending ^ sign) >>> 0;
      if (order === 2) {
        const flipped = ((ascending + negativeNans) & all) >>> 0;
        return (flipped ^ (flipped >= sign ? sign : all)) >>> 0;
      }
      return ascending;
    },
    hash: (key: number, seed: number) => mix(key ^ seed),
    word: (key: number, index: 0 | 1) => (index === 0 ? key : 0),
    digit: (key: number, shift: number, mask: number) => (key >>> shift) & mask,
    field: (key: number, begin: number, end: number) => Math.floor(key / 2 ** begin) % 2 ** (end - begin),
  };
}

/** A key of 64 bits, and its words in the same memory: arithmetic of bigints takes several times as long. */
const wide = new BigUint64Array(1);
const halves = new Uint32Array(wide.buffer);

function low(key: bigint): number {
  wide[0] = key;
  return halves[0]!;
}

function high(key: bigint): number {
  wide[0] = key;
  return halves[1]!;
}

function wideOf(low: number, high: number): bigint {
  halves[0] = low;
  halves[1] = high;
  return wide[0]!;
}

function wideOps(order: number, descending: boolean) {
  const all = (1n << 64n) - 1n;
  const sign = 1n << 63n;
  const negativeNans = (1n << 52n) - 1n;
  const flip = descending ? all : 0n;
  return {
    bits: 64,
    of: wideOf,
    read: (words: Uint32Array, index: number) => wideOf(words[2 * index]!, words[2 * index + 1]!),
    write: (words: Uint32Array, index: number, key: bigint) => {
      words[2 * index] = low(key);
      words[2 * index + 1] = high(key);
    },
    toOrdered: (key: bigint) => {
      if (order === 1) return key ^ sign ^ flip;
      if (order === 2) return (((key ^ (key >= sign ? all : sign)) - negativeNans) & all) ^ flip;
      return key ^ flip;
    },
    fromOrdered: (ordered: bigint) => {
      const ascending = ordered ^ flip;
      if (order === 1) return ascending ^ sign;
      if (order === 2) {
        const flipped = (ascending + negativeNans) & all;
        return flipped ^ (flipped >= sign ? sign : all);
      }
      return ascending;
    },
    hash: (key: bigint, seed: number) => mix(low(key) ^ mix(high(key) ^ seed)),
    word: (key: bigint, index: 0 | 1) => (index === 0 ? low(key) : high(key)),
    digit: (key: bigint, shift: number, mask: number) => {
      if (shift >= 32) return (high(key) >>> (shift - 32)) & mask;
      return ((low(key) >>> shift) | ((high(key) << 1) << (31 - shift))) & mask;
    },
    field: (key: bigint, begin: number, end: number) =>
      (key >> BigInt(begin)) & ((1n << BigInt(end - begin)) - 1n),
  };
}
