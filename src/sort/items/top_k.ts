import type { KernelRunner } from "../../core/cpu/runner.js";
import { KeyFilter } from "../../core/cpu/sort/key_filter.js";
import type { SortReport } from "../../core/engines/engine.js";
import type { ItemOrder } from "../../core/items/order.js";
import { type ItemSink, type ItemStream, memorySink } from "../../core/streams/item_stream.js";
import { HeadSink, UniqueSink } from "../../core/streams/sinks.js";
import type { ItemSorter } from "./item_sorter.js";

export interface TopKOptions {
  readonly sorter: ItemSorter;
  readonly descending: boolean;
  /** The number of items to find, at least 1. */
  readonly count: number;
  /** Whether only the first of the items with equal keys counts. */
  readonly unique: boolean;
  /** The number of candidates kept at a time: more than `count`, at most the sorter's capacity. */
  readonly candidates: number;
  /** Compares keys. Without it, and for records, this thread compares them one by one. */
  readonly runner?: KernelRunner | undefined;
  /** How many calls of `next` may run at a time. Default: 1. */
  readonly reads?: number;
}

const WINDOW_BYTES = 8 << 20;

/** The number of candidates to keep at a time so that few sorts are needed. */
export function candidatesFor(count: number): number {
  return Math.max(4 * count, 1 << 20);
}

/**
 * Finds the first `count` items of the sorted order without sorting all items, and ends the sink. It collects
 * candidates until there are `candidates` of them, sorts these, and keeps the first `count`. From then on, an
 * item is a candidate only if it goes before the last kept one. In random order hardly any item does, so this
 * takes about one comparison per item. The worst case is reverse order: then it sorts all items, in parts.
 *
 * @returns the report of the last sort, with the total number of items.
 */
export async function sortTopK(input: ItemStream, sink: ItemSink, options: TopKOptions): Promise<SortReport> {
  const { sorter, count, unique, reads = 1 } = options;
  const { order } = sorter;
  const size = order.itemBytes;
  const candidates = new Uint8Array(options.candidates * size);
  const kept = new Uint8Array(count * size);
  const filter = filterFor(input, options);
  let filled = 0;
  let seen = 0;
  let bound: Uint8Array | undefined;

  const sortCandidates = async (to: ItemSink): Promise<{ bytes: number; report: SortReport }> => {
    const head = new HeadSink(count * size, to);
    const first = unique && !sorter.selects ? new UniqueSink(order, head) : head;
    const report = await sorter.sortBuffer(candidates.subarray(0, filled), first, { unique, head: count });
    return { bytes: head.bytes, report };
  };
  const beforeBound = (items: Uint8Array<ArrayBuffer>) => (bound ? filter.keepBefore(items, bound) : [items]);
  const collect = async (items: Uint8Array<ArrayBuffer>): Promise<void> => {
    for (const part of await beforeBound(items)) {
      const fits = part.subarray(0, candidates.length - filled);
      candidates.set(fits, filled);
      filled += fits.length;
      if (filled < candidates.length) continue;
      filled = (await sortCandidates(memorySink(kept))).bytes;
      candidates.set(kept.subarray(0, filled));
      if (filled === kept.length) bound = kept.slice(-size);
      await collect(part.subarray(fits.length)); // now fewer of them are candidates
    }
  };

  const { windows } = filter;
  const read = (window: Uint8Array<ArrayBuffer>) => {
    const arriving = input.next(window);
    arriving.catch(() => {}); // it may fail while another read is awaited
    return arriving;
  };
  const reading = windows.slice(0, reads).map(read);
  try {
    for (let turn = 0; ; turn++) {
      const window = windows[turn % windows.length]!;
      const bytes = await reading.shift()!;
      const ended = bytes < window.length;
      if (!ended) reading.push(read(windows[(turn + reads) % windows.length]!));
      seen += bytes / size;
      await collect(window.subarray(0, bytes));
      if (ended) break;
    }
  } finally {
    await Promise.allSettled(reading);
  }
  return { ...(await sortCandidates(sink)).report, keyCount: seen };
}

/** While one window is filtered, the others are filled. */
function filterFor({ itemCount }: ItemStream, options: TopKOptions): CandidateFilter {
  const { sorter, descending, candidates, runner, reads = 1 } = options;
  const { item, itemBytes } = sorter.order;
  const expected = (itemCount ?? Number.POSITIVE_INFINITY) * itemBytes;
  const most = Math.min(WINDOW_BYTES, expected + itemBytes);
  const bytes = Math.max(itemBytes, most - (most % itemBytes));
  const isSmall = itemCount !== undefined && itemCount <= candidates; // nothing is compared with a bound
  if (item.kind === "record" || !runner || isSmall) return comparingFilter(sorter.order, reads + 1, bytes);
  return new KeyFilter(runner, { type: item.type, descending }, reads + 1, bytes, expected);
}

/** Finds the items that go before a bound. */
interface CandidateFilter {
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
function comparingFilter(order: ItemOrder, windows: number, windowBytes: number): CandidateFilter {
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
