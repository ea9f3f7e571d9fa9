import Table from "cli-table3";

/** One column of a table: its heading, and how wide its cells may be at the most, in characters. */
export interface TableColumn {
  readonly heading: string;
  readonly width: number;
  readonly align: "left" | "right";
}

/**
 * A table whose columns' widths are known before its rows, so that it can be printed row by row while the rows
 * are being measured: head, then rows, then foot. Every piece ends its line.
 *
 * Where it is wider than it may be, it folds: after the first `fixed` columns, the others stand above one another, as
 * many in a row as there is room for, in the headings as in the rows.
 */
export class StreamedTable {
  readonly #columns: readonly TableColumn[];
  /** What stands above one another in each column of the frame, by the numbers of the caller's columns. */
  readonly #stacks: readonly (readonly number[])[];
  #rows = 0;

  constructor(columns: readonly TableColumn[], { most = Number.POSITIVE_INFINITY, fixed = 1 } = {}) {
    this.#columns = columns;
    this.#stacks = stack(columns, most, fixed);
  }

  /** The frame's top, the headings, and the rule below them. */
  head(): string {
    const headings = this.#columns.map(({ heading }) => heading);
    return text(this.#render([this.#stacked(headings), this.#blank()]).slice(0, -2));
  }

  row(cells: readonly string[]): string {
    const lines = this.#render([this.#stacked(cells)]).slice(1, -1);
    return text(this.#rows++ > 0 && this.#folded ? [this.#rule(), ...lines] : lines);
  }

  /** The frame's bottom. */
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

  /** The cells of each stack, those of one storey beginning on one line. */
  #stacked(cells: readonly string[]): string[] {
    const wrapped = cells.map((cell, i) => wrap(cell, this.#columns[i]!.width));
    const storeys = Math.max(...this.#stacks.map((columns) => columns.length));
    const heights = Array.from({ length: storeys }, (_, storey) =>
      Math.max(1, ...this.#stacks.map((columns) => wrapped[columns[storey] ?? -1]?.length ?? 0)),
    );
    return this.#stacks.map((columns) =>
      columns
        .flatMap((column, storey) => {
          const lines = wrapped[column]!;
          const last = storey === columns.length - 1;
          return [...lines, ...Array(last ? 0 : heights[storey]! - lines.length).fill("")];
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

/** As few columns above one another as make the table fit. */
function stack(columns: readonly TableColumn[], most: number, fixed: number): number[][] {
  const single = columns.map((_, i) => [i]);
  for (let storeys = 1; ; storeys++) {
    const slots = Math.ceil((columns.length - fixed) / storeys);
    const folded = Array.from({ length: slots }, (_, slot) =>
      columns.flatMap((_, i) => (i >= fixed && (i - fixed) % slots === slot ? [i] : [])),
    );
    const stacks = [...single.slice(0, fixed), ...folded];
    const width = stacks.reduce((sum, one) => sum + stackWidth(columns, one) + 3, 1);
    if (width <= most || slots <= 1) return stacks;
  }
}

function stackWidth(columns: readonly TableColumn[], stacked: readonly number[]): number {
  return Math.max(...stacked.map((column) => columns[column]!.width));
}

/** Lines of whole words, as many on each as fit; a word that fits none is cut. */
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

/** A whole table at once, without a frame and as wide as its cells. */
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
  table.push(...rows.map((row) => [...row]));
  const lines = table.toString().split("\n");
  return text(lines.map((line) => line.trimEnd()));
}
