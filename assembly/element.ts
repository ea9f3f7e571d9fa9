// An element is what the radix sort moves: a key in its ordered form, alone or with its index.
//
//   u32   a key of up to 32 bits
//   u64   a key of 64 bits; or, for a pair, a key of up to 32 bits in the upper half and its index below
//   v128  a pair: a key of 64 bits in the first half, and its index in the second

/** Four keys of at most 32 bits, each as a word. */
export function fourKeys<K>(keys: usize): v128 {
  if (sizeof<K>() === 4) return v128.load(keys);
  if (sizeof<K>() === 2) return v128.load_ext<u16>(keys);
  return i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load_zero<u32>(keys)));
}

/** The digit of an element that begins at bit `shift`. */
export function digitOf<E>(element: E, shift: u32, mask: u32): u32 {
  if (isVector<E>()) return <u32>(i64x2.extract_lane(<v128>element, 0) >>> shift) & mask;
  return <u32>(element >> <E>shift) & mask;
}

/** The word of an element that digits are taken from. */
export function bitsOf<E>(element: E): u64 {
  if (isVector<E>()) return i64x2.extract_lane(<v128>element, 0);
  return <u64>element;
}

/** The index of a pair. */
export function indexOf<E>(pair: E): u32 {
  if (isVector<E>()) return i32x4.extract_lane(<v128>pair, 2);
  return <u32>pair;
}

/** The bits `begin` to `end` - 1. */
export function bitMask(begin: u32, end: u32): u64 {
  return begin >= end ? 0 : (<u64>-1 >> (64 - (end - begin))) << begin;
}
