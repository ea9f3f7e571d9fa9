import type { DeviceKey } from "../core/engines/gpu_rows.js";
import { keysOf } from "./order_words.js";
import type { RowKey, RowOrder } from "./row_order.js";

/** Which rows are written. */
interface WantedRows {
  readonly unique?: boolean | undefined;
  readonly head?: number | undefined;
  readonly argsort?: boolean | undefined;
  readonly merge?: boolean | undefined;
}

/** Why a device does not sort rows in such an order, to follow "as"; undefined if it does. */
export function unsuitedForDevice(order: RowOrder, wanted: WantedRows): string | undefined {
  if (wanted.unique) return "duplicates are dropped";
  if (wanted.head !== undefined) return "only the first rows are wanted";
  if (wanted.argsort) return "their numbers are wanted";
  if (wanted.merge) return "sorted inputs are merged";
  for (const [i, { compare, foldCase, ignore, invalid, required }] of keysOf(order).entries()) {
    if (compare !== "bytes" && compare !== "decimal") return `a key is compared as ${compare}`;
    if (foldCase || ignore) return "a key is compared without some bytes or their case";
    if (required) return "every row must have the column";
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
