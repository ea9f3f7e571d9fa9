/** A measured time: a number of keys, and the seconds that their sort took. */
export type CurvePoint = readonly [keyCount: number, seconds: number];

/**
 * Predicts the time for any number of keys from a few measured points. Between two points it interpolates
 * linearly in the logarithms of both numbers. Beyond the last point it adds the time per key between the last
 * two points, as a radix sort's time grows. Below the first point it returns the first point's time.
 *
 * @param points at least one, ascending.
 */
export function predictSeconds(points: readonly CurvePoint[], keyCount: number): number {
  const above = points.findIndex(([n]) => n >= keyCount);
  if (above === 0) return points[0]![1];
  if (above < 0) {
    const [n1, t1] = points.at(-1)!;
    const [n0, t0] = points.at(-2) ?? [0, 0];
    return t1 + (keyCount - n1) * Math.max(0, (t1 - t0) / (n1 - n0));
  }
  const [[n0, t0], [n1, t1]] = points.slice(above - 1, above + 1) as [CurvePoint, CurvePoint];
  const share = Math.log(keyCount / n0) / Math.log(n1 / n0);
  return Math.exp(Math.log(t0) + share * Math.log(t1 / t0));
}
