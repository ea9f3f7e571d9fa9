import { type BenchRow, type Cell, isMeasured, type Measured } from "../bench/row.js";
import { type Way, ways } from "../bench/way.js";
import { type ElementType, elementType } from "../elements.js";
import { InputError } from "../errors.js";
import type { TableColumn } from "./table.js";
import { formatCount, formatDuration, formatPercent, formatRate, formatRatio } from "./units.js";

/** A column of the benchmark's table. */
export interface BenchColumn extends TableColumn {
  /** As `--columns` names it. */
  readonly name: string;
  /** What must be measured for it. */
  readonly ways: readonly Way[];
  readonly text: (row: BenchRow) => string;
}

const headings: Record<Way, string> = {
  array: "Array .sort",
  typed: "Typed Array .sort",
  gpu: "GPU sort",
  "round-trip": "GPU round trip",
  upload: "upload",
  readback: "readback",
};

/** What else a measured time tells. */
interface Statistic {
  readonly heading: string;
  readonly width: number;
  /** What the number means, for --help. */
  readonly meaning: string;
  readonly text: (cell: Measured, row: BenchRow) => string;
}

const statistics: Record<string, Statistic> = {
  min: {
    heading: "least",
    width: 8,
    meaning: "the least time",
    text: ({ minSeconds }) => formatDuration(minSeconds),
  },
  error: {
    heading: "error",
    width: 6,
    meaning: "half the 95% confidence interval of the median, as a part of it",
    text: ({ relativeError }) => (relativeError === null ? "?" : `±${formatPercent(relativeError)}`),
  },
  runs: { heading: "runs", width: 6, meaning: "timed runs", text: ({ runs }) => formatCount(runs) },
  gkeys: {
    heading: "Gkeys/s",
    width: 7,
    meaning: "10^9 keys a second",
    text: ({ medianSeconds }, { keyCount }) => formatRate(keyCount / medianSeconds / 1e9),
  },
  gbs: {
    heading: "GB/s",
    width: 7,
    meaning: "10^9 bytes a second, every key read once and written once",
    text: (cell, row) => formatRate(bytesPerSecond(cell, row) / 1e9),
  },
  copy: {
    heading: "of copy",
    width: 7,
    meaning: "GB/s as a part of what the copy kernel reaches in the same rounds",
    text: (cell, row) =>
      row.copyBytesPerSecond ? formatPercent(bytesPerSecond(cell, row) / row.copyBytesPerSecond) : "",
  },
};

/** Names that stand for what they are mostly asked of. */
const shorthands: Record<string, string> = { gkeys: "gpu.gkeys", gbs: "gpu.gbs", copy: "gpu.copy" };

/**
 * Bytes that the sort had to move at the least: every key, and its value, read once and written once. By the same count
 * a copy moves its own bytes, so that 100% of it is a sort as fast as a copy.
 */
export function bytesPerSecond(
  { medianSeconds }: Measured,
  { keyCount, type, payloadBytes }: BenchRow,
): number {
  return (2 * keyCount * (elementType(type).bytes + payloadBytes)) / medianSeconds;
}

/**
 * Reads `--columns`: times by their names, what else they tell as in gpu.min, and ratios as in typed/gpu.
 * @throws InputError for a name that is none.
 */
export function parseColumns(text: string): BenchColumn[] {
  return text.split(",").map((name) => parseColumn(name.trim()));
}

function parseColumn(name: string): BenchColumn {
  const full = own(shorthands, name) ?? name;
  const [over, under, ...more] = full.split("/");
  if (under !== undefined && more.length === 0 && isWay(over) && isWay(under))
    return ratio(name, over, under);
  const dot = full.indexOf(".");
  const way = dot < 0 ? full : full.slice(0, dot);
  if (isWay(way)) {
    if (dot < 0) return time(name, way);
    const statistic = own(statistics, full.slice(dot + 1));
    if (statistic) return derived(name, way, statistic);
  }
  throw new InputError(`--columns: unknown column '${name}'`, {
    hint: `use ${ways.join(", ")}; any of them with .${Object.keys(statistics).join(", .")} added; a ratio like typed/gpu; or ${Object.keys(shorthands).join(", ")}`,
  });
}

/** A user's word is looked up among our own only, not among what every object has. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function isWay(name: string | undefined): name is Way {
  return (ways as readonly (string | undefined)[]).includes(name);
}

function time(name: string, way: Way): BenchColumn {
  return {
    name,
    heading: headings[way],
    width: 8,
    align: "right",
    ways: [way],
    text: (row) => timeText(row.cells[way]),
  };
}

/** The median, with a ~ where its error is over the bound and a * where it, or the machine, drifted. */
function timeText(cell: Cell | undefined): string {
  if (!cell) return "";
  if (!isMeasured(cell)) return cell.skipped;
  const drifted = cell.warnings.some((warning) => warning !== "wide");
  return `${formatDuration(cell.medianSeconds)}${drifted ? "*" : cell.warnings.length > 0 ? "~" : ""}`;
}

function derived(name: string, way: Way, { heading, width, text }: Statistic): BenchColumn {
  return {
    name,
    heading: way === "gpu" && name in shorthands ? heading : `${headings[way]} ${heading}`,
    width,
    align: "right",
    ways: [way],
    text: (row) => {
      const cell = row.cells[way];
      return isMeasured(cell) ? text(cell, row) : "";
    },
  };
}

function ratio(name: string, over: Way, under: Way): BenchColumn {
  const short = (way: Way) => way.replace("-", " ");
  return {
    name,
    heading: `${short(over)} / ${short(under)}`,
    width: 6,
    align: "right",
    ways: [over, under],
    text: ({ cells }) => {
      const [a, b] = [cells[over], cells[under]];
      return isMeasured(a) && isMeasured(b) && b.medianSeconds > 0
        ? formatRatio(a.medianSeconds / b.medianSeconds)
        : "";
    },
  };
}

/** As tables and plots name it. */
export function payloadText(payloadBytes: number): string {
  return payloadBytes === 0 ? "none" : `${payloadBytes} B`;
}

/** What stands before the columns: the number of keys, and of the other axes those that have more than one value. */
export function axisColumns(axes: {
  readonly types: readonly ElementType[];
  readonly distributions: readonly string[];
  readonly algorithms: readonly string[];
  readonly payloads: readonly number[];
  readonly sizes: readonly number[];
}): BenchColumn[] {
  const axis = (heading: string, values: readonly string[], text: BenchColumn["text"]): BenchColumn[] =>
    values.length < 2
      ? []
      : [
          {
            name: heading,
            heading,
            width: Math.max(heading.length, ...values.map((value) => value.length)),
            align: "left",
            ways: [],
            text,
          },
        ];
  const keysWidth = formatCount(axes.sizes.at(-1) ?? 0).length;
  return [
    ...axis(
      "type",
      axes.types.map(({ name }) => name),
      ({ type }) => type,
    ),
    ...axis("keys are", axes.distributions, ({ distribution }) => distribution),
    ...axis("payload", axes.payloads.map(payloadText), ({ payloadBytes }) => payloadText(payloadBytes)),
    ...axis("algorithm", axes.algorithms, ({ algorithm }) => algorithm),
    {
      name: "keys",
      heading: "keys",
      width: Math.max(8, keysWidth),
      align: "right",
      ways: [],
      text: ({ keyCount }) => formatCount(keyCount),
    },
  ];
}
