// A sort by one thread in one call, of so few keys that calls of many kernels would take as long as the sort.

import { extract } from "./convert";
import { hasSameSums, inversionsIn, ROW_BYTES, varyingIn } from "./inspect";
import { Job } from "./job";
import { sortRange } from "./radix";

// What came of a sort. It is 0 before.
const WAS_IN_ORDER: u32 = 1;
const IS_SORTED: u32 = 2;
const OTHER_SUMS: u32 = 3;
const NOT_IN_ORDER: u32 = 4;

/**
 * Sorts all elements, in place, and turns them back into keys. The indices of pairs go into the scratch. Elements
 * that were in order stay as they are.
 *
 * @param other scratch for as many elements.
 * @param findings those of the elements. A row that is all zeros follows it.
 */
export function sortFewKeys<E>(
  elements: usize,
  other: usize,
  n: usize,
  findings: usize,
  job: Job,
  tables: usize,
): void {
  const after = findings + ROW_BYTES;
  let outcome = WAS_IN_ORDER;
  if (inversionsIn(findings) > 0) {
    const varying = varyingIn(findings);
    const lowest = max<u32>(job.begin, <u32>ctz(varying));
    const end = max<u32>(lowest, min<u32>(job.end, <u32>(64 - clz(varying))));
    job.lowest = lowest;
    sortRange<E>(elements, other, n, end, false, after, job, tables);
    outcome = !hasSameSums(findings, after) ? OTHER_SUMS : inversionsIn(after) > 0 ? NOT_IN_ORDER : IS_SORTED;
  }
  if (job.sortsPairs) extract<E>(elements, other, n);
  job.outcome = outcome;
}
