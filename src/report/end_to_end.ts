import type { EndToEnd } from "../bench/end_to_end.js";
import type { Axes } from "../bench/run.js";
import type { PhaseName } from "../core/streams/phase_clock.js";
import { StreamedTable, type TableColumn } from "./table.js";
import { formatCount, formatDuration, formatPercent } from "./units.js";

/**
 * The phases of each column, in the order of a sort. A GPU verifies, the CPU converts and verifies at the
 * same time.
 */
const phaseColumns: readonly (readonly PhaseName[])[] = [
  ["start"],
  ["prepare"],
  ["read"],
  ["upload"],
  ["verify", "convert"],
  ["sort"],
  ["readback"],
  ["write"],
  ["publish"],
];

interface Column extends TableColumn {
  readonly text: (row: EndToEnd) => string;
}

/** A table of the whole command's phases, one row per file. Rows are printed as they are measured. */
export class EndToEndTable {
  readonly #table: StreamedTable;
  readonly #columns: readonly Column[];

  constructor({ types, distributions, sizes }: Axes, maxWidth: number) {
    const axis = (heading: string, values: readonly string[], text: Column["text"]): Column[] =>
      values.length < 2
        ? []
        : [
            {
              heading,
              width: Math.max(heading.length, ...values.map(({ length }) => length)),
              align: "left",
              text,
            },
          ];
    const axes: Column[] = [
      ...axis(
        "type",
        types.map(({ name }) => name),
        ({ type }) => type,
      ),
      ...axis("keys are", distributions, ({ distribution }) => distribution),
      {
        heading: "keys",
        width: Math.max(4, formatCount(sizes.at(-1) ?? 0).length),
        align: "right",
        text: ({ keyCount }) => formatCount(keyCount),
      },
    ];
    const time = (heading: string, ms: (row: EndToEnd) => number | undefined): Column => ({
      heading,
      width: 8,
      align: "right",
      text: (row) => {
        const value = ms(row);
        return value === undefined ? "" : formatDuration(value / 1000);
      },
    });
    this.#columns = [
      ...axes,
      ...phaseColumns.map((names) =>
        time(names.join(", "), ({ phases }) => phases.find(({ name }) => names.includes(name))?.medianMs),
      ),
      time("total", ({ totalMs }) => totalMs),
      time("process", ({ processMs }) => processMs),
      {
        heading: "error",
        width: 8,
        align: "right",
        text: ({ relativeError }) => (relativeError === null ? "?" : `±${formatPercent(relativeError)}`),
      },
    ];
    this.#table = new StreamedTable(this.#columns, { maxWidth, fixed: axes.length });
  }

  head(): string {
    return this.#table.head();
  }

  row(row: EndToEnd): string {
    return this.#table.row(this.#columns.map(({ text }) => text(row)));
  }

  foot(): string {
    return this.#table.foot();
  }
}

export const endToEndNote = [
  "Times are medians of whole runs of `gpusort sort FILE`, with the file in the page cache.\n",
  "Phases overlap. total: from the command's first line of code to the published output;\n",
  "process: from the start of Node to its end; error: the error of process.\n",
].join("");
