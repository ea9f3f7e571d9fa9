import type { SorterLimits } from "../items/item_sorter.js";

/** Up to this number of runs, the time hardly depends on the length of chunks, unless these are very short. */
export const FEW_RUNS = 64;

/** How many times the items of few runs are read at most, to find where they are cut. */
const MOST_READS = 64;

/** The average slice that a bucket has of a run. Shorter reads cost as much as longer ones. */
const SLICE_BYTES = 2048;

/** The longest buffer that Node's files take in one go, in bytes. */
const LONGEST_BUFFER = 2 ** 31;

/** Buffers of one chunk each: one is filled, one is sorted and one is emptied at the same time. */
export const bufferCount = ({ inPlace }: SorterLimits) => (inPlace ? 3 : 4);

/** Bytes of memory that a chunk takes per item in it. */
export function chunkMemoryPerItem(itemBytes: number, sorter: SorterLimits): number {
  // The samples of all runs take at most a quarter of a chunk. The items read to find the cuts take less,
  // unless the chunks are as small as `leastChunkItems` allows: then they take as much as a chunk.
  const SAMPLES_AND_CUTS = 0.5;
  return itemBytes * (bufferCount(sorter) + sorter.memoryPerItemByte + SAMPLES_AND_CUTS);
}

/** The maximum items per chunk for any amount of memory; 0 if not even one item fits. */
export function mostChunkItems(itemBytes: number, { capacity }: SorterLimits): number {
  return Math.min(capacity, Math.max(1, Math.floor(LONGEST_BUFFER / itemBytes)));
}

/** The maximum items per chunk such that everything held at one time fits `memoryBytes`; 0 if none does. */
export function chunkItemsWithin(memoryBytes: number, itemBytes: number, sorter: SorterLimits): number {
  const fitting = Math.floor(memoryBytes / chunkMemoryPerItem(itemBytes, sorter));
  return Math.min(mostChunkItems(itemBytes, sorter), fitting);
}

/**
 * The items per chunk from which on the time hardly depends on the memory. With shorter chunks there are so
 * many runs that it grows with the square of their number:
 * - The slices of a bucket are shorter than what a read is worth.
 * - Samples of the runs in a quarter of a chunk are `4 * itemCount / chunkItems` items apart. About as many
 *   items of each run are read to cut off a bucket. With shorter chunks, they are more than the bucket has.
 *
 * @param runs the number of runs; as many as there are chunks by default.
 * @returns at least 1, and no more than makes a few runs.
 */
export function leastChunkItems(itemCount: number, itemBytes: number, runs?: number): number {
  if (runs !== undefined && runs <= FEW_RUNS) {
    return Math.max(1, Math.ceil(Math.sqrt((4 * itemCount * runs) / MOST_READS)));
  }
  const slice = SLICE_BYTES / itemBytes;
  const forSlices = runs === undefined ? Math.sqrt(itemCount * slice) : runs * slice;
  const forCuts = runs === undefined ? Math.cbrt(4 * itemCount ** 2) : Math.sqrt(4 * itemCount * runs);
  const forFewRuns = runs === undefined ? itemCount / FEW_RUNS : itemCount;
  return Math.max(1, Math.ceil(Math.min(forFewRuns, Math.max(forSlices, forCuts))));
}
