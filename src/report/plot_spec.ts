import type { Spec } from "vega";
import type { TopLevelSpec } from "vega-lite";
import { metrics as allMetrics, isOnCpu, type Metric } from "../bench/metric.js";
import type { BenchDocument } from "../bench/schema.js";
import { type BenchRow, isMeasured } from "../bench/schema.js";
import { bytesPerSecond, payloadText } from "./columns.js";
import { bySeries, metricLabels, roundedCount } from "./crossovers.js";
import type { Colours } from "./plot_theme.js";
import { formatThreads } from "./units.js";

/** The colours differ in lightness too, for readers with colour blindness. */
const colours: Record<Metric, string> = {
  array: "#8c959f",
  typed: "#d9730d",
  cpu: "#9a6700",
  gpu: "#2f81f7",
  "round-trip": "#1a9e77",
  upload: "#a475f9",
  readback: "#e85aad",
};

const COPY = "copy kernel, the ceiling";
const COPY_COLOUR = "#e5534b";

/**
 * Makes a Vega-Lite specification of two charts over the number of keys: the time of each metric with the
 * crossovers marked, and its throughput with the copy kernel's rate. All axes are logarithmic.
 */
export function plotSpec(
  { rows, crossovers, environment }: BenchDocument,
  metrics: ReadonlySet<Metric>,
  { ground, ink, faint }: Colours,
): TopLevelSpec {
  const axes = [
    { values: (row: BenchRow) => row.task, ofCpu: true },
    { values: (row: BenchRow) => row.type, ofCpu: true },
    { values: (row: BenchRow) => row.distribution, ofCpu: true },
    { values: (row: BenchRow) => `payload ${payloadText(row.payloadBytes)}`, ofCpu: true },
    { values: (row: BenchRow) => row.algorithm, ofCpu: false },
  ].filter(({ values }) => new Set(rows.map(values)).size > 1);
  const seriesOf = (row: BenchRow, metric: Metric) => {
    const parts = axes.filter(({ ofCpu }) => ofCpu || !isOnCpu(metric)).map(({ values }) => values(row));
    return parts.join(", ") || (axes.length > 0 ? "CPU" : "");
  };
  const times = rows.flatMap((row) =>
    allMetrics.flatMap((metric) => {
      const cell = row.cells[metric];
      if (!metrics.has(metric) || !isMeasured(cell)) return [];
      return [
        {
          keys: row.keyCount,
          way: metricLabels[metric],
          series: seriesOf(row, metric),
          ms: cell.medianSeconds * 1000,
          gigabytes: bytesPerSecond(cell, row) / 1e9,
          sorts: metric !== "upload" && metric !== "readback",
        },
      ];
    }),
  );
  const copies = rows.flatMap(({ keyCount, copyBytesPerSecond }) =>
    copyBytesPerSecond === null ? [] : [{ keys: keyCount, gigabytes: copyBytesPerSecond / 1e9, way: COPY }],
  );
  const marks = bySeries(crossovers).flatMap(([{ way: metric, against, from, ...series }]) => {
    if (from.kind !== "between" || !metrics.has(metric)) return [];
    const row = rows.find((one) => axes.every(({ values }) => values(one) === values(series as BenchRow)));
    const prefix = row && axes.length > 0 ? `${seriesOf(row, metric)}: ` : "";
    const text = `${prefix}beats ${metricLabels[against]} from ${roundedCount(from.keyCount)}`;
    return [{ keys: from.keyCount, way: metricLabels[metric], text }];
  });
  const sizes = times.map(({ keys }) => keys);
  const middle = Math.sqrt(Math.min(...sizes) * Math.max(...sizes));
  const shown = allMetrics.filter((metric) => times.some((one) => one.way === metricLabels[metric]));
  const domain = [...shown.map((metric) => metricLabels[metric]), ...(copies.length > 0 ? [COPY] : [])];
  const range = [...shown.map((metric) => colours[metric]), ...(copies.length > 0 ? [COPY_COLOUR] : [])];

  const x = {
    field: "keys",
    type: "quantitative",
    scale: { type: "log", base: 2, nice: false },
    axis: {
      title: "number of keys",
      values: powersOfTwo(sizes),
      labelExpr: "'2^' + round(log(datum.value) / LN2)",
    },
  } as const;
  const y = (field: "ms" | "gigabytes", title: string) => {
    const decades = powersOfTen(
      [...times, ...(field === "gigabytes" ? copies : [])].map((one) => Number(one[field as "gigabytes"])),
    );
    return {
      field,
      type: "quantitative",
      scale: { type: "log", domain: [decades[0]!, decades.at(-1)!] as number[] },
      axis: { title, format: "~g", values: decades },
    } as const;
  };
  const colour = {
    field: "way",
    type: "nominal",
    scale: { domain, range },
    legend: { title: null },
  } as const;
  const legend = { title: null, orient: "right", columns: 1, symbolType: "stroke" } as const;
  const dash =
    axes.length > 0
      ? ({ strokeDash: { field: "series", type: "nominal", scale: { range: DASHES }, legend } } as const)
      : {};
  const lineOf = (field: "ms" | "gigabytes", title: string) => ({
    mark: { type: "line", point: { size: 18 }, strokeWidth: 1.8, clip: true } as const,
    encoding: { x, y: y(field, title), color: colour, detail: { field: "series" }, ...dash } as const,
  });

  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    description: "gpusort bench: time and throughput against the number of keys",
    background: ground,
    padding: 12,
    title: {
      text: title(rows),
      subtitle: subtitle(environment, metrics),
      anchor: "start",
      offset: 12,
    },
    vconcat: [
      {
        width: WIDTH,
        height: HEIGHT,
        layer: [
          { data: { values: times }, ...lineOf("ms", "median time (ms)") },
          {
            data: { values: marks },
            mark: { type: "rule", strokeDash: [3, 3], strokeWidth: 1.2 },
            encoding: { x, color: colour },
          },
          ...marks.map((one, i) => ({
            data: { values: [one] },
            mark: {
              type: "text",
              align: one.keys < middle ? "left" : "right",
              dx: one.keys < middle ? 5 : -5,
              baseline: "top",
              fontSize: 11,
              y: 6 + 15 * i,
            } as const,
            encoding: { x, text: { field: "text" }, color: colour } as const,
          })),
        ],
      },
      {
        width: WIDTH,
        height: HEIGHT,
        layer: [
          {
            data: { values: times.filter(({ sorts }) => sorts) },
            ...lineOf("gigabytes", "keys read and written (GB/s)"),
          },
          {
            data: { values: copies },
            mark: { type: "line", strokeDash: [6, 3], strokeWidth: 1.8 },
            encoding: {
              x,
              y: { ...y("gigabytes", "keys read and written (GB/s)"), aggregate: "median" },
              color: colour,
            },
          },
        ],
      },
    ],
    config: {
      font: "DejaVu Sans, Helvetica, Arial, sans-serif",
      view: { stroke: faint },
      axis: {
        labelColor: ink,
        titleColor: ink,
        gridColor: faint,
        domainColor: ink,
        tickColor: ink,
        labelFontSize: 11,
        titleFontSize: 12,
        titleFontWeight: "normal",
      },
      legend: {
        labelColor: ink,
        titleColor: ink,
        labelFontSize: 11,
        labelLimit: 260,
        orient: "bottom",
        columns: 3,
      },
      title: { color: ink, subtitleColor: ink, fontSize: 15, subtitleFontSize: 11 },
    },
  };
}

