import type { Column } from "./column.js";
import { take } from "./take.js";

/**
 * Finds the rows of a column that have no equal one before them. Rows of nested columns all count as
 * different.
 *
 * @returns these rows as a column, and for each row of the input its place among them.
 */
export function distinctRows(column: Column): { column: Column; places: Uint32Array } {
  const places = new Uint32Array(column.length);
  const kept: number[] = [];
  const seen = new Map<string | null | number, number>();
  for (let row = 0; row < column.length; row++) {
    const key = column.valid?.[row] === 0 ? null : keyOf(column, row);
    let place = seen.get(key);
    if (place === undefined) {
      place = kept.length;
      seen.set(key, place);
      kept.push(row);
    }
    places[row] = place;
  }
  return { column: take(column, Uint32Array.from(kept)), places };
}

function keyOf(column: Column, row: number): string | number {
  if (column.kind === "bool") return column.values[row]!;
  if (column.kind !== "bytes" && column.kind !== "fixed") return row;
  const [start, end] =
    column.kind === "bytes"
      ? [column.offsets[row]!, column.offsets[row + 1]!]
      : [row * column.width, (row + 1) * column.width];
  return Buffer.from(column.values.buffer, column.values.byteOffset + start, end - start).toString("latin1");
}
