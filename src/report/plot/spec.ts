import type { Spec } from "vega";
import type { TopLevelSpec } from "vega-lite";
import { metrics as allMetrics, isOnCpu, type Metric } from "../../bench/metric.js";
import { type BenchDocument, type BenchRow, isMeasured } from "../../bench/schema.js";
import { bytesPerSecond, payloadText } from "../columns.js";
import { bySeries, metricLabels, roundedCount } from "../crossovers.js";
import { formatThreads } from "../units.js";
import type { Colours } from "./theme.js";

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
  document: BenchDocument,
  metrics: ReadonlySet<Metric>,
  { ground, ink, faint }: Colours,
): TopLevelSpec {
  const data = plotData(document, metrics);
  const encodings = encodingsOf(data);
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    description: "gpusort bench: time and throughput against the number of keys",
    background: ground,
    padding: 12,
    title: {
      text: title(document.rows),
      subtitle: subtitle(document.environment, metrics),
      anchor: "start",
      offset: 12,
    },
    vconcat: [timeChart(data, encodings), throughputChart(data, encodings)],
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

/** What tells rows of the same number of keys apart, and whether it applies to the CPU's metrics. */
const seriesAxes: readonly { readonly value: (row: BenchRow) => string; readonly ofCpu: boolean }[] = [
  { value: ({ task }) => task, ofCpu: true },
  { value: ({ type }) => type, ofCpu: true },
  { value: ({ distribution }) => distribution, ofCpu: true },
  { value: ({ payloadBytes }) => `payload ${payloadText(payloadBytes)}`, ofCpu: true },
  { value: ({ algorithm }) => algorithm, ofCpu: false },
];

/** The points and marks of both charts. */
function plotData({ rows, crossovers }: BenchDocument, metrics: ReadonlySet<Metric>) {
  const axes = seriesAxes.filter(({ value }) => new Set(rows.map(value)).size > 1);
  const seriesOf = (row: BenchRow, metric: Metric) => {
    const parts = axes.filter(({ ofCpu }) => ofCpu || !isOnCpu(metric)).map(({ value }) => value(row));
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
    const row = rows.find((one) => axes.every(({ value }) => value(one) === value(series as BenchRow)));
    const prefix = row && axes.length > 0 ? `${seriesOf(row, metric)}: ` : "";
    const text = `${prefix}beats ${metricLabels[against]} from ${roundedCount(from.keyCount)}`;
    return [{ keys: from.keyCount, way: metricLabels[metric], text }];
  });
  return { times, copies, marks, hasSeries: axes.length > 0 };
}

type PlotData = ReturnType<typeof plotData>;

/** How both charts show the number of keys, and by which colour and dashes they show a metric and a series. */
function encodingsOf({ times, copies, hasSeries }: PlotData) {
  const metrics = allMetrics.filter((metric) => times.some((one) => one.way === metricLabels[metric]));
  const domain = metrics.map((metric) => metricLabels[metric]);
  const range = metrics.map((metric) => colours[metric]);
  const hasCopies = copies.length > 0;
  const legend = { title: null, orient: "right", columns: 1, symbolType: "stroke" } as const;
  const sizes = times.map(({ keys }) => keys);
  const powers = powersOfTwo(sizes);
  return {
    x: {
      field: "keys",
      type: "quantitative",
      scale: { type: "log", base: 2, nice: false },
      axis: {
        title: "number of keys",
        values: powers.length > 0 ? powers : [...new Set(sizes)],
        labelExpr: powers.length > 0 ? "'2^' + round(log(datum.value) / LN2)" : "format(datum.value, ',')",
      },
    },
    colour: {
      field: "way",
      type: "nominal",
      scale: {
        domain: hasCopies ? [...domain, COPY] : domain,
        range: hasCopies ? [...range, COPY_COLOUR] : range,
      },
      legend: { title: null },
    },
    dash: hasSeries
      ? ({ strokeDash: { field: "series", type: "nominal", scale: { range: DASHES }, legend } } as const)
      : {},
  } as const;
}

type Encodings = ReturnType<typeof encodingsOf>;

/** A logarithmic axis from one power of ten to another. */
function decadesAxis(field: "ms" | "gigabytes", title: string, values: readonly number[]) {
  const decades = powersOfTen(values);
  return {
    field,
    type: "quantitative",
    scale: { type: "log", domain: [decades[0]!, decades.at(-1)!] as number[] },
    axis: { title, format: "~g", values: decades },
  } as const;
}

/** A line through points for each metric and series. */
function lines(y: ReturnType<typeof decadesAxis>, { x, colour, dash }: Encodings) {
  return {
    mark: { type: "line", point: { size: 18 }, strokeWidth: 1.8, clip: true } as const,
    encoding: { x, y, color: colour, detail: { field: "series" }, ...dash } as const,
  };
}

function timeChart({ times, marks }: PlotData, encodings: Encodings) {
  const { x, colour } = encodings;
  const y = decadesAxis(
    "ms",
    "median time (ms)",
    times.map(({ ms }) => ms),
  );
  const sizes = times.map(({ keys }) => keys);
  const middle = Math.sqrt(Math.min(...sizes) * Math.max(...sizes));
  return {
    width: WIDTH,
    height: HEIGHT,
    layer: [
      { data: { values: times }, ...lines(y, encodings) },
      {
        data: { values: marks },
        mark: { type: "rule" as const, strokeDash: [3, 3], strokeWidth: 1.2 },
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
  };
}

function throughputChart({ times, copies }: PlotData, encodings: Encodings) {
  const { x, colour } = encodings;
  const rates = [...times, ...copies].map(({ gigabytes }) => gigabytes);
  const y = decadesAxis("gigabytes", "keys read and written (GB/s)", rates);
  return {
    width: WIDTH,
    height: HEIGHT,
    layer: [
      { data: { values: times.filter(({ sorts }) => sorts) }, ...lines(y, encodings) },
      {
        data: { values: copies },
        mark: { type: "line" as const, strokeDash: [6, 3], strokeWidth: 1.8 },
        encoding: { x, y: { ...y, aggregate: "median" } as const, color: colour },
      },
    ],
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
