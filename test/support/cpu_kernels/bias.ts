import type { Dispatch } from "../../../src/demos/cpu/cpu_kernel.js";
import type { Bits } from "../../../src/demos/cpu/order.js";

/** The CPU version of wgsl/msd/bias.wgsl, on signed numbers. */

/** The number of bits of signed keys; 0 for keys whose bias stays. */
const widthOf = ({ variants }: Dispatch) => Number(variants.bias ?? 0);

/** How far from 0 the key with an ordered form is, and from -1 if it is less. */
function distance(ordered: bigint, width: number): bigint {
  const half = 2n ** BigInt(width - 1);
  return ordered >= half ? ordered - half : half - 1n - ordered;
}

/** The bits that a key adds to those in which keys differ from the first one. */
export function differences(dispatch: Dispatch, first: bigint): (ordered: bigint) => bigint {
  const width = widthOf(dispatch);
  if (width === 0) return (ordered) => ordered ^ first;
  const half = 2n ** BigInt(width - 1);
  return (ordered) => {
    const [own, other] = [distance(ordered, width), distance(first, width)];
    return ordered >= half === first >= half ? own ^ other : half | own | other;
  };
}

/** The form of keys by the bias for such bits, and the bits in which keys then differ. */
export function biasOf(dispatch: Dispatch, published: bigint) {
  const width = widthOf(dispatch);
  const half = 2n ** BigInt(Math.max(0, width - 1));
  const same = (form: Bits) => form;
  if (width === 0 || published < half) return { differing: published, toBiased: same, fromBiased: same };
  const { DIGIT_BITS = 0, DESCENDING = 0 } = dispatch.constants;
  const own = published - half;
  const bit = Math.max(own.toString(2).length, DIGIT_BITS);
  const less = (half - 2n ** BigInt(bit)) * (DESCENDING === 1 ? -1n : 1n);
  const moved = (form: Bits, by: bigint) => {
    const wrapped = BigInt.asUintN(width, BigInt(form) + by);
    return width === 64 ? wrapped : Number(wrapped);
  };
  return {
    differing: own | (2n ** BigInt(bit)),
    toBiased: (form: Bits) => moved(form, -less),
    fromBiased: (form: Bits) => moved(form, less),
  };
}
