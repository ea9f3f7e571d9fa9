import Table from "cli-table3";
import { printable } from "../core/printable.js";

/** One column of a table: its heading, and the maximum width of its cells in characters. */
export interface TableColumn {
  readonly heading: string;
  readonly width: number;
  readonly align: "left" | "right";
}

/**
 * A table whose column widths are known before its rows, so that it can be printed row by row while the rows
 * are being measured: the head, then rows, then the foot. Every piece ends with a line break.
 *
 * A table that is wider than `maxWidth` folds: the columns after the first `fixed` ones are stacked on
 * several levels, with as many columns side by side as fit. Headings and rows are stacked alike.
 */
export class StreamedTable {
  readonly #columns: readonly TableColumn[];
  /** For each column of the frame, the indices of the caller's columns that are stacked in it. */
  readonly #stacks: readonly (readonly number[])[];
  #rows = 0;

  constructor(columns: readonly TableColumn[], { maxWidth = Number.POSITIVE_INFINITY, fixed = 1 } = {}) {
    this.#columns = columns;
    this.#stacks = stack(columns, maxWidth, fixed);
  }

  /** The top of the frame, the headings, and the line below them. */
  head(): string {
    const headings = this.#columns.map(({ heading }) => heading);
    return text(this.#render([this.#stacked(headings), this.#blank()]).slice(0, -2));
  }

  row(cells: readonly string[]): string {
    const lines = this.#render([this.#stacked(cells)]).slice(1, -1);
    return text(this.#rows++ > 0 && this.#folded ? [this.#rule(), ...lines] : lines);
  }

  /** The bottom of the frame. */
  foot(): string {
    return text(this.#render([this.#blank()]).slice(-1));
  }

  get #folded(): boolean {
    return this.#stacks.some((columns) => columns.length > 1);
  }

  #rule(): string {
    return this.#render([this.#blank(), this.#blank()])[2]!;
  }

  #blank(): string[] {
    return this.#stacks.map(() => "");
  }

  /** The cells of each stack. Cells of one level begin on the same line. */
  #stacked(cells: readonly string[]): string[] {
    const wrapped = cells.map((cell, i) => wrap(printable(cell), this.#columns[i]!.width));
    const levels = Math.max(...this.#stacks.map((columns) => columns.length));
    const heights = Array.from({ length: levels }, (_, level) =>
      Math.max(1, ...this.#stacks.map((columns) => wrapped[columns[level] ?? -1]?.length ?? 0)),
    );
    return this.#stacks.map((columns) =>
      columns
        .flatMap((column, level) => {
          const lines = wrapped[column]!;
          const isLast = level === columns.length - 1;
          return [...lines, ...Array(isLast ? 0 : heights[level]! - lines.length).fill("")];
        })
        .join("\n"),
    );
  }

  /** The lines of a framed table of these rows. */
  #render(rows: readonly (readonly string[])[]): string[] {
    const table = new Table({
      colWidths: this.#stacks.map((columns) => stackWidth(this.#columns, columns) + 2),
      colAligns: this.#stacks.map(([first]) => this.#columns[first!]!.align),
      style: { head: [], border: [] },
    });
    table.push(...rows.map((row) => [...row]));
    return table.toString().split("\n");
  }
}

/** A column that knows its cells. */
export interface RowColumn<Row> extends TableColumn {
  readonly text: (row: Row) => string;
}

/** The column of an axis, as wide as its values need; none if they are all the same. */
export function axisColumn<Row>(
  heading: string,
  values: readonly string[],
  text: (row: Row) => string,
): RowColumn<Row>[] {
  if (new Set(values).size < 2) return [];
  return [
    { heading, width: Math.max(...[heading, ...values].map(({ length }) => length)), align: "left", text },
  ];
}

/** A streamed table of what its columns say of each row. The axes stay side by side if it folds. */
export class ColumnTable<Row> {
  readonly #table: StreamedTable;
  readonly #columns: readonly RowColumn<Row>[];

  constructor(axes: readonly RowColumn<Row>[], columns: readonly RowColumn<Row>[], maxWidth: number) {
    this.#columns = [...axes, ...columns];
    this.#table = new StreamedTable(this.#columns, { maxWidth, fixed: axes.length });
  }

  head(): string {
    return this.#table.head();
  }

  row(row: Row): string {
    return this.#table.row(this.#columns.map(({ text }) => text(row)));
  }

  foot(): string {
    return this.#table.foot();
  }
}

/** Stacks the columns on the smallest number of levels with which the table fits. */
function stack(columns: readonly TableColumn[], maxWidth: number, fixed: number): number[][] {
  const single = columns.map((_, i) => [i]);
  for (let levels = 1; ; levels++) {
    const slots = Math.ceil((columns.length - fixed) / levels);
    const folded = Array.from({ length: slots }, (_, slot) =>
      columns.flatMap((_, i) => (i >= fixed && (i - fixed) % slots === slot ? [i] : [])),
    );
    const stacks = [...single.slice(0, fixed), ...folded];
    const width = stacks.reduce((sum, one) => sum + stackWidth(columns, one) + 3, 1);
    if (width <= maxWidth || slots <= 1) return stacks;
  }
}

function stackWidth(columns: readonly TableColumn[], stacked: readonly number[]): number {
  return Math.max(...stacked.map((column) => columns[column]!.width));
}

/** Breaks a cell into lines of whole words. A word that is longer than a line is cut. */
function wrap(cell: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of cell.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(...(word.match(new RegExp(`.{1,${width}}`, "gu")) ?? [""]));
  }
  return lines;
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** A whole table without a frame, as wide as its cells need. */
export function plainTable(
  rows: readonly (readonly string[])[],
  aligns: readonly TableColumn["align"][],
): string {
  const none = Object.fromEntries(
    ["top", "bottom", "left", "right", "mid"].flatMap((part) =>
      ["", "-mid", "-left", "-right"].map((end) => [part + end, ""]),
    ),
  );
  const table = new Table({
    chars: { ...none, middle: "" },
    colAligns: [...aligns],
    style: { head: [], border: [], "padding-left": 2, "padding-right": 0 },
  });
  table.push(...rows.map((row) => row.map(printable)));
  const lines = table.toString().split("\n");
  return text(lines.map((line) => line.trimEnd()));
}
