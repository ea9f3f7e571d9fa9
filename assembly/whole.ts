// A whole sort by one thread, for so few keys that calls of several kernels would take as long as the sort.

import { decode, encode, extract } from "./convert";
import { hasSameSums, inversionsIn, ROW_BYTES, varyingIn } from "./inspect";
import { beginOf, endOf, setLowest, setOutcome } from "./job";
import { sortRange } from "./radix";

// What came of a sort. It is 0 before.
const WAS_IN_ORDER: u32 = 1;
const IS_SORTED: u32 = 2;
const OTHER_SUMS: u32 = 3;
const NOT_IN_ORDER: u32 = 4;

/**
 * Sorts keys. They stay where they are; the indices of pairs go into the scratch.
 *
 * @param elements where the elements of the keys go, which may be the place of the keys.
 * @param other scratch for as many elements.
 * @param found two rows of findings, which it clears.
 */
export function sortWhole<K, E>(
  keys: usize,
  elements: usize,
  other: usize,
  n: usize,
  found: usize,
  job: usize,
  tables: usize,
): void {
  const after = found + ROW_BYTES;
  memory.fill(found, 0, 2 * ROW_BYTES);
  encode<K, E>(keys, elements, n, 0, found, job);
  let outcome = WAS_IN_ORDER;
  if (inversionsIn(found) > 0) {
    const varying = varyingIn(found);
    const lowest = max<u32>(beginOf(job), <u32>ctz(varying));
    const end = max<u32>(lowest, min<u32>(endOf(job), <u32>(64 - clz(varying))));
    setLowest(job, lowest);
    sortRange<E>(elements, other, n, end, false, after, job, tables);
    outcome = !hasSameSums(found, after) ? OTHER_SUMS : inversionsIn(after) > 0 ? NOT_IN_ORDER : IS_SORTED;
  } else if (sizeof<K>() === sizeof<E>()) decode<K, E>(elements, keys, n, job);
  if (sizeof<E>() > 4 && sizeof<E>() > sizeof<K>()) extract<E>(elements, other, n);
  setOutcome(job, outcome);
}
