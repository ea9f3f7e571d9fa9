// Duplicates among sorted keys. A key is a duplicate if it equals the key before it; all NaNs are equal, -0
// and +0 are not. `before` is the address of the key before the first one, or 0 if there is none.

import { Job } from "./job";
import { ordersFloats } from "./order";

// The findings in memory.
const COUNT: usize = 0; // u32, keys that are no duplicates
const SUM: usize = 8; // u64, of these keys' bits

/** Counts keys that are no duplicates, and sums them up. */
export function countFirsts<K>(keys: usize, n: usize, before: usize, findings: usize, job: Job): void {
  if (n === 0) return;
  const floats = ordersFloats<K>(job);
  let last = load<K>(keys);
  const isFirst: u32 = before === 0 || !isSame<K>(load<K>(before), last, floats) ? 1 : 0;
  let count = isFirst;
  let sum = isFirst * <u64>last;
  const end = keys + n * sizeof<K>();
  for (let p = keys + sizeof<K>(); p < end; p += sizeof<K>()) {
    const key = load<K>(p);
    if (!isSame<K>(last, key, floats)) {
      count++;
      sum += <u64>key;
    }
    last = key;
  }
  store<u32>(findings, count, COUNT);
  store<u64>(findings, sum, SUM);
}

/**
 * Moves keys that are no duplicates to the front, in their order, and counts them. Nothing but the last key is
 * ever written to the place of the last key, so a call for the keys that follow may read it meanwhile.
 */
export function keepFirsts<K>(keys: usize, n: usize, before: usize, findings: usize, job: Job): void {
  if (n === 0) return;
  const floats = ordersFloats<K>(job);
  let last = load<K>(keys);
  let to = keys;
  if (before === 0 || !isSame<K>(load<K>(before), last, floats)) to += sizeof<K>();
  const end = keys + n * sizeof<K>();
  for (let p = keys + sizeof<K>(); p < end; p += sizeof<K>()) {
    const key = load<K>(p);
    store<K>(to, key);
    // A jump that depends on the key would often be predicted wrongly.
    to += sizeof<K>() * <usize>!isSame<K>(last, key, floats);
    last = key;
  }
  store<u32>(findings, <u32>((to - keys) / sizeof<K>()), COUNT);
}

function isSame<K>(a: K, b: K, floats: bool): bool {
  return a === b || (floats && isNan<K>(a) && isNan<K>(b));
}

function isNan<K>(key: K): bool {
  if (sizeof<K>() === 8) return (<u64>key & 0x7fffffffffffffff) > 0x7ff0000000000000;
  if (sizeof<K>() === 2) return (<u32>key & 0x7fff) > 0x7c00;
  return (<u32>key & 0x7fffffff) > 0x7f800000;
}
