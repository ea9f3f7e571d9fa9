import {
  type BenchRow,
  type Crossover,
  isMeasured,
  OVER,
  type StopRule,
  type Warning,
} from "../bench/schema.js";
import { median } from "../bench/statistics.js";
import { printable } from "../core/printable.js";
import { markOf } from "./columns.js";
import { crossoverLines } from "./crossovers.js";
import type { RowColumn } from "./table.js";
import { formatBytes, formatCount, formatPercent } from "./units.js";

/** Explains the stop rule. It is printed above every table. */
export function stopRuleText({ relativeError, budgetSeconds }: StopRule): string {
  return [
    "A time is the median of rounds. Every round measures all columns in turn.\n",
    "A cell is done after at least 24 rounds, when the 95% confidence interval of its\n",
    `median is within ±${formatPercent(relativeError)}, or when its part of the time is spent: the whole table\n`,
    `has ${formatCount(budgetSeconds)} s (--budget). Every cell's last result is checked.\n`,
  ].join("");
}

const meanings: Record<Warning, string> = {
  wide: "the error of the median is over the bound, or unknown because there were too few rounds",
  drift: "the times moved by more than 5% during the measurement",
  clock: "the machine's own speed moved by more than 5% during the measurement",
};

/**
 * Explains the marks in the rows, and says how fast the device copies and from how many keys the GPU wins.
 */
export function benchNotes(
  rows: readonly BenchRow[],
  crossovers: readonly Crossover[],
  device: string,
): string {
  const cells = rows.flatMap((row) => Object.values(row.cells));
  const shown = cells.flatMap((cell) => {
    const warnings = isMeasured(cell) ? cell.warnings : [];
    return warnings.filter((warning) => markOf([warning]) === markOf(warnings));
  });
  const isOver = cells.some((cell) => !isMeasured(cell) && cell.skipped.startsWith(OVER));
  const marks = (Object.keys(meanings) as Warning[]).filter((warning) => shown.includes(warning));
  const rates = rows.flatMap(({ copyBytesPerSecond }) => copyBytesPerSecond ?? []);
  const maxRate = Math.max(...rates);
  return [
    ...marks.map((warning) => `${markOf([warning])} ${meanings[warning]}\n`),
    ...(isOver
      ? ["over … s: a single sort would take longer, for which the time does not suffice (--budget)\n"]
      : []),
    ...(rates.length > 0 ? [`The copy kernel reads and writes ${formatBytes(maxRate)}/s at best.\n`] : []),
    ...crossoverLines(crossovers, device),
  ].join("");
}

/** The rows as a Markdown table. */
export function markdownTable(rows: readonly BenchRow[], columns: readonly RowColumn<BenchRow>[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return [
    line(columns.map(({ heading }) => heading)),
    line(columns.map(({ align }) => (align === "right" ? "---:" : "---"))),
    ...rows.map((row) => line(columns.map(({ text }) => text(row)))),
  ].join("");
}

const csvHeadings = [
  "task",
  "type",
  "distribution",
  "payload_bytes",
  "algorithm",
  "keys",
  "purpose",
  "way",
  "median_s",
  "low_s",
  "high_s",
  "min_s",
  "max_s",
  "relative_error",
  "runs",
  "rounds",
  "stop",
  "warnings",
  "reference_s",
  "copy_bytes_per_s",
  "skipped",
];

/** One line per cell, always with all columns, for spreadsheets and data frames (RFC 4180). */
export function csv(rows: readonly BenchRow[]): string {
  const lines = rows.flatMap(({ cells, copyBytesPerSecond, ...row }) => {
    const { task, type, distribution, payloadBytes, algorithm, keyCount, purpose } = row;
    const point = [task, type, distribution, payloadBytes, algorithm, keyCount, purpose];
    return Object.entries(cells).map(([metric, cell]) => {
      if (!isMeasured(cell)) return [...point, metric, ...Array(12).fill(""), cell.skipped];
      const { medianSeconds, lowSeconds, highSeconds, minSeconds, maxSeconds, relativeError, runs } = cell;
      const times = [medianSeconds, lowSeconds, highSeconds, minSeconds, maxSeconds, relativeError, runs];
      const { roundSeconds, stop, warnings, roundReferenceSeconds: references } = cell;
      const reference = references.length > 0 ? median(references) : null;
      const rounds = [roundSeconds.length, stop, warnings.join(" "), reference];
      return [...point, metric, ...times, ...rounds, copyBytesPerSecond, ""];
    });
  });
  return [csvHeadings, ...lines].map((line) => `${line.map(csvField).join(",")}\r\n`).join("");
}

function csvField(value: string | number | null): string {
  const text = value === null ? "" : printable(String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
