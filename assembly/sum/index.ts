/** Adds up unsigned elements, modulo 2^32. */

/** Bytes that one turn of a loop adds: four vectors, so that the additions need not wait for each other. */
const TURN: usize = 64;

/** Four sums of the elements of a vector. */
function sums<T>(vector: v128): v128 {
  if (sizeof<T>() === 4) return vector;
  const halves = sizeof<T>() === 2 ? vector : i16x8.extadd_pairwise_i8x16_u(vector);
  return i32x4.extadd_pairwise_i16x8_u(halves);
}

function sum<T>(at: usize, bytes: usize, result: usize): void {
  let a = i32x4.splat(0);
  let b = a;
  let c = a;
  let d = a;
  for (const end = at + bytes; at < end; at += TURN) {
    a = i32x4.add(a, sums<T>(v128.load(at)));
    b = i32x4.add(b, sums<T>(v128.load(at, 16)));
    c = i32x4.add(c, sums<T>(v128.load(at, 32)));
    d = i32x4.add(d, sums<T>(v128.load(at, 48)));
  }
  v128.store(result, i32x4.add(i32x4.add(a, b), i32x4.add(c, d)));
}

/**
 * Adds up the elements of a range. The kernel's name ends in their bytes.
 *
 * @param bytes the length of the range, a multiple of 64.
 * @param result where four sums are written, which together are the sum; `sum4` adds up every fourth word in each.
 */
export const sum1 = sum<u8>;
export const sum2 = sum<u16>;
export const sum4 = sum<u32>;
