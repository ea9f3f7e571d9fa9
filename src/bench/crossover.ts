import type { Metric } from "./metric.js";
import { type BenchRow, type CrossoverPoint, isMeasured } from "./schema.js";

/** Two metrics, of which one may take less time than the other from some number of keys on. */
export interface Contest {
  readonly faster: Metric;
  readonly slower: Metric;
}

/** The metrics of a GPU that contests are about. */
const contestants: readonly Metric[] = ["gpu", "round-trip"];

/** The sorts on the CPU that a GPU should beat, the best one first. */
const opponents: readonly Metric[] = ["cpu", "typed"];

/** Every contest of a GPU's metric with a sort on the CPU. For each metric, the hardest one is first. */
export function contestsOf(measured: ReadonlySet<Metric>): Contest[] {
  const those = (metrics: readonly Metric[]) => metrics.filter((metric) => measured.has(metric));
  return those(contestants).flatMap((faster) => those(opponents).map((slower) => ({ faster, slower })));
}

/** Two sizes within this factor count as one, because no measurement can distinguish them. */
const CLOSE = 1.02;

/**
 * Finds the number of keys from which one metric stays faster than the other, as far as the rows show.
 *
 * @returns undefined if no size has both metrics.
 */
export function findCrossover(
  rows: readonly BenchRow[],
  { faster, slower }: Contest,
): CrossoverPoint | undefined {
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
  return winsFrom === undefined ? undefined : { kind: "always", keyCount: winsFrom };
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
  crossover: CrossoverPoint,
  { faster, slower }: Contest,
): number | undefined {
  if (crossover.kind !== "between" || crossover.high / crossover.low <= CLOSE) return undefined;
  const tied = rows.some(({ keyCount, cells, purpose }) => {
    const [a, b] = [cells[faster], cells[slower]];
    if (purpose !== "crossover" || !isMeasured(a) || !isMeasured(b)) return false;
    const isEnd = keyCount === crossover.low || keyCount === crossover.high;
    return isEnd && a.lowSeconds <= b.highSeconds && b.lowSeconds <= a.highSeconds;
  });
  const middle = geometricMean(crossover.low, crossover.high);
  return tied || middle <= crossover.low || middle >= crossover.high ? undefined : middle;
}

function geometricMean(a: number, b: number): number {
  return Math.round(Math.sqrt(a * b));
}
