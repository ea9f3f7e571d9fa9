import type { DeviceKey } from "../core/engines/gpu_rows.js";
import { keysOf } from "./order_words.js";
import type { RowKey, RowOrder } from "./row_order.js";

/** Which rows are written. */
interface WantedRows {
  readonly unique?: boolean | undefined;
  readonly head?: number | undefined;
}

/** Why a device does not sort rows in such an order, to follow "as"; undefined if it does. */
export function unsuitedForDevice(order: RowOrder, { unique, head }: WantedRows): string | undefined {
  if (unique) return "duplicates are dropped";
  if (head !== undefined) return "only the first rows are wanted";
  for (const [i, { compare, foldCase, ignore, invalid }] of keysOf(order).entries()) {
    if (compare !== "bytes" && compare !== "decimal") return `a key is compared as ${compare}`;
    if (foldCase || ignore) return "a key is compared without some bytes or their case";
    if (invalid === "error" && i > 0) return "every value of a column must be a number";
  }
  return undefined;
}

/** The keys of an order that `unsuitedForDevice` lets pass. */
export function deviceKeys(order: RowOrder): DeviceKey[] {
  return keysOf(order).map(({ compare, descending = false, invalid }: RowKey) => ({
    isBytes: compare === "bytes",
    descending,
    reportsInvalid: invalid === "error",
  }));
}
