import type { Metric } from "./metric.js";
import { type BenchRow, type CrossoverPoint, isMeasured } from "./schema.js";

/** Two sizes within this factor count as one, because no measurement can distinguish them. */
const CLOSE = 1.02;

/** Finds the number of keys from which one metric stays faster than another, as far as the rows show. */
export function findCrossover(rows: readonly BenchRow[], faster: Metric, slower: Metric): CrossoverPoint {
  let winsFrom: number | undefined;
  for (const { keyCount, cells } of [...rows].sort((a, b) => b.keyCount - a.keyCount)) {
    const [a, b] = [cells[faster], cells[slower]];
    if (!isMeasured(a) || !isMeasured(b)) continue;
    if (a.medianSeconds >= b.medianSeconds) {
      if (winsFrom === undefined) return { kind: "never" };
      return { kind: "between", keyCount: geometricMean(keyCount, winsFrom), low: keyCount, high: winsFrom };
    }
    winsFrom = keyCount;
  }
  return winsFrom === undefined ? { kind: "never" } : { kind: "always", keyCount: winsFrom };
}

/**
 * Returns the size to measure next to locate a crossover more precisely: the geometric mean of the largest
 * size at which `faster` loses and the smallest size from which it wins.
 *
 * @returns undefined if these two sizes are close together, or if the search already measured one of them and
 * the two metrics' intervals overlap there: then more sizes would not give a better answer.
 */
export function sizeToTry(
  rows: readonly BenchRow[],
  found: CrossoverPoint,
  faster: Metric,
  slower: Metric,
): number | undefined {
  if (found.kind !== "between" || found.high / found.low <= CLOSE) return undefined;
  const tied = rows.some(({ keyCount, cells, purpose }) => {
    const [a, b] = [cells[faster], cells[slower]];
    if (purpose !== "crossover" || !isMeasured(a) || !isMeasured(b)) return false;
    const isEnd = keyCount === found.low || keyCount === found.high;
    return isEnd && a.lowSeconds <= b.highSeconds && b.lowSeconds <= a.highSeconds;
  });
  const middle = geometricMean(found.low, found.high);
  return tied || middle <= found.low || middle >= found.high ? undefined : middle;
}

function geometricMean(a: number, b: number): number {
  return Math.round(Math.sqrt(a * b));
}
