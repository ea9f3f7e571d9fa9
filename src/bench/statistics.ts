/** The middle value, or the mean of the two middle values. @throws RangeError of an empty sample. */
export function median(sample: readonly number[]): number {
  if (sample.length === 0) throw new RangeError("the median of nothing");
  const sorted = [...sample].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
