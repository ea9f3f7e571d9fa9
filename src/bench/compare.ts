import { type Metric, metrics } from "./metric.js";
import {
  type BenchRow,
  type Change,
  type Comparison,
  type Environment,
  isMeasured,
  type Measured,
  type Verdict,
} from "./schema.js";
import { median, summarise } from "./statistics.js";

/** The probability that at least one of all cells is called slower or faster although nothing changed. */
const ALPHA = 0.05;

/**
 * Compares the cells that both results have.
 *
 * Each change has an interval. Its lower end is the new median's lower bound divided by the old median's
 * upper bound; its upper end is the new upper bound divided by the old lower bound. The error probability of
 * 5% is divided among the cells (Bonferroni), so that all intervals hold together with 95% confidence. More
 * cells therefore need more rounds.
 *
 * The same interval is computed for the times in units of the reference work, which was timed in the same
 * rounds. A cell is slower or faster only if both intervals say so: if the sort and the reference work both
 * take 1.3 times as long, the machine became slower and not the sort. Nor is the CPU's sort to blame if it
 * had another number of threads.
 */
export function compare(before: Result, after: Result, threshold: number): Comparison {
  const old = new Map(before.rows.flatMap(cellsOf).map((cell) => [cell.key, cell]));
  const current = after.rows.flatMap(cellsOf);
  const pairs = current.flatMap(({ key, row, metric, cell }): CellPair[] => {
    const other = old.get(key);
    return other ? [{ row, metric, before: other.cell, after: cell }] : [];
  });
  const alpha = ALPHA / Math.max(1, pairs.length);
  const threads = otherThreads(before, after);
  const changes = pairs.map((pair) => {
    const cellChange = change(pair, threshold, alpha);
    const differs = cellChange.verdict === "slower" || cellChange.verdict === "faster";
    const isMachine = pair.metric === "cpu" && threads && differs;
    return isMachine ? { ...cellChange, verdict: "machine" as const } : cellChange;
  });
  return {
    threshold,
    changes,
    unmatched: old.size + current.length - 2 * changes.length,
    ...(threads && changes.some(({ way: metric }) => metric === "cpu") ? { threads } : {}),
  };
}

/** What a comparison needs of a benchmark's document. */
interface Result {
  readonly rows: readonly BenchRow[];
  readonly environment: Pick<Environment, "threads">;
}

/** The numbers of threads, if both are known and they differ. */
function otherThreads(before: Result, after: Result): Comparison["threads"] {
  const [old, now] = [before.environment.threads, after.environment.threads];
  return old === undefined || now === undefined || old === now ? undefined : { old, new: now };
}

function cellsOf(row: BenchRow) {
  if (row.purpose !== "grid") return [];
  const { task, type, distribution, payloadBytes, algorithm, keyCount, cells } = row;
  return metrics.flatMap((metric) => {
    const cell = cells[metric];
    const key = JSON.stringify([task, type, distribution, payloadBytes, algorithm, keyCount, metric]);
    return isMeasured(cell) ? [{ key, row, metric, cell }] : [];
  });
}

/** A cell of both benchmarks. */
interface CellPair {
  /** The row of the later one. */
  readonly row: BenchRow;
  readonly metric: Metric;
  readonly before: Measured;
  readonly after: Measured;
}

/** @param alpha one minus the confidence of the intervals. */
function change({ row, metric, before, after }: CellPair, threshold: number, alpha: number): Change {
  const { task, type, distribution, payloadBytes, algorithm, keyCount } = row;
  const inSeconds = quotient(before.roundSeconds, after.roundSeconds, alpha);
  const referenced = before.roundReferenceSeconds.length > 0 && after.roundReferenceSeconds.length > 0;
  const inReferences = referenced
    ? quotient(inReferenceUnits(before), inReferenceUnits(after), alpha)
    : inSeconds;
  return {
    task,
    type,
    distribution,
    payloadBytes,
    algorithm,
    keyCount,
    way: metric,
    oldSeconds: before.medianSeconds,
    newSeconds: after.medianSeconds,
    ratio: after.medianSeconds / before.medianSeconds,
    low: inSeconds.low,
    high: inSeconds.high,
    referenceRatio: referenced
      ? median(after.roundReferenceSeconds) / median(before.roundReferenceSeconds)
      : null,
    verdict: inSeconds.tooFew ? "noisy" : verdict(inSeconds, inReferences, threshold),
  };
}

function inReferenceUnits({ roundSeconds, roundReferenceSeconds }: Measured): number[] {
  return roundSeconds.map(
    (seconds, i) => seconds / (roundReferenceSeconds[i] ?? roundReferenceSeconds.at(-1)!),
  );
}

/** The interval of the new median divided by the old one. `tooFew` means: a sample is too small for alpha. */
function quotient(before: readonly number[], after: readonly number[], alpha: number) {
  const [old, current] = [summarise(before, alpha), summarise(after, alpha)];
  const tooFew = old.relativeError === undefined || current.relativeError === undefined;
  return { low: current.low / old.high, high: current.high / old.low, tooFew };
}

interface Interval {
  readonly low: number;
  readonly high: number;
}

function verdict(inSeconds: Interval, inReferences: Interval, threshold: number): Verdict {
  const limit = 1 + threshold;
  const slower = ({ low }: Interval) => low > limit;
  const faster = ({ high }: Interval) => high < 1 / limit;
  for (const [name, test] of [["slower", slower] as const, ["faster", faster] as const]) {
    if (test(inSeconds)) return test(inReferences) ? name : "machine";
  }
  const within = inSeconds.low >= 1 / limit && inSeconds.high <= limit;
  if (!within) return "noisy";
  return slower(inReferences) || faster(inReferences) ? "machine" : "equal";
}
