/** What a sample tells, in the sample's own unit. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** The ends of the interval that holds the true median with that confidence; the whole sample where it is too small. */
  readonly low: number;
  readonly high: number;
  /** Half the interval's width as a part of the median; undefined where the sample is too small to tell. */
  readonly relativeError: number | undefined;
}

/** The middle value, or the mean of the two middle values. @throws RangeError of an empty sample. */
export function median(sample: readonly number[]): number {
  if (sample.length === 0) throw new RangeError("the median of nothing");
  const sorted = ascending(sample);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * The median with its confidence interval from order statistics, which supposes nothing of the distribution: the
 * number of values below the true median is binomial with p = 1/2, so the r-th least and the r-th largest of the
 * sample enclose it with a chance of 1 - 2 P(B < r) (W. Conover, "Practical Nonparametric Statistics", 3.2).
 *
 * @param doubt one minus the confidence.
 * @throws RangeError of an empty sample.
 */
export function summarise(sample: readonly number[], doubt = 0.05): Summary {
  const middle = median(sample);
  const sorted = ascending(sample);
  const rank = intervalRank(sorted.length, doubt);
  const skip = Math.max(0, rank - 1);
  const [low, high] = [sorted[skip]!, sorted[sorted.length - 1 - skip]!];
  const relativeError = rank > 0 ? (middle > 0 ? (high - low) / 2 / middle : 0) : undefined;
  return { median: middle, min: sorted[0]!, max: sorted.at(-1)!, low, high, relativeError };
}

/** The least sample whose interval has a confidence of 95%. */
const LEAST_SAMPLE = 6;

/** The largest r with 2 P(B(n, 1/2) < r) <= doubt; 0 if there is none. */
function intervalRank(n: number, doubt: number): number {
  let [rank, below] = [0, 0];
  // P(B = k) by logarithms: 2^-n is no number past n = 1074.
  for (let logTerm = -n * Math.LN2; ; rank++) {
    below += Math.exp(logTerm);
    if (2 * below > doubt || rank >= n) return rank;
    logTerm += Math.log((n - rank) / (rank + 1));
  }
}

/**
 * Whether a sample, in the order in which it was taken, moved on the way: the intervals of its halves do not meet,
 * and their medians are more than `least` apart, as a part of the lesser.
 */
export function drifted(sample: readonly number[], least: number): boolean {
  if (sample.length < 2 * LEAST_SAMPLE) return false;
  const half = Math.floor(sample.length / 2);
  const [before, after] = [summarise(sample.slice(0, half)), summarise(sample.slice(-half))];
  const [lesser, greater] = before.median < after.median ? [before, after] : [after, before];
  return lesser.high < greater.low && greater.median > lesser.median * (1 + least);
}

function ascending(sample: readonly number[]): number[] {
  return [...sample].sort((a, b) => a - b);
}
