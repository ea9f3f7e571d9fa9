import type { Column } from "./column.js";
import { joinColumns } from "./join.js";
import { take } from "./take.js";

/**
 * Collects the rows of columns that have no equal one before them. Rows of nested columns all count as
 * different.
 */
export class DistinctRows {
  readonly #seen = new Map<string | null | number, number>();
  #kept: Column[] = [];
  #nested = 0;

  /** The number of rows that were kept. */
  get length(): number {
    return this.#seen.size;
  }

  /** @returns for each row of the column its place among the rows that are kept. */
  add(column: Column): Uint32Array {
    const places = new Uint32Array(column.length);
    const added: number[] = [];
    for (let row = 0; row < column.length; row++) {
      const key = column.valid?.[row] === 0 ? null : (keyOf(column, row) ?? this.#nested++);
      let place = this.#seen.get(key);
      if (place === undefined) {
        place = this.#seen.size;
        this.#seen.set(key, place);
        added.push(row);
      }
      places[row] = place;
    }
    if (added.length > 0 || this.#kept.length === 0) this.#kept.push(take(column, Uint32Array.from(added)));
    return places;
  }

  /** The rows that were kept, in the order in which they came. Call it after the first `add`. */
  column(): Column {
    if (this.#kept.length > 1) this.#kept = [joinColumns(this.#kept)];
    return this.#kept[0]!;
  }
}

/** @returns undefined if the column is nested. */
function keyOf(column: Column, row: number): string | number | undefined {
  if (column.kind === "bool") return column.values[row]!;
  if (column.kind !== "bytes" && column.kind !== "fixed") return undefined;
  const [start, end] =
    column.kind === "bytes"
      ? [column.offsets[row]!, column.offsets[row + 1]!]
      : [row * column.width, (row + 1) * column.width];
  return Buffer.from(column.values.buffer, column.values.byteOffset + start, end - start).toString("latin1");
}
