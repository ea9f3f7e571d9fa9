import type { OutputSelection } from "../core/engines/engine.js";
import { InputError } from "../core/errors.js";
import { INDEX_BYTES } from "./items/indexed.js";
import type { SorterLimits } from "./items/item_sorter.js";
import { recordTooLong } from "./items/record_limits.js";
import { candidatesFor } from "./items/top_k.js";
import { chunkItemsWithin, chunkMemoryPerItem, leastChunkItems, mostChunkItems } from "./runs/chunk_size.js";

export type { OutputSelection };

/**
 * How numbers or records are sorted. All of it is decided before the first item is read. A strategy is plain
 * data, so that it can be shown and tested. `kind` tells the cases apart.
 */
export type ItemStrategy =
  | {
      /** All items are sorted at once. */
      readonly kind: "in memory";
      /** The number of items. */
      readonly itemCount: number;
      /**
       * If the device runs out of memory, the sort is repeated out of core with chunks of this many items, one
       * size after the other until one succeeds.
       */
      readonly smallerChunks: readonly number[];
      /** Which of the sorted items the device itself writes; absent for all. */
      readonly selected?: OutputSelection;
    }
  | {
      /** The indices of all keys are sorted at once. The keys themselves are not written. */
      readonly kind: "indices in memory";
      /** The number of keys. */
      readonly itemCount: number;
    }
  | {
      /** One pass over all items finds the first ones. */
      readonly kind: "top k";
      /** How many of them. */
      readonly count: number;
      /** The most items that are kept at a time. */
      readonly candidates: number;
    }
  | {
      /**
       * Chunks are sorted into runs on a disk. Then the runs are cut into buckets, and each bucket is sorted.
       */
      readonly kind: "out of core";
      /** The most items of a chunk and of a bucket. Chunks of an input of unknown length may become longer. */
      readonly chunkItems: number;
      /** The bytes of memory that such chunks take, if that is more than the budget. */
      readonly raisedMemoryBytes?: number;
    }
  | {
      /** As out of core, but the inputs are the runs, because each of them is sorted already. */
      readonly kind: "merge";
      /** The number of inputs. */
      readonly runs: number;
      /** The most items of a bucket. */
      readonly chunkItems: number;
      /** The bytes of memory that such buckets take, if that is more than the budget. */
      readonly raisedMemoryBytes?: number;
    };

/** How rows of text are sorted. */
export type RowStrategy =
  | {
      /** All rows are sorted in memory. */
      readonly kind: "rows in memory";
      /** The number of rows. */
      readonly rows: number;
    }
  | {
      /** Parts of the rows are sorted into runs on a disk, and the runs are merged. */
      readonly kind: "rows out of core";
    }
  | {
      /** Sorted inputs of rows are merged, as they are read. */
      readonly kind: "rows merged";
      /** The number of inputs. */
      readonly inputs: number;
    };

/** How tables are sorted: by DuckDB, in memory and in temporary files. */
export interface TableStrategy {
  /** DuckDB reads, sorts and writes the rows. */
  readonly kind: "rows by DuckDB";
}

/** How a sort is carried out, whatever its inputs hold. */
export type Strategy = ItemStrategy | RowStrategy | TableStrategy;

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
  /** What the device writes if it sorts all items at once; undefined if it writes all of them. */
  readonly selected?: OutputSelection | undefined;
}

/** A record that takes more memory than this must fit the budget. Shorter ones raise it. */
const SHORT_RECORD_MEMORY = 1 << 20;

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

/**
 * After the device ran out of memory, chunks of 1/4 of the input are tried, then 1/16, then 1/64. No device
 * tells how much memory it has free.
 */
const SMALLER_CHUNK_DIVISORS = [4, 16, 64];

/**
 * Chooses how to sort, such that everything held at one time stays within the budget. A budget that is so
 * small that the sort would hardly end is raised (see `leastChunkItems`).
 *
 * @throws InputError if not even one item fits in memory.
 */
export function chooseStrategy(work: Workload, sorter: SorterLimits, memory: MemoryBudget): ItemStrategy {
  const { itemCount, itemBytes, head } = work;
  const isInMemory = fitsInMemory(work, sorter, memory);
  if (head !== undefined && !(isInMemory && memory.dedicated)) {
    const candidates = candidatesFor(head);
    if (candidates <= chunkItemsWithin(memory.bytes, itemBytes, sorter)) {
      return { kind: "top k", count: head, candidates };
    }
  }
  if (isInMemory) {
    const chunkItems = Math.max(1, chunkItemsWithin(memory.bytes, itemBytes, sorter));
    const smallerChunks = SMALLER_CHUNK_DIVISORS.map((divisor) =>
      Math.min(chunkItems, Math.ceil(itemCount! / divisor)),
    );
    const { selected } = work;
    return { kind: "in memory", itemCount: itemCount!, smallerChunks, ...(selected && { selected }) };
  }
  const runs = work.seekable && work.sortedInputs > 0 ? work.sortedInputs : undefined;
  const chunks = chunksFor(work, runs, sorter, memory.bytes);
  return runs === undefined ? { kind: "out of core", ...chunks } : { kind: "merge", runs, ...chunks };
}

function chunksFor(
  { itemCount, itemBytes }: Workload,
  runs: number | undefined,
  sorter: SorterLimits,
  memoryBytes: number,
): { chunkItems: number; raisedMemoryBytes?: number } {
  const fitting = chunkItemsWithin(memoryBytes, itemBytes, sorter);
  const memoryPerItem = chunkMemoryPerItem(itemBytes, sorter);
  if (sorter.capacity < 1) throw recordTooLong(itemBytes);
  if (fitting < 1 && memoryPerItem > SHORT_RECORD_MEMORY)
    throw needsMemory(memoryPerItem, itemBytes, memoryBytes);
  // The chunks of an input of unknown length grow while it is read.
  const least = itemCount === undefined ? 1 : leastChunkItems(itemCount, itemBytes, runs);
  const chunkItems = Math.max(fitting, Math.min(least, mostChunkItems(itemBytes, sorter)));
  if (chunkItems === fitting) return { chunkItems };
  return { chunkItems, raisedMemoryBytes: Math.ceil(chunkItems * memoryPerItem) };
}

function needsMemory(needed: number, itemBytes: number, memoryBytes: number): InputError {
  return new InputError(
    `to sort records of ${itemBytes} bytes takes ${Math.ceil(needed)} bytes of memory, ` +
      `but only ${memoryBytes} may be used`,
    {
      hint: "check the length of a record, or give the sort more memory",
      options: ["recordBytes", "memoryBytes"],
    },
  );
}

/** Chooses how to sort the indices of keys; undefined if keys and indices must be sorted as records. */
export function chooseIndexStrategy(
  work: Workload,
  sorter: SorterLimits,
  memory: MemoryBudget,
): ItemStrategy | undefined {
  const itemBytes = work.itemBytes + INDEX_BYTES;
  if (work.head !== undefined || !fitsInMemory({ ...work, itemBytes }, sorter, memory)) return undefined;
  return { kind: "indices in memory", itemCount: work.itemCount! };
}

function fitsInMemory(
  { itemCount, itemBytes, seekable }: Workload,
  { capacity, memoryPerItemByte, hostMemoryPerItemByte }: SorterLimits,
  { bytes, countsDevice }: MemoryBudget,
): boolean {
  if (!seekable || itemCount === undefined || itemCount > capacity) return false;
  return itemCount * itemBytes * (countsDevice ? memoryPerItemByte : hostMemoryPerItemByte) <= bytes;
}
