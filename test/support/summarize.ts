import { checksum } from "../../src/core/items/checksum.js";
import type { ItemOrder } from "../../src/core/items/order.js";
import { emptySummary, type Summary, scanNeighbours } from "../../src/core/items/summary.js";

/** Summarizes items in plain JavaScript, at once. */
export function summarize(items: Uint8Array, order: ItemOrder): Summary {
  if (items.length === 0) return emptySummary;
  const { item } = order;
  return {
    count: items.length / item.bytes,
    ...scanNeighbours(items, order),
    checksum: checksum(items, item),
    first: items.slice(0, item.bytes),
    last: items.slice(-item.bytes),
  };
}
