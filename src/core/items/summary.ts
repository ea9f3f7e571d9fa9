import { addChecksums, type Checksum } from "./checksum.js";
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

/** What one scan over items found about their order. */
export interface OrderSummary {
  readonly count: number;
  /** The number of neighbours in the wrong order. */
  readonly inversions: number;
  /** The least i such that items i and i + 1 are in the wrong order; undefined if there is none. */
  readonly firstInversion: number | undefined;
  /**
   * The number of items that are equal to the item before them: all duplicates, if the items are in order.
   */
  readonly duplicates: number;
  /** The first item; undefined if there are no items. */
  readonly first: Uint8Array | undefined;
  /** The last item; undefined if there are no items. */
  readonly last: Uint8Array | undefined;
}

/**
 * What one scan over items found. The summaries of the parts of a file combine to the summary of the file.
 */
export interface Summary extends OrderSummary {
  readonly checksum: Checksum;
}

export const emptyOrder: OrderSummary = {
  count: 0,
  inversions: 0,
  firstInversion: undefined,
  duplicates: 0,
  first: undefined,
  last: undefined,
};

export const emptySummary: Summary = { ...emptyOrder, checksum: [0, 0] };

/**
 * Combines the summaries of two adjacent parts, `a` before `b`. It is associative, so any grouping of parts
 * works.
 */
export function combine(a: Summary, b: Summary, order: ItemOrder): Summary {
  return { ...combineOrders(a, b, order), checksum: addChecksums(a.checksum, b.checksum) };
}

/** Combines what is known of the order of two adjacent parts, `a` before `b`. */
export function combineOrders(a: OrderSummary, b: OrderSummary, order: ItemOrder): OrderSummary {
  if (a.count === 0) return b;
  if (b.count === 0) return a;
  const seam = compareItems(a.last!, b.first!, order);
  const firstInB = b.firstInversion === undefined ? undefined : a.count + b.firstInversion;
  return {
    count: a.count + b.count,
    inversions: a.inversions + b.inversions + (seam > 0 ? 1 : 0),
    firstInversion: a.firstInversion ?? (seam > 0 ? a.count - 1 : firstInB),
    duplicates: a.duplicates + b.duplicates + (seam === 0 ? 1 : 0),
    first: a.first,
    last: b.last,
  };
}
