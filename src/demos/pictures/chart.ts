import type { TopLevelSpec } from "vega-lite";

/** A curve to plot. */
export interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** In order from left to right. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Whether each point is marked. */
  readonly dots: boolean;
}

/** The Vega-Lite specification of the curve. Both axes include 0. */
export function chartSpec({ title, xLabel, yLabel, points, dots }: Chart): TopLevelSpec {
  const axis = (title: string) => ({ type: "quantitative" as const, axis: { title }, scale: { zero: true } });
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    title,
    width: 600,
    height: 300,
    background: "white",
    data: { values: points.map(([x, y]) => ({ x, y })) },
    mark: { type: "line", point: dots },
    encoding: { x: { field: "x", ...axis(xLabel) }, y: { field: "y", ...axis(yLabel) } },
  };
}

const EIGHTHS = " ▏▎▍▌▋▊▉█";

/**
 * A bar of block characters whose length is `share` (from 0 to 1) of `width` characters, to an eighth of one.
 */
export function bar(share: number, width: number): string {
  const eighths = Math.round(Math.max(0, Math.min(1, share)) * width * 8);
  return "█".repeat(Math.floor(eighths / 8)) + (eighths % 8 > 0 ? EIGHTHS[eighths % 8] : "");
}
