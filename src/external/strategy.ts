import { chunkItemsWithin } from "./external_sort.js";
import { INDEX_BYTES } from "./indexed.js";
import type { SorterLimits } from "./item_sorter.js";
import { candidatesFor } from "./top_k.js";

/**
 * How a sort is carried out. All of it is decided before the first item is read. A strategy is plain data, so
 * that it can be shown and tested; `runStrategy` carries it out.
 */
export type Strategy =
  /**
   * All items are sorted at once. If the device runs out of memory, the sort is repeated out of core with
   * chunks of `smallerChunks` items, one size after the other until one succeeds.
   */
  | { readonly kind: "at once"; readonly itemCount: number; readonly smallerChunks: readonly number[] }
  /** The indices of all keys are sorted at once. The keys themselves are not written. */
  | { readonly kind: "indices at once"; readonly itemCount: number }
  /** One pass over all items finds the first `count`. At most `candidates` items are kept at a time. */
  | { readonly kind: "top k"; readonly count: number; readonly candidates: number }
  /** Chunks are sorted into runs on a disk. Then the runs are cut into buckets, and each bucket is sorted. */
  | { readonly kind: "out of core"; readonly chunkItems: number }
  /** As out of core, but the inputs are the runs, because each of them is sorted already. */
  | { readonly kind: "merge"; readonly runs: number; readonly chunkItems: number };

/** The properties of the input and of the request that the strategy depends on. */
export interface Workload {
  /** Undefined if it is not known before the end of the input. */
  readonly itemCount: number | undefined;
  readonly itemBytes: number;
  /** Whether all items can be read in any order. */
  readonly seekable: boolean;
  /** The number of inputs, if the caller says that each is sorted already; else 0. */
  readonly sortedInputs: number;
  /** How many of the first items to write; undefined for all. */
  readonly head: number | undefined;
}

/** How much memory a sort may use. */
export interface MemoryBudget {
  readonly bytes: number;
  /** Whether the device has memory of its own, apart from the machine's. */
  readonly dedicated: boolean;
  /**
   * Whether the device's memory counts towards the budget. It does if the device uses the machine's memory,
   * or if the caller set the budget.
   */
  readonly countsDevice: boolean;
}

/** The maximum number of runs: with more, the slices of a bucket are too short to be read at a good rate. */
const MAX_RUNS = 4096;

/**
 * After the device ran out of memory, chunks of 1/4 of the input are tried, then 1/16, then 1/64. No device
 * tells how much memory it has free.
 */
const SMALLER_CHUNK_DIVISORS = [4, 16, 64];

/** Chooses how to sort, such that everything held at one time stays within the budget. */
export function chooseStrategy(work: Workload, sorter: SorterLimits, memory: MemoryBudget): Strategy {
  const { itemCount, itemBytes, head } = work;
  const atOnce = fitsAtOnce(work, sorter, memory);
  if (head !== undefined && !(atOnce && memory.dedicated)) {
    const candidates = candidatesFor(head);
    if (candidates <= chunkItemsWithin(memory.bytes, itemBytes, sorter)) {
      return { kind: "top k", count: head, candidates };
    }
  }
  const minimum = Math.min(sorter.capacity, Math.ceil((itemCount ?? 0) / MAX_RUNS));
  const chunkItems = Math.max(minimum, chunkItemsWithin(memory.bytes, itemBytes, sorter));
  if (atOnce) {
    const smallerChunks = SMALLER_CHUNK_DIVISORS.map((divisor) =>
      Math.min(chunkItems, Math.ceil(itemCount! / divisor)),
    );
    return { kind: "at once", itemCount: itemCount!, smallerChunks };
  }
  if (work.sortedInputs > 0 && work.seekable) return { kind: "merge", runs: work.sortedInputs, chunkItems };
  return { kind: "out of core", chunkItems };
}

/** Chooses how to sort the indices of keys; undefined if keys and indices must be sorted as records. */
export function chooseIndexStrategy(
  work: Workload,
  sorter: SorterLimits,
  memory: MemoryBudget,
): Strategy | undefined {
  const itemBytes = work.itemBytes + INDEX_BYTES;
  if (work.head !== undefined || !fitsAtOnce({ ...work, itemBytes }, sorter, memory)) return undefined;
  return { kind: "indices at once", itemCount: work.itemCount! };
}

function fitsAtOnce(
  { itemCount, itemBytes, seekable }: Workload,
  { capacity, memoryPerItemByte, hostMemoryPerItemByte }: SorterLimits,
  { bytes, countsDevice }: MemoryBudget,
): boolean {
  if (!seekable || itemCount === undefined || itemCount > capacity) return false;
  return itemCount * itemBytes * (countsDevice ? memoryPerItemByte : hostMemoryPerItemByte) <= bytes;
}
