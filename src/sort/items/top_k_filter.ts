import type { ItemOrder } from "../../core/items/order.js";

/** Finds the items that go before a bound. */
export interface CandidateFilter {
  /** Where the items are to be. They are overwritten. */
  readonly windows: readonly Uint8Array<ArrayBuffer>[];
  /**
   * Moves the items that go before the bound within a window.
   *
   * @param items a part of a window.
   * @param bound an item.
   * @returns these items, in parts of the window.
   */
  keepBefore(items: Uint8Array<ArrayBuffer>, bound: Uint8Array): Promise<Uint8Array<ArrayBuffer>[]>;
}

/** Compares items one by one. For keys, the kernels of `KeyFilter` are faster. */
export function comparingFilter(order: ItemOrder, windows: number, windowBytes: number): CandidateFilter {
  return {
    windows: Array.from({ length: windows }, () => new Uint8Array(windowBytes)),
    async keepBefore(items, bound) {
      const size = order.itemBytes;
      const view = order.view(items);
      const limit = order.view(bound);
      let kept = 0;
      for (let at = 0; at < items.length; at += size) {
        if (order.compare(view, at / size, limit, 0) >= 0) continue;
        items.copyWithin(kept, at, at + size);
        kept += size;
      }
      return kept === 0 ? [] : [items.subarray(0, kept)];
    },
  };
}
