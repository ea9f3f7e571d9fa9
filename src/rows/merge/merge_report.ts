import type { Report } from "../report.js";

export interface Size {
  readonly rows: number;
  readonly bytes: number;
}

/** What came of a part. */
export interface Merged extends Size {
  readonly inversions: number;
  /** What was left out, as it is equal to what comes before it. */
  readonly equal: Size;
  /** Rows that are not as they were. */
  readonly changed: number;
}

/** What a merge reports of a part: see assembly/merge/part.ts. */
export function mergedOf(report: Report): Merged {
  const [, , , rows, bytes, inversions, equalRows, equalBytes, changed] = report;
  const equal = { rows: equalRows!, bytes: equalBytes! };
  return { rows: rows!, bytes: bytes!, inversions: inversions!, equal, changed: changed! };
}
