import type { BenchRow } from "./row.js";
import { isMeasured } from "./row.js";
import type { Way } from "./way.js";

/** From where on the GPU wins against `TypedArray.prototype.sort`, of one kind of input and one algorithm. */
export interface Crossover {
  readonly type: string;
  readonly distribution: string;
  readonly payloadBytes: number;
  readonly algorithm: string;
  /** "gpu" for the sort alone, "round-trip" with upload and readback. */
  readonly way: Way;
  readonly from: Lead;
}

export type Lead =
  /** It loses at the largest size that both were measured at, or there is none. */
  | { readonly kind: "never" }
  /** It wins at every measured size, of which this is the least. */
  | { readonly kind: "always"; readonly keyCount: number }
  /** It loses at `low` and wins from `high` on; the two are about equal at `keyCount`, between them. */
  | { readonly kind: "between"; readonly keyCount: number; readonly low: number; readonly high: number };

/** Sizes this close together are one: no measurement tells them apart. */
const CLOSE = 1.02;

/** Where one way takes the lead over another for good, as far as the rows tell. */
export function lead(rows: readonly BenchRow[], faster: Way, slower: Way): Lead {
  let won: number | undefined;
  for (const { keyCount, cells } of [...rows].sort((a, b) => b.keyCount - a.keyCount)) {
    const [a, b] = [cells[faster], cells[slower]];
    if (!isMeasured(a) || !isMeasured(b)) continue;
    if (a.medianSeconds >= b.medianSeconds) {
      if (won === undefined) return { kind: "never" };
      return { kind: "between", keyCount: geometricMean(keyCount, won), low: keyCount, high: won };
    }
    won = keyCount;
  }
  return won === undefined ? { kind: "never" } : { kind: "always", keyCount: won };
}

/**
 * The size to measure next to know a lead better: half way, geometrically, between the largest size at which it is
 * not there and the least from which it is; undefined where they are close together, or where the two ways' intervals
 * overlap at one of them, since then no better answer is to be had.
 */
export function sizeToTry(
  rows: readonly BenchRow[],
  found: Lead,
  faster: Way,
  slower: Way,
): number | undefined {
  if (found.kind !== "between" || found.high / found.low <= CLOSE) return undefined;
  const tied = rows.some(({ keyCount, cells, purpose }) => {
    const [a, b] = [cells[faster], cells[slower]];
    if (purpose !== "crossover" || !isMeasured(a) || !isMeasured(b)) return false;
    const at = keyCount === found.low || keyCount === found.high;
    return at && a.lowSeconds <= b.highSeconds && b.lowSeconds <= a.highSeconds;
  });
  const middle = geometricMean(found.low, found.high);
  return tied || middle <= found.low || middle >= found.high ? undefined : middle;
}

function geometricMean(a: number, b: number): number {
  return Math.round(Math.sqrt(a * b));
}
