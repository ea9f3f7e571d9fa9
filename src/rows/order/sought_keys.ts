import type { RowKey, RowOrder } from "./row_order.js";

/**
 * How many keys have to be found in each row, or read as something else than its bytes. None, if rows are compared
 * from their first byte on.
 */
export function soughtKeys({ keys }: RowOrder): number {
  return keys.filter((key) => !isRow(key)).length;
}

/** Whether a key is the row itself, byte by byte. */
function isRow({ begin, end, compare, foldCase = false, ignore }: RowKey): boolean {
  const isWhole = begin.field === 0 && begin.offset === 0 && !begin.skipBlanks && end === undefined;
  return isWhole && compare === "bytes" && !foldCase && ignore === undefined;
}
