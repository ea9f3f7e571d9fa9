import type { ItemOrder } from "./order.js";

/** What comparing each item with the next one found. */
export interface Neighbours {
  /** The number of neighbours in the wrong order. */
  readonly inversions: number;
  /** The least i such that items i and i + 1 are in the wrong order; undefined if there is none. */
  readonly firstInversion: number | undefined;
  /** The number of neighbours that are equal in the order. */
  readonly duplicates: number;
}

export function scanNeighbours(items: Uint8Array, order: ItemOrder): Neighbours {
  const view = order.view(items);
  const count = Math.floor(items.length / order.item.bytes);
  const { compare } = order;
  let [inversions, duplicates] = [0, 0];
  let firstInversion: number | undefined;
  for (let i = 0; i + 1 < count; i++) {
    const difference = compare(view, i, view, i + 1);
    if (difference > 0) {
      inversions++;
      firstInversion ??= i;
    } else if (difference === 0) duplicates++;
  }
  return { inversions, firstInversion, duplicates };
}

/**
 * @param distinct whether equal items must not follow each other either.
 * @returns the least i such that items i and i + 1 must not follow each other; undefined if there is none.
 */
export function firstFault(items: Uint8Array, order: ItemOrder, distinct: boolean): number | undefined {
  const view = order.view(items);
  const count = Math.floor(items.length / order.item.bytes);
  for (let i = 0; i + 1 < count; i++) {
    const difference = order.compare(view, i, view, i + 1);
    if (difference > 0 || (distinct && difference === 0)) return i;
  }
  return undefined;
}

/**
 * Compares two items.
 *
 * @returns below 0 if `a` comes first, above 0 if `b` comes first, 0 if they are equal.
 */
export function compareItems(a: Uint8Array, b: Uint8Array, order: ItemOrder): number {
  return order.compare(order.view(a), 0, order.view(b), 0);
}
