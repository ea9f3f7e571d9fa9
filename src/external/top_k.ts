import type { SortReport } from "../core/engines/engine.js";
import type { ItemView } from "../core/items/order.js";
import { HeadSink } from "../core/streams/head_sink.js";
import type { ItemSink, ItemStream } from "../core/streams/item_stream.js";
import { memorySink } from "../core/streams/memory.js";
import { UniqueSink } from "../core/streams/unique_sink.js";
import type { ItemSorter } from "./item_sorter.js";

export interface TopKOptions {
  readonly sorter: ItemSorter;
  /** The number of items to find, at least 1. */
  readonly count: number;
  /** Whether only the first of the items with equal keys counts. */
  readonly unique: boolean;
  /** The number of candidates kept at a time: more than `count`, at most the sorter's capacity. */
  readonly candidates: number;
}

const PIECE_BYTES = 8 << 20;

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
  const { sorter, count, unique } = options;
  const { order } = sorter;
  const size = order.itemBytes;
  const candidates = new Uint8Array(options.candidates * size);
  const kept = new Uint8Array(count * size);
  const piece = new Uint8Array(Math.max(size, PIECE_BYTES - (PIECE_BYTES % size)));
  let filled = 0;
  let seen = 0;
  let threshold: ItemView | undefined;

  const sortCandidates = async (to: ItemSink): Promise<{ bytes: number; report: SortReport }> => {
    const head = new HeadSink(count * size, to);
    const first = unique ? new UniqueSink(order, head) : head;
    const report = await sorter.sortBuffer(candidates.subarray(0, filled), first);
    return { bytes: head.bytes, report };
  };

  for (;;) {
    const bytes = await input.next(piece);
    seen += bytes / size;
    const view = order.view(piece);
    for (let i = 0; i * size < bytes; i++) {
      if (threshold && order.compare(view, i, threshold, 0) >= 0) continue;
      candidates.set(piece.subarray(i * size, (i + 1) * size), filled);
      filled += size;
      if (filled < candidates.length) continue;
      filled = (await sortCandidates(memorySink(kept))).bytes;
      candidates.set(kept.subarray(0, filled));
      if (filled === kept.length) threshold = order.view(kept.slice(-size));
    }
    if (bytes < piece.length) break;
  }
  return { ...(await sortCandidates(sink)).report, keyCount: seen };
}