/**
 * Colours the legend's symbols of dash patterns with the ink. They belong to no metric, and so have no
 * colour; Vega-Lite would draw them transparent, whatever its legend specifies.
 */
export function inkDashes(spec: Spec, { ink }: Colours): Spec {
  const symbols = { update: { stroke: { value: ink }, strokeWidth: { value: 1.8 }, size: { value: 500 } } };
  const legends = spec.legends?.map((one) => ("strokeDash" in one ? { ...one, encode: { symbols } } : one));
  return { ...spec, ...(legends ? { legends } : {}) };
}

/** Dash patterns, which distinguish up to eight series. */
const DASHES = [
  [1, 0],
  [6, 3],
  [2, 2],
  [8, 3, 2, 3],
  [1, 4],
  [12, 4],
  [6, 2, 1, 2, 1, 2],
  [3, 7],
];

const WIDTH = 640;
const HEIGHT = 280;

function title(rows: readonly BenchRow[]): string {
  const all = (of: (row: BenchRow) => string) => [...new Set(rows.map(of))].join(", ");
  const tasks = all(({ task }) => task);
  return [
    tasks === "sort"
      ? `Sorting ${all(({ type }) => type)} keys`
      : `${tasks} of ${all(({ type }) => type)} keys`,
    all(({ distribution }) => distribution),
    `algorithm ${all(({ algorithm }) => algorithm)}`,
  ].join(", ");
}

function subtitle(
  { adapter, cpu, cores, threads, gpusort, node }: BenchDocument["environment"],
  metrics: ReadonlySet<Metric>,
): string[] {
  const device = adapter ? `${adapter.name}, ${adapter.driver}` : "no GPU";
  const most = threads !== undefined && metrics.has("cpu") ? ` with ${formatThreads(threads)}` : "";
  return [device, `${cpu}, ${cores} cores; gpusort ${gpusort}${most}, Node ${node}`];
}

/** The powers of two in the range of the sizes; only every second one if there are many. */
function powersOfTwo(sizes: readonly number[]): number[] {
  const [first, last] = [Math.ceil(Math.log2(Math.min(...sizes))), Math.floor(Math.log2(Math.max(...sizes)))];
  const step = last - first > 10 ? 2 : 1;
  return Array.from(
    { length: Math.max(0, Math.floor((last - first) / step) + 1) },
    (_, i) => 2 ** (first + i * step),
  );
}

/** Consecutive powers of ten that enclose the values. */
function powersOfTen(values: readonly number[]): number[] {
  const [first, last] = [
    Math.floor(Math.log10(Math.min(...values))),
    Math.ceil(Math.log10(Math.max(...values))),
  ];
  return Array.from({ length: Math.max(2, last - first + 1) }, (_, i) => 10 ** (first + i));
}
