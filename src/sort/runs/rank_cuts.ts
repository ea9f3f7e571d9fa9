import type { ItemOrder } from "../../core/items/order.js";
import type { ItemSource } from "../../core/streams/item_stream.js";
import { limitConcurrency } from "../../files/limit_concurrency.js";
import { CutWindows } from "./cut_windows.js";
import { Multiselect, multiselect, type SortedItems } from "./multiselect.js";

/** A sorted sequence of items, usually on a disk. */
export interface Run {
  readonly source: ItemSource;
  readonly itemCount: number;
  /** Every `stride`-th item, beginning with the first. */
  readonly samples: Uint8Array;
}

/** How to cut runs at many ranks. */
export interface CutOptions {
  /**
   * Whether a cut moves to before all items that are equal to the first one behind it. Each run must have at
   * most one of them. Default: false.
   */
  readonly beforeEqual?: boolean;
  /**
   * Bytes of the runs that are held at once, or those of one cut if they are more. The places of windows take
   * up to a quarter of that besides. Default: `CUT_BYTES`.
   */
  readonly bytes?: number;
}

/** Cuts whose windows are laid out. */
interface ExactCuts {
  readonly windows: CutWindows;
  readonly ranks: readonly number[];
  /** The first of the ranks, and the one after the last. */
  readonly from: number;
  readonly end: number;
  readonly beforeEqual: boolean;
  /** Takes the items of the windows. */
  readonly memory: Uint8Array<ArrayBuffer>;
}

/** 64 MiB. */
export const CUT_BYTES = 64 << 20;

/** Fewer bytes than these between two windows are read with them: that takes less time than another read. */
const GAP_BYTES = 8 << 10;

/** What a window takes besides its items. */
const BYTES_PER_WINDOW = 28;

/**
 * Finds where sorted runs must be cut so that a given number of items of their stable merge lie before the
 * cuts: exactly as many, for any keys, because equal keys are told apart by their run and place.
 *
 * A cut is found in two steps. The samples narrow it down to a few strides of each run, its windows. Only these
 * are read, and the exact cut is found among them.
 */
export class RankCuts {
  /** The number of items in all runs. */
  readonly itemCount: number;
  readonly #runs: readonly Run[];
  readonly #samples: readonly SortedItems[];
  readonly #stride: number;
  readonly #order: ItemOrder;

