import type { RowOrder } from "./order/row_order.js";

/** A row without its terminator. */
export function contentOf(row: Uint8Array, { terminator }: RowOrder): Uint8Array {
  return row.at(-1) === terminator ? row.subarray(0, -1) : row;
}
