import type { ItemView } from "../keys/order.js";
import { HeadSink, UniqueSink } from "../keys/sinks.js";
import type { KeySink, SortReport } from "./engine.js";
import type { ItemStream } from "./external.js";
import { type ItemSorter, memorySink } from "./item_sorter.js";

export interface TopOptions {
  readonly sorter: ItemSorter;
  /** How many items are wanted, at least 1. */
  readonly wanted: number;
  /** Whether of items of the same place only the first counts. */
  readonly unique: boolean;
  /** How many candidates are kept at a time: more than `wanted`, and at most what the sorter takes. */
  readonly candidates: number;
}

const PIECE_BYTES = 8 << 20;

/** How many candidates to keep: enough that few sorts are needed. */
export function candidatesFor(wanted: number): number {
  return Math.max(4 * wanted, 1 << 20);
}

/**
 * Finds the first items of the order without sorting them all. Candidates are collected until there are many, sorted,
 * and cut to those wanted; from then on only what goes before the last of them is a candidate. Of keys in random order
 * that is soon hardly any, so that this takes one comparison a key; at worst, of keys in reverse, it sorts everything
 * in parts.
 *
 * @returns the report of the last sort, of as many keys as there were.
 */
export async function sortTop(input: ItemStream, sink: KeySink, options: TopOptions): Promise<SortReport> {
  const { sorter, wanted, unique } = options;
  const { order } = sorter;
  const size = order.item.bytes;
  const candidates = new Uint8Array(options.candidates * size);
  const kept = new Uint8Array(wanted * size);
  const piece = new Uint8Array(Math.max(size, PIECE_BYTES - (PIECE_BYTES % size)));
  let filled = 0;
  let seen = 0;
  let threshold: ItemView | undefined;

  const cut = async (to: KeySink): Promise<{ bytes: number; report: SortReport }> => {
    const head = new HeadSink(wanted * size, to);
    const distinct = unique ? new UniqueSink(order, head) : undefined;
    const report = await sorter.sortBuffer(candidates.subarray(0, filled), distinct ?? head);
    await distinct?.finish();
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
      filled = (await cut(memorySink(kept))).bytes;
      candidates.set(kept.subarray(0, filled));
      if (filled === kept.length) threshold = order.view(kept.slice(-size));
    }
    if (bytes < piece.length) break;
  }
  return { ...(await cut(sink)).report, keyCount: seen };
}
