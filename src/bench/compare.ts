import { type BenchRow, isMeasured, type Measured, type Point } from "./row.js";
import { median, summarise } from "./statistics.js";
import { type Way, ways } from "./way.js";

/**
 * - slower, faster: by more than the threshold, with all of the change's interval, in seconds and in units of the
 *   reference work;
 * - equal: in seconds the whole interval lies within the threshold, and in units of the reference work not beyond it;
 * - machine: slower or faster in seconds, but the reference work may have been so too;
 * - noisy: the interval reaches over the threshold, or there were too few rounds for so much confidence.
 */
export type Verdict = "equal" | "faster" | "slower" | "machine" | "noisy";

/** One cell, before and after. */
export interface Change extends Point {
  readonly algorithm: string;
  readonly way: Way;
  readonly oldSeconds: number;
  readonly newSeconds: number;
  /** New time over old: 1.1 is 10% slower. */
  readonly ratio: number;
  /** The ends of the ratio's interval, in seconds. */
  readonly low: number;
  readonly high: number;
  /** How much slower the fixed reference work was that ran in the same rounds; null where it was not timed in both. */
  readonly referenceRatio: number | null;
  readonly verdict: Verdict;
}

/** Old and new results, cell by cell. */
export interface Comparison {
  /** The least change that counts: 0.05 is 5%. */
  readonly threshold: number;
  readonly changes: readonly Change[];
  /** Cells that only one of the two has, or that one of them skipped. */
  readonly unmatched: number;
}

/** The chance that any of the cells is called slower or faster for nothing. */
const DOUBT = 0.05;

/**
 * Compares the cells that both results have.
 *
 * The interval of a change is from the new median's least over the old one's greatest to the new greatest over the old
 * least. Each has so much confidence that all cells together have 95% of it (Bonferroni): the more cells, the more
 * rounds it takes.
 *
 * The same is done with the rounds' times in units of the reference work that was timed in the same rounds. A change
 * must be there in seconds and in those units: a sort that takes 1.3 times as long on a machine that does is not slower.
 */
export function compare(
  before: readonly BenchRow[],
  after: readonly BenchRow[],
  threshold: number,
): Comparison {
  const old = new Map(before.flatMap(cellsOf).map((cell) => [cell.key, cell]));
  const fresh = after.flatMap(cellsOf);
  const pairs = fresh.flatMap((cell) => {
    const other = old.get(cell.key);
    return other ? [{ ...cell, old: other.cell }] : [];
  });
  const doubt = DOUBT / Math.max(1, pairs.length);
  const changes = pairs.map(({ row, way, old, cell }) => change(row, way, old, cell, threshold, doubt));
  return { threshold, changes, unmatched: old.size + fresh.length - 2 * changes.length };
}

function cellsOf(row: BenchRow) {
  if (row.purpose !== "grid") return [];
  return ways.flatMap((way) => {
    const cell = row.cells[way];
    const key = JSON.stringify([
      row.type,
      row.distribution,
      row.payloadBytes,
      row.algorithm,
      row.keyCount,
      way,
    ]);
    return isMeasured(cell) ? [{ key, row, way, cell }] : [];
  });
}

function change(
  { type, distribution, payloadBytes, algorithm, keyCount }: BenchRow,
  way: Way,
  before: Measured,
  after: Measured,
  threshold: number,
  doubt: number,
): Change {
  const inSeconds = quotient(before.roundSeconds, after.roundSeconds, doubt);
  const referenced = before.roundReferenceSeconds.length > 0 && after.roundReferenceSeconds.length > 0;
  const inReferences = referenced
    ? quotient(inReferenceUnits(before), inReferenceUnits(after), doubt)
    : inSeconds;
  return {
    type,
    distribution,
    payloadBytes,
    algorithm,
    keyCount,
    way,
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

/** The interval of the quotient of two medians. */
function quotient(before: readonly number[], after: readonly number[], doubt: number) {
  const [old, fresh] = [summarise(before, doubt), summarise(after, doubt)];
  const tooFew = old.relativeError === undefined || fresh.relativeError === undefined;
  return { low: fresh.low / old.high, high: fresh.high / old.low, tooFew };
}

interface Interval {
  readonly low: number;
  readonly high: number;
}

function verdict(inSeconds: Interval, inReferences: Interval, threshold: number): Verdict {
  const most = 1 + threshold;
  const slower = ({ low }: Interval) => low > most;
  const faster = ({ high }: Interval) => high < 1 / most;
  for (const [name, test] of [["slower", slower] as const, ["faster", faster] as const]) {
    if (test(inSeconds)) return test(inReferences) ? name : "machine";
  }
  const within = inSeconds.low >= 1 / most && inSeconds.high <= most;
  if (!within) return "noisy";
  return slower(inReferences) || faster(inReferences) ? "machine" : "equal";
}
