// The fields that records are sorted by: bytes, or numbers. src/core/cpu/check.ts describes them to the
// kernel.

import { orderedNumber } from "../stored_numbers";

/** A field, as words. */
const OFFSET: usize = 0;
const LENGTH: usize = 4;
/** How numbers are ordered (see order.ts), or `BYTES`. */
const ORDER: usize = 8;
const BIG_ENDIAN: usize = 12;
export const FIELD_BYTES: usize = 16;

const BYTES: u32 = 3;

/**
 * Compares the fields from `field` to `end` of two records, in the order of precedence.
 *
 * @returns -1, 0 or 1.
 */
export function compareRecords(a: usize, b: usize, field: usize, end: usize): i32 {
  for (; field < end; field += FIELD_BYTES) {
    const offset: usize = load<u32>(field, OFFSET);
    const difference =
      load<u32>(field, ORDER) === BYTES
        ? compareBytes(a + offset, b + offset, load<u32>(field, LENGTH))
        : compareNumbers(a + offset, b + offset, field);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Compares bytes from the first to the last, as unsigned numbers. */
function compareBytes(a: usize, b: usize, n: usize): i32 {
  let i: usize = 0;
  for (; i + 8 <= n; i += 8) {
    const x = load<u64>(a + i);
    const y = load<u64>(b + i);
    if (x !== y) return bswap<u64>(x) < bswap<u64>(y) ? -1 : 1;
  }
  for (; i < n; i++) {
    const x = load<u8>(a + i);
    const y = load<u8>(b + i);
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

function compareNumbers(a: usize, b: usize, field: usize): i32 {
  const bytes = load<u32>(field, LENGTH);
  const order = load<u32>(field, ORDER);
  const isBig = load<u32>(field, BIG_ENDIAN) !== 0;
  const x = orderedNumber(a, bytes, order, isBig);
  const y = orderedNumber(b, bytes, order, isBig);
  return x === y ? 0 : x < y ? -1 : 1;
}
