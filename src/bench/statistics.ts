/** Statistics of a sample, in the sample's unit. */
export interface SampleSummary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** The ends of the median's confidence interval; min and max if the sample is too small for one. */
  readonly low: number;
  readonly high: number;
  /** Half the interval's width divided by the median; undefined if the sample is too small. */
  readonly relativeError: number | undefined;
}

/** The middle value, or the mean of the two middle values. @throws RangeError if the sample is empty. */
export function median(sample: readonly number[]): number {
  if (sample.length === 0) throw new RangeError("an empty sample has no median");
  const sorted = ascending(sample);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Computes the median and its confidence interval by order statistics, which assume nothing about the
 * distribution. The number of values below the true median is binomial with p = 1/2. So the r-th smallest and
 * the r-th largest value of the sample enclose the true median with probability 1 - 2 P(B < r) (W. Conover,
 * "Practical Nonparametric Statistics", 3.2).
 *
 * @param alpha one minus the confidence.
 * @throws RangeError if the sample is empty.
 */
export function summarise(sample: readonly number[], alpha = 0.05): SampleSummary {
  const middle = median(sample);
  const sorted = ascending(sample);
  const rank = intervalRank(sorted.length, alpha);
  const skip = Math.max(0, rank - 1);
  const [low, high] = [sorted[skip]!, sorted[sorted.length - 1 - skip]!];
  const relativeError = rank > 0 ? (middle > 0 ? (high - low) / 2 / middle : 0) : undefined;
  return { median: middle, min: sorted[0]!, max: sorted.at(-1)!, low, high, relativeError };
}

/** The size of the smallest sample whose interval has a confidence of 95%. */
const MIN_SAMPLE = 6;

/** The largest r with 2 P(B(n, 1/2) < r) <= alpha; 0 if there is none. */
function intervalRank(n: number, alpha: number): number {
  let [rank, below] = [0, 0];
  // P(B = k) is computed by its logarithm, because 2^-n underflows for n > 1074.
  for (let logTerm = -n * Math.LN2; ; rank++) {
    below += Math.exp(logTerm);
    if (2 * below > alpha || rank >= n) return rank;
    logTerm += Math.log((n - rank) / (rank + 1));
  }
}

/**
 * Whether a sample drifted while it was taken: the intervals of its first and second half do not overlap, and
 * the larger median exceeds the smaller one by more than `threshold` times the smaller one. Samples that are
 * too small for such intervals count as steady.
 *
 * @param sample in the order in which it was taken.
 */
export function drifted(sample: readonly number[], threshold: number): boolean {
  if (sample.length < 2 * MIN_SAMPLE) return false;
  const half = Math.floor(sample.length / 2);
  const [before, after] = [summarise(sample.slice(0, half)), summarise(sample.slice(-half))];
  const [lower, upper] = before.median < after.median ? [before, after] : [after, before];
  return lower.high < upper.low && upper.median > lower.median * (1 + threshold);
}

function ascending(sample: readonly number[]): number[] {
  return [...sample].sort((a, b) => a - b);
}
