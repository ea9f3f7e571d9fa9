import type { ElementType } from "../../elements.js";
import { arrayBytes, bufferBytes, type Pass } from "../../plan/plan.js";
import type { DeviceTraits } from "../../plan/traits.js";
import type { SortOptions, SortPlan } from "../key.js";
import { packPasses } from "../radix/convert_and_gather.js";
import {
  countedChunksBytes,
  countFirstsPasses,
  type FirstsJob,
  moveFirstsPasses,
  sumsChunks,
} from "./compact.js";
import type { CompactTuning } from "./compact_tuning.js";

/** The buffers that are added to those of the sort. */
const DISTINCT = "distinct";
const CHUNKS = "unique_chunks";
const KEYS = "unique_keys";
const PACKED = "unique_packed";
const LENGTHS = "run_lengths";

/** A sort of keys, and what is kept of its result. */
interface UniqueJob {
  readonly keyCount: number;
  readonly type: ElementType;
  /** Those of the sort. */
  readonly options: SortOptions;
  readonly traits: DeviceTraits;
  /** Whether to count how often each key occurs; the default is false. */
  readonly counts?: boolean;
  /** Other than the best known one. */
  readonly tuning?: CompactTuning | undefined;
}

/**
 * Adds to the plan of a sort of keys: it keeps the first of equal keys, and counts how often each occurs
 * (run-length encoding). All NaNs are equal, -0 and +0 are not. The buffer "distinct" then holds the number of
 * distinct keys in its first word; nothing is read back.
 *
 * **Cost.** It reads the sorted keys twice, but the second time only parts of the array in which keys differ,
 * and writes the distinct ones; with counts, 4 bytes more for each of these. Two or three dispatches, one more
 * for keys of 8 and 16 bits. Scratch: 16 KiB for chunks of keys; the keys once more unless a buffer of the sort
 * is free by then; with counts, 4 bytes per key.
 */
export function withUnique(
  sort: SortPlan,
  { keyCount, type, options, traits, counts = false, tuning }: UniqueJob,
): SortPlan {
  const { counted, countAt } = options;
  const count = counted ? "count" : undefined;
  const job: FirstsJob = {
    keyCount,
    type,
    direction: options,
    traits,
    keys: sort.result,
    count,
    countAt,
    tuning,
  };
  const bytes = arrayBytes(keyCount, 4 * type.words);
  const keys = freeBuffer(sort, options, bytes) ?? KEYS;
  const isNarrow = type.bytes < 4;
  const pack = () =>
    // The kernel reads the number of keys as the first word of its parameters.
    packPasses({ keyCount, type, options: { descending: options.descending }, traits }, keys, PACKED).map(
      (pass): Pass => ({ ...pass, params: { buffer: DISTINCT, offset: 0, bytes: 16 } }),
    );
  const sums = sumsChunks(job);
  const passes = [
    ...sort.passes,
    ...countFirstsPasses(job, CHUNKS, sums ? undefined : DISTINCT),
    ...moveFirstsPasses(job, keyCount, {
      chunks: CHUNKS,
      output: keys,
      lengths: counts ? LENGTHS : undefined,
      total: sums ? DISTINCT : undefined,
    }),
    ...(isNarrow ? pack() : []),
  ];
  return {
    ...sort,
    buffers: {
      ...sort.buffers,
      [sort.result]: { bytes: bufferBytes(sort.buffers[sort.result]!.bytes) }, // kernels load whole vectors of it
      [CHUNKS]: { bytes: countedChunksBytes(job) },
      [DISTINCT]: { bytes: 16, uniform: isNarrow },
      ...(keys === KEYS ? { [KEYS]: { bytes } } : {}),
      ...(isNarrow ? { [PACKED]: { bytes: arrayBytes(keyCount, type.bytes) } } : {}),
      ...(counts ? { [LENGTHS]: { bytes: arrayBytes(keyCount, 4) } } : {}),
    },
    passes,
    result: isNarrow ? PACKED : keys,
    distinct: DISTINCT,
    ...(counts ? { runLengths: LENGTHS } : {}),
  };
}

/** A buffer of the sort that holds nothing any more and is long enough. */
function freeBuffer({ buffers, result }: SortPlan, { keepInput }: SortOptions, bytes: number) {
  const used = [result, "count", ...(keepInput ? ["keys"] : [])];
  return Object.entries(buffers).find(
    ([name, spec]) => !used.includes(name) && !spec.uniform && spec.bytes >= bytes,
  )?.[0];
}
