import type { ItemOrder } from "./order.js";

/** What neighbours tell of items in the order in which they stand. */
export interface Neighbours {
  /** Pairs in the wrong order. */
  readonly inversions: number;
  /** The least i such that items i and i + 1 are in the wrong order; undefined if there is none. */
  readonly firstInversion: number | undefined;
  /** Pairs of the same place in the order. */
  readonly duplicates: number;
  readonly firstDuplicate: number | undefined;
}

export function scanNeighbours(items: Uint8Array, order: ItemOrder): Neighbours {
  const view = order.view(items);
  const count = Math.floor(items.length / order.item.bytes);
  const { compare } = order;
  let [inversions, duplicates] = [0, 0];
  let firstInversion: number | undefined;
  let firstDuplicate: number | undefined;
  for (let i = 0; i + 1 < count; i++) {
    const difference = compare(view, i, view, i + 1);
    if (difference > 0) {
      inversions++;
      firstInversion ??= i;
    } else if (difference === 0) {
      duplicates++;
      firstDuplicate ??= i;
    }
  }
  return { inversions, firstInversion, duplicates, firstDuplicate };
}

/** How items a and b, one each, stand to each other: below 0, 0 or above 0. */
export function compareItems(a: Uint8Array, b: Uint8Array, order: ItemOrder): number {
  return order.compare(order.view(a), 0, order.view(b), 0);
}
