// The ordered form of a key: an unsigned integer whose order is the order of the keys, as wgsl/shared/order.wgsl
// defines it. Keys alone keep their bits: the map is a bijection. In pairs, all NaNs have one ordered form,
// so that they keep their input order.

import { Job } from "./job";

/** Values of the argument `order`. */
const UNSIGNED: u32 = 0;
const SIGNED: u32 = 1;
const FLOAT: u32 = 2;

/** The numbers of NaNs with a set sign bit. */
const NEGATIVE_NANS_16: u16 = 0x03ff;
const NEGATIVE_NANS_32: u32 = 0x007fffff;
const NEGATIVE_NANS_64: u64 = 0x000fffffffffffff;

/** The ordered forms of +infinity, the greatest of the numbers. */
const INFINITY_16: u16 = 0xfc00 - NEGATIVE_NANS_16;
const INFINITY_32: u32 = 0xff800000 - NEGATIVE_NANS_32;
const INFINITY_64: u64 = 0xfff0000000000000 - NEGATIVE_NANS_64;

/** Whether the keys of a job are floats, among which NaNs are. */
export function ordersFloats<K>(job: Job): bool {
  return sizeof<K>() >= 2 && job.order === FLOAT;
}

/** Whether the ordered form of a key is the key. */
export function isOrdered<K>(order: u32, flip: K): bool {
  return flip === 0 && order === UNSIGNED;
}

/** @param flip all bits of the key's width for descending order, else 0. */
export function toOrdered<K>(key: K, order: u32, flip: K, nansEqual: bool): K {
  const top = (<K>1) << (<K>(8 * sizeof<K>() - 1));
  if (order === SIGNED) return key ^ top ^ flip;
  if (order === FLOAT && sizeof<K>() >= 2) {
    const ordered = (key ^ (key >= top ? <K>-1 : top)) - negativeNans<K>();
    return (nansEqual && ordered > infinity<K>() ? <K>-1 : ordered) ^ flip;
  }
  return key ^ flip;
}

/** The ordered forms of as many keys as a vector holds. */
export function toOrderedVector<K>(keys: v128, order: u32, flip: K, nansEqual: bool): v128 {
  const top = v128.splat<K>((<K>1) << (<K>(8 * sizeof<K>() - 1)));
  const flips = v128.splat<K>(flip);
  if (order === SIGNED) return v128.xor(keys, v128.xor(top, flips));
  if (order === FLOAT) {
    const flipped = v128.xor(keys, v128.or(signs<K>(keys), top));
    const ordered = v128.sub<K>(flipped, v128.splat<K>(negativeNans<K>()));
    return v128.xor(nansEqual ? v128.or(ordered, nans<K>(keys)) : ordered, flips);
  }
  return v128.xor(keys, flips);
}

/** The ordered forms of four keys of at most 16 bits, each as a word. */
export function toOrderedWords<K>(keys: v128, order: u32, flip: K, nansEqual: bool): v128 {
  const flips = i32x4.splat(<u32>flip);
  if (order === FLOAT && sizeof<K>() === 2) {
    const signs = i32x4.shr_s(i32x4.shl(keys, 16), 31);
    const flipped = v128.xor(keys, v128.or(signs, i32x4.splat(0x8000)));
    let ordered = i32x4.sub(flipped, i32x4.splat(NEGATIVE_NANS_16));
    if (nansEqual)
      ordered = v128.or(ordered, i32x4.gt_u(v128.and(keys, i32x4.splat(0x7fff)), i32x4.splat(0x7c00)));
    return v128.xor(v128.and(ordered, i32x4.splat(0xffff)), flips);
  }
  // Of other keys, the same bits are flipped of each.
  return v128.xor(keys, i32x4.splat(<u32>toOrdered<K>(0, order, flip, false)));
}

/** The keys with ordered forms that keep NaNs apart. */
export function fromOrderedVector<K>(ordered: v128, order: u32, flip: K): v128 {
  const top = v128.splat<K>((<K>1) << (<K>(8 * sizeof<K>() - 1)));
  const ascending = v128.xor(ordered, v128.splat<K>(flip));
  if (order === SIGNED) return v128.xor(ascending, top);
  if (order === FLOAT) {
    const flipped = v128.add<K>(ascending, v128.splat<K>(negativeNans<K>()));
    return v128.xor(flipped, v128.or(v128.not(signs<K>(flipped)), top));
  }
  return ascending;
}

/** All bits of each number that differs from itself. */
function nans<K>(numbers: v128): v128 {
  return sizeof<K>() === 8 ? f64x2.ne(numbers, numbers) : f32x4.ne(numbers, numbers);
}

/** All bits of each number whose highest bit is set. */
function signs<K>(numbers: v128): v128 {
  return sizeof<K>() === 8 ? i64x2.shr_s(numbers, 63) : i32x4.shr_s(numbers, 31);
}

/** The key with an ordered form that keeps NaNs apart. */
export function fromOrdered<K>(ordered: K, order: u32, flip: K): K {
  const top = (<K>1) << (<K>(8 * sizeof<K>() - 1));
  const ascending = ordered ^ flip;
  if (order === SIGNED) return ascending ^ top;
  if (order === FLOAT && sizeof<K>() >= 2) {
    const flipped = ascending + negativeNans<K>();
    return flipped ^ (flipped >= top ? top : <K>-1);
  }
  return ascending;
}

function negativeNans<K>(): K {
  if (sizeof<K>() === 2) return <K>NEGATIVE_NANS_16;
  return sizeof<K>() === 8 ? <K>NEGATIVE_NANS_64 : <K>NEGATIVE_NANS_32;
}

function infinity<K>(): K {
  if (sizeof<K>() === 2) return <K>INFINITY_16;
  return sizeof<K>() === 8 ? <K>INFINITY_64 : <K>INFINITY_32;
}
