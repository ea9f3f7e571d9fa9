import type { ColumnKey } from "./contender.js";
import type { BenchRow } from "./run.js";

/**
 * The least measured n from which one column is faster than another at every size where both were measured.
 *
 * @returns undefined if the first column loses at the largest such size, or if there is none.
 */
export function crossover(
  rows: readonly BenchRow[],
  faster: ColumnKey,
  slower: ColumnKey,
): number | undefined {
  let from: number | undefined;
  for (const { keyCount, cells } of [...rows].sort((a, b) => b.keyCount - a.keyCount)) {
    const [a, b] = [cells[faster], cells[slower]];
    if ("skipped" in a || "skipped" in b) continue;
    if (a.medianSeconds >= b.medianSeconds) break;
    from = keyCount;
  }
  return from;
}
