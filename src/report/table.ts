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
 */
export class StreamedTable {
  readonly #columns: readonly TableColumn[];

  constructor(columns: readonly TableColumn[]) {
    this.#columns = columns;
  }

  /** The frame's top, the headings, and the rule below them. */
  head(): string {
    const headings = this.#columns.map(({ heading }) => heading);
    const ruled = this.#render([headings, this.#blank()]);
    return text(ruled.slice(0, -2));
  }

  row(cells: readonly string[]): string {
    return text(this.#render([cells]).slice(1, -1));
  }

  /** The frame's bottom. */
  foot(): string {
    return text(this.#render([this.#blank()]).slice(-1));
  }

  #blank(): string[] {
    return this.#columns.map(() => "");
  }

  /** The lines of a framed table of these rows. */
  #render(rows: readonly (readonly string[])[]): string[] {
    const table = new Table({
      colWidths: this.#columns.map(({ width }) => width + 2),
      colAligns: this.#columns.map(({ align }) => align),
      wordWrap: true,
      style: { head: [], border: [] },
    });
    table.push(...rows.map((row) => [...row]));
    return table.toString().split("\n");
  }
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
