import type { EndToEnd } from "../bench/end_to_end.js";
import type { Axes } from "../bench/run.js";
import type { PhaseName } from "../core/streams/phase_clock.js";
import { axisColumn, ColumnTable, type RowColumn } from "./table.js";
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

/** A table of the whole command's phases, one row per file. Rows are printed as they are measured. */
export class EndToEndTable extends ColumnTable<EndToEnd> {
  constructor({ types, distributions, sizes }: Axes, maxWidth: number) {
    const names = types.map(({ name }) => name);
    const axes: RowColumn<EndToEnd>[] = [
      ...axisColumn<EndToEnd>("type", names, ({ type }) => type),
      ...axisColumn<EndToEnd>("keys are", distributions, ({ distribution }) => distribution),
      {
        heading: "keys",
        width: Math.max(4, formatCount(sizes.at(-1) ?? 0).length),
        align: "right",
        text: ({ keyCount }) => formatCount(keyCount),
      },
    ];
    const columns: RowColumn<EndToEnd>[] = [
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
    super(axes, columns, maxWidth);
  }
}

function time(heading: string, ms: (row: EndToEnd) => number | undefined): RowColumn<EndToEnd> {
  const text = (row: EndToEnd) => {
    const value = ms(row);
    return value === undefined ? "" : formatDuration(value / 1000);
  };
  return { heading, width: 8, align: "right", text };
}

export const endToEndNote = [
  "Times are medians of whole runs of `gpusort sort FILE`, with the file in the page cache.\n",
  "Phases overlap. total: from the command's first line of code to the published output;\n",
  "process: from the start of Node to its end; error: the error of process.\n",
].join("");