  constructor(runs: readonly Run[], stride: number, order: ItemOrder) {
    this.#runs = runs;
    this.#stride = stride;
    this.#order = order;
    this.#samples = runs.map(({ samples }) => ({
      view: order.view(samples),
      count: samples.length / order.item.bytes,
    }));
    this.itemCount = runs.reduce((sum, { itemCount }) => sum + itemCount, 0);
  }

  /** @returns for each run, the number of its items among the first `rank` items of all runs. */
  async at(rank: number): Promise<number[]> {
    for await (const cut of this.each([rank])) return cut;
    throw new TypeError("a rank has no cut");
  }

  /**
   * Finds the cuts at many ranks, whose windows are searched together, and read together where they lie close
   * to each other.
   *
   * @param ranks in ascending order.
   * @returns for each rank, what `at` returns.
   */
  async *each(
    ranks: readonly number[],
    { beforeEqual = false, bytes = CUT_BYTES }: CutOptions = {},
  ): AsyncGenerator<number[], void> {
    const most = Math.max(1, Math.floor(bytes / 4 / BYTES_PER_WINDOW / this.#runs.length));
    const { itemBytes } = this.#order;
    let memory: Uint8Array<ArrayBuffer> = new Uint8Array(0);
    for (let first = 0; first < ranks.length; first += most) {
      const some = ranks.slice(first, first + most);
      const windows = this.#windows(some, beforeEqual ? 1 : 0);
      for (let from = 0; from < some.length; ) {
        const end = windows.layOut(from, bytes / itemBytes);
        // What each of many reads took would stay until it is collected.
        const taken = windows.lengths.reduce((sum, length) => sum + length, 0) * itemBytes;
        if (taken > memory.length)
          memory = new Uint8Array(end < some.length ? Math.max(bytes, taken) : taken);
        yield* this.#exactly({ windows, ranks: some, from, end, beforeEqual, memory });
        from = end;
      }
    }
  }

  /** Reads the windows of some ranks into a memory, and finds the cuts in them. */
  async *#exactly({
    windows,
    ranks,
    from,
    end,
    beforeEqual,
    memory,
  }: ExactCuts): AsyncGenerator<number[], void> {
    const { itemBytes } = this.#order;
    let used = 0;
    const items = windows.lengths.map((length) => {
      const begin = used;
      used += length * itemBytes;
      return memory.subarray(begin, used);
    });
    await limitConcurrency(windows.reads.length, async (index) => {
      const { run, place, at, count } = windows.reads[index]!;
      const into = items[run]!.subarray(at * itemBytes, (at + count) * itemBytes);
      await this.#runs[run]!.source.read(into, place * itemBytes);
    });
    const views = items.map((bytes) => this.#order.view(bytes));
    const selection = new Multiselect(views, this.#order);
    const cut = new Uint32Array(this.#runs.length);
    for (let index = from; index < end; index++) {
      const { least, most, skipped } = windows.of(index);
      selection.between(least, most, ranks[index]! - skipped, cut);
      const places = windows.placesOf(index, cut);
      if (beforeEqual && ranks[index]! > 0) moveBeforeEqual(places, cut, views, this.#runs, this.#order);
      yield places;
    }
  }

  /**
   * The range of each run that must contain its cut.
   *
   * Sort the samples of all runs, and take the sample with exactly m samples before it. How many items go
   * before that sample? If c of the m samples are in a given run, then more than (c - 1) * stride and at most
   * c * stride items of that run do. Over all runs, these are at least (m - runs) * stride and at most m *
   * stride items. So the sample with m = floor(rank / stride) is not after the cut at `rank`, and the sample
   * with m = ceil(rank / stride) + runs is not before it.
   *
   * @param margin items more on either side of each.
   */
  #windows(ranks: readonly number[], margin: number): CutWindows {
    const runs = this.#runs;
    const stride = this.#stride;
    const samples = this.#samples.reduce((sum, { count }) => sum + count, 0);
    const select = (each: (rank: number) => number) => {
      const sampleRanks = ranks.map((rank) => Math.min(each(rank), samples));
      return multiselect(this.#samples, sampleRanks, this.#order);
    };
    const left = select((rank) => Math.floor(rank / stride));
    const right = select((rank) => Math.ceil(rank / stride) + runs.length);
    const gap = Math.floor(GAP_BYTES / this.#order.itemBytes);
    return new CutWindows(ranks.length, runs.length, gap, (index, run) => {
      const { itemCount } = runs[run]!;
      if (ranks[index]! <= 0) return [0, 0];
      if (ranks[index]! >= this.itemCount) return [itemCount, itemCount];
      const at = index * runs.length + run;
      const low = left[at] === 0 ? 0 : (left[at]! - 1) * stride + 1;
      const high = Math.min(itemCount, right[at]! * stride);
      // Only in runs that are not sorted is the right sample before the left one.
      return [Math.max(0, low - margin), Math.min(itemCount, Math.max(low, high) + margin)];
    });
  }
}

/**
 * Moves a cut to before all items that are equal to the first one behind it.
 *
 * @param places of the cut, in the runs.
 * @param cut its places in the views, which hold the items on both sides of it.
 */
function moveBeforeEqual(
  places: number[],
  cut: Uint32Array,
  views: readonly ReturnType<ItemOrder["view"]>[],
  runs: readonly Run[],
  { compare }: ItemOrder,
): void {
  let least = -1;
  for (let run = 0; run < runs.length; run++) {
    if (places[run]! === runs[run]!.itemCount) continue;
    if (least === -1 || compare(views[run]!, cut[run]!, views[least]!, cut[least]!) < 0) least = run;
  }
  if (least === -1) return;
  for (let run = 0; run < runs.length; run++) {
    if (places[run]! === 0) continue;
    if (compare(views[run]!, cut[run]! - 1, views[least]!, cut[least]!) === 0) places[run]!--;
  }
}

/** Copies every `stride`-th item, beginning with the first. */
export function sample(items: Uint8Array, itemBytes: number, stride: number): Uint8Array {
  const count = Math.ceil(items.length / itemBytes / stride);
  const samples = new Uint8Array(count * itemBytes);
  for (let i = 0; i < count; i++) {
    const at = i * stride * itemBytes;
    samples.set(items.subarray(at, at + itemBytes), i * itemBytes);
  }
  return samples;
}
