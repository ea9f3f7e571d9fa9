// Finds keys that go before a bound.

import { Job } from "./job";
import { toOrdered, toOrderedVector } from "./order";

/** Vectors that are compared before the next branch. */
const VECTORS_PER_BRANCH: usize = 4;

/**
 * Moves the keys that go before a bound to the front, in their order. NaNs are ordered by their bits.
 *
 * @param bound the address of the bound, which is a key.
 * @param count where the number of these keys goes, as a word.
 */
export function keepBefore<K>(keys: usize, n: usize, bound: usize, count: usize, job: Job): void {
  const order = job.order;
  const flip: K = job.isDescending ? <K>-1 : 0;
  const limit = toOrdered<K>(load<K>(bound), order, flip, false);
  const end = keys + n * sizeof<K>();
  let to = keys;
  let p = keys;
  while (p < end) {
    // Hardly any key of a random order goes before the bound, so whole blocks are left out.
    if (sizeof<K>() >= 4 && p + 16 * VECTORS_PER_BRANCH <= end && !hasBefore<K>(p, limit, order, flip)) {
      p += 16 * VECTORS_PER_BRANCH;
      continue;
    }
    const after = min<usize>(p + 16 * VECTORS_PER_BRANCH, end);
    for (; p < after; p += sizeof<K>()) {
      const key = load<K>(p);
      store<K>(to, key);
      to += sizeof<K>() * <usize>(toOrdered<K>(key, order, flip, false) < limit);
    }
  }
  store<u32>(count, <u32>((to - keys) / sizeof<K>()));
}

/** Whether some key of a block goes before the limit. */
function hasBefore<K>(keys: usize, limit: K, order: u32, flip: K): bool {
  let before = v128.splat<K>(0);
  for (let i: usize = 0; i < VECTORS_PER_BRANCH; i++) {
    const ordered = toOrderedVector<K>(v128.load(keys + 16 * i), order, flip, false);
    before = v128.or(before, isLess<K>(ordered, limit));
  }
  return v128.any_true(before);
}

function isLess<K>(ordered: v128, limit: K): v128 {
  if (sizeof<K>() === 4) return i32x4.lt_u(ordered, i32x4.splat(<u32>limit));
  const sign = i64x2.splat(i64.MIN_VALUE);
  return i64x2.lt_s(v128.xor(ordered, sign), v128.xor(i64x2.splat(<u64>limit), sign));
}
