import { type Metric, metrics } from "../bench/metric.js";
import type { Axes } from "../bench/run.js";
import { type BenchRow, type Cell, isMeasured, type Measured, type Warning } from "../bench/schema.js";
import { parseTask } from "../bench/tasks.js";
import { elementType } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { nearestName, ownProperty } from "../core/names.js";
import { axisColumn, type RowColumn } from "./table.js";
import { formatCount, formatDuration, formatPercent, formatRatio, threeDigits } from "./units.js";

/** A column of the benchmark's table. */
export interface BenchColumn extends RowColumn<BenchRow> {
  /** Its name in `--columns`. */
  readonly name: string;
  /** The metrics that must be measured for it. */
  readonly metrics: readonly Metric[];
}

const headings: Record<Metric, string> = {
  array: "Array .sort",
  typed: "Typed Array .sort",
  cpu: "CPU sort",
  gpu: "GPU sort",
  "round-trip": "GPU round trip",
  upload: "upload",
  readback: "readback",
};

/** A statistic of a measured cell, other than its median time. */
interface Statistic {
  readonly heading: string;
  readonly width: number;
  readonly text: (cell: Measured, row: BenchRow) => string;
}

const statistics: Record<string, Statistic> = {
  min: {
    heading: "least",
    width: 8,
    text: ({ minSeconds }) => formatDuration(minSeconds),
  },
  error: {
    heading: "error",
    width: 6,
    text: ({ relativeError }) => (relativeError === null ? "?" : `±${formatPercent(relativeError)}`),
  },
  runs: { heading: "runs", width: 6, text: ({ runs }) => formatCount(runs) },
  gkeys: {
    heading: "Gkeys/s",
    width: 7,
    text: ({ medianSeconds }, { keyCount }) => threeDigits(keyCount / medianSeconds / 1e9),
  },
  gbs: {
    heading: "GB/s",
    width: 7,
    text: (cell, row) => threeDigits(bytesPerSecond(cell, row) / 1e9),
  },
  copy: {
    heading: "of copy",
    width: 7,
    text: (cell, row) =>
      row.copyBytesPerSecond ? formatPercent(bytesPerSecond(cell, row) / row.copyBytesPerSecond) : "",
  },
};

/** Short names for statistics of the GPU's sort. */
const shorthands: Record<string, string> = { gkeys: "gpu.gkeys", gbs: "gpu.gbs", copy: "gpu.copy" };

/**
 * The minimum rate in bytes per second at which the task moves memory: it reads every key and its value at
 * least once, and writes at least those of the result. A copy's rate counts bytes in the same way, so a sort at
 * 100% of it is as fast as a copy.
 */
export function bytesPerSecond(
  { medianSeconds }: Measured,
  { task, keyCount, type, payloadBytes }: BenchRow,
): number {
  const moved = keyCount + parseTask(task).leastWritten(keyCount);
  return (moved * (elementType(type).bytes + payloadBytes)) / medianSeconds;
}

/**
 * Parses `--columns`: a metric shows its time, gpu.min a statistic of a metric, and cpu/gpu a ratio.
 *
 * @throws InputError for an unknown name.
 */
export function parseBenchColumns(text: string): BenchColumn[] {
  return text.split(",").map((name) => parseColumn(name.trim()));
}

function parseColumn(name: string): BenchColumn {
  const full = ownProperty(shorthands, name) ?? name;
  const [over, under, ...more] = full.split("/");
  if (under !== undefined && more.length === 0 && isMetric(over) && isMetric(under))
    return ratio(name, over, under);
  const dot = full.indexOf(".");
  const metric = dot < 0 ? full : full.slice(0, dot);
  if (isMetric(metric)) {
    if (dot < 0) return time(name, metric);
    const statistic = ownProperty(statistics, full.slice(dot + 1));
    if (statistic) return derived(name, metric, statistic);
  }
  const suffixed = metrics.flatMap((one) => Object.keys(statistics).map((suffix) => `${one}.${suffix}`));
  const ratios = metrics.flatMap((one) => metrics.map((other) => `${one}/${other}`));
  const nearest = nearestName(name, [...metrics, ...Object.keys(shorthands), ...suffixed, ...ratios]);
  throw new InputError(`--columns: unknown column '${name}'`, {
    hint: [
      `${nearest === undefined ? "" : `did you mean ${nearest}? `}use ${metrics.join(", ")}`,
      `any of them followed by .${Object.keys(statistics).join(", .")}`,
      "a ratio like cpu/gpu",
      `or ${Object.keys(shorthands).join(", ")}`,
    ].join("; "),
  });
}

function isMetric(name: string | undefined): name is Metric {
  return (metrics as readonly (string | undefined)[]).includes(name);
}

function time(name: string, metric: Metric): BenchColumn {
  return {
    name,
    heading: headings[metric],
    width: 8,
    align: "right",
    metrics: [metric],
    text: (row) => timeText(row.cells[metric]),
  };
}

/** The median, followed by * if the times or the machine drifted, else by ~ if its error is over the bound. */
function timeText(cell: Cell | undefined): string {
  if (!cell) return "";
  if (!isMeasured(cell)) return cell.skipped;
  return `${formatDuration(cell.medianSeconds)}${markOf(cell.warnings)}`;
}

/** The one mark of a cell with these warnings. */
export function markOf(warnings: readonly Warning[]): "*" | "~" | "" {
  if (warnings.some((warning) => warning !== "wide")) return "*";
  return warnings.length > 0 ? "~" : "";
}

function derived(name: string, metric: Metric, { heading, width, text }: Statistic): BenchColumn {
  return {
    name,
    heading: metric === "gpu" && name in shorthands ? heading : `${headings[metric]} ${heading}`,
    width,
    align: "right",
    metrics: [metric],
    text: (row) => {
      const cell = row.cells[metric];
      return isMeasured(cell) ? text(cell, row) : "";
    },
  };
}

function ratio(name: string, over: Metric, under: Metric): BenchColumn {
  const short = (metric: Metric) => metric.replace("-", " ");
  return {
    name,
    heading: `${short(over)} / ${short(under)}`,
    width: 7,
    align: "right",
    metrics: [over, under],
    text: ({ cells }) => {
      const [a, b] = [cells[over], cells[under]];
      return isMeasured(a) && isMeasured(b) && b.medianSeconds > 0
        ? formatRatio(a.medianSeconds / b.medianSeconds)
        : "";
    },
  };
}

/** The name of a payload in tables and plots. */
export function payloadText(payloadBytes: number): string {
  return payloadBytes === 0 ? "none" : `${payloadBytes} B`;
}

/** The columns before the metrics: the other axes that have several values, then the number of keys. */
export function axisColumns(axes: Axes): RowColumn<BenchRow>[] {
  const axis = axisColumn<BenchRow>;
  const keysWidth = formatCount(axes.sizes.at(-1) ?? 0).length;
  return [
    ...axis(
      "task",
      axes.tasks.map(({ name }) => name),
      ({ task }) => task,
    ),
    ...axis(
      "type",
      axes.types.map(({ name }) => name),
      ({ type }) => type,
    ),
    ...axis("keys are", axes.distributions, ({ distribution }) => distribution),
    ...axis("payload", axes.payloads.map(payloadText), ({ payloadBytes }) => payloadText(payloadBytes)),
    ...axis("algorithm", axes.algorithms, ({ algorithm }) => algorithm),
    {
      heading: "keys",
      width: Math.max(8, keysWidth),
      align: "right",
      text: ({ keyCount }) => formatCount(keyCount),
    },
  ];
}
