import { type BufferSpec, bufferBytes, type Pass } from "../../plan/plan.js";
import { params, program } from "../../shaders/kernels.js";
import type { Digit } from "../key.js";
import { oneWorkgroupCounters } from "../radix/one_workgroup_tuning.js";
import { fallbackPass, workgroupCountWords } from "../radix/radix_fallback.js";
import { isUnstable, isWhole, type RadixJob } from "../radix/radix_job.js";
import {
  COUNTS,
  DISTINCT_KEYS,
  KEY_RANGE,
  maxColumns,
  OUTLIERS,
  parameters,
  passKeyParts,
  placeBindings,
  rankConstants,
  rankVariants,
  type Sampled,
  STATUS,
  sampledBindings,
  sumsColumns,
  sumVariants,
  TOP_COUNTS,
  TOTALS,
  WORKGROUP_COUNTS,
} from "../radix/radix_parts.js";
import type { SubgroupTuning } from "../radix/radix_tuning.js";
import { msdCountPass } from "./msd_count.js";
import { fitsLevels, fitsTopWord, levelBytes, secondLevelPasses } from "./msd_levels.js";
import { remapBytes } from "./msd_remap.js";
import {
  distinctKeysBytes,
  isSampled,
  KEY_RANGE_BYTES,
  maxDistinctOf,
  ownSamples,
  remapOf,
  sampledBy,
  samplePass,
} from "./msd_sample.js";
import {
  countingSize,
  inChunks,
  localPass,
  networkParts,
  STARTS,
  segmentKeys,
  topDigit,
} from "./msd_segments.js";
import type { FallbackTuning, MsdTuning } from "./msd_tuning.js";

export { takesDecimals } from "./msd_remap.js";

/** The buffer of keys and their indices in the input, between the scatter and the local sort. */
const NUMBERED_KEYS = "numbered_keys";

/**
 * Whether keys can be sorted most significant digit first: by enough digits, in whole buffers, keys alone by
 * all of their bits, since the sort of these is not stable, or with what moves with them, integers and remapped
 * floats of two words. Fallback moves, one per digit, follow. They must leave the keys in the same buffer.
 */
export function canSortByMsd(job: RadixJob, msd: MsdTuning): boolean {
  const { length } = job.digits;
  if (length < 3 || length % 2 !== 0) return false;
  if (job.payload === 0) return isUnstable(job) && (!msd.second || fitsTopWord(job, msd, msd.second));
  if (!isWhole(job) || job.sameKernels) return false;
  if (job.type.order === "float" && (job.type.words === 1 || !remapOf(job, msd))) return false;
  if (msd.second) return fitsLevels(job, msd, msd.second);
  if (job.type.words === 2) return false;
  const { maxBufferSize, maxStorageBufferBindingSize } = job.traits.limits;
  return 8 * job.keyCount <= Math.min(maxBufferSize, maxStorageBufferBindingSize);
}

/**
 * Whether the scatter makes the first move of a fallback in one dispatch: the move is by as many digit values,
 * and the same pass has counted these. It is not stable, so only keys alone can move so.
 */
export function makesFirstFallbackMove(job: RadixJob, msd: MsdTuning): boolean {
  const { digits, payload, tuning } = job;
  if (payload !== 0 || !fallsBackInOnePass(job, msd) || msd.digitBits !== tuning.digitBits) return false;
  return digits[0]!.mask === topDigit(job, msd, sampledBy(job, msd)).mask;
}

/** Whether one dispatch makes all moves of the fallback but the first. */
function fallsBackInOnePass(job: RadixJob, msd: MsdTuning): msd is MsdTuning & { fallback: FallbackTuning } {
  return msd.fallback !== undefined && !msd.second && sumsColumns(job) && !isSampled(job, msd);
}

/**
 * The pass that makes all moves of the fallback but the first; undefined if they take dispatches of their own.
 */
export function oneFallbackPass(job: RadixJob, tuning: SubgroupTuning, msd: MsdTuning): Pass | undefined {
  return fallsBackInOnePass(job, msd) ? fallbackPass(job, tuning, msd.fallback) : undefined;
}

/**
 * Sorts keys by the most significant digit first (MSD; after E. Stehle and H.-A. Jacobsen, "A memory
 * bandwidth-efficient hybrid radix sort on GPUs", 2017). Up to a few million keys take three passes:
 * 1. count the keys of each value of the topmost digit in each chunk (msd_count);
 * 2. scatter the keys by the topmost digit (msd_scatter), into one segment per value;
 * 3. sort each segment in workgroup memory (msd_local).
 *
 * More keys are scattered by two digits, so that segments are short enough: see `secondLevelPasses`.
 *
 * The count pass first samples the keys for their range, and keys move normalized to it
 * (wgsl/msd/key_range.wgsl): numbers of any range are spread over the segments. If a key is outside of the
 * range, its chunk counts too many keys, so that their segment does not fit. Where that pass counts for no
 * fallback, a pass of its own samples more keys before it.
 *
 * The scatter is not stable. If values or indices move with the keys, it writes each key's index beside it,
 * and the local sort puts equal keys in the order of their indices. It reads each value at the key's index.
 * If the values are sorted in place, the scatter has copied them before.
 *
 * If the samples have few distinct values, so that segments will not fit, no keys move: the first count pass
 * counts the keys of each value instead, and the local sort writes the sorted keys from these counts. They do
 * so in dispatches that would return immediately otherwise. If some key has another value, the fallback
 * begins.
 *
 * If a segment is longer than a tile, the word "status" becomes FALLBACK (wgsl/shared/status.wgsl). Fallback
 * moves then sort the keys, which are still in the input: the scatter writes to the buffers of the odd moves. A
 * dispatch costs 2 us even if it returns immediately. So where workgroups may wait for each other, one dispatch
 * makes all moves but the first (`fallbackPass`), and of keys alone, the scatter makes the first.
 */
export function msdPasses(job: RadixJob, tuning: SubgroupTuning, msd: MsdTuning): Pass[] {
  if (msd.second) return secondLevelPasses(job, tuning, msd, msd.second);
  const sampled = sampledBy(job, msd);
  const digit = topDigit(job, msd, sampled);
  const chunked = sumsColumns(job) ? job : inChunks(job, tuning, msd);
  const { input, odd, even, payload } = job;
  const numbered = payload !== 0;
  return [
    ...(isSampled(job, msd) ? [samplePass(job, msd)] : []),
    // A count that takes a sample itself cannot know yet what it tells.
    countTopmost(chunked, msd, digit, ownSamples(job, msd) > 0 ? "no" : sampled),
    scatterPass(chunked, tuning, msd, digit, sampled),
    localPass(job, tuning, msd.local, {
      starts: STARTS,
      segments: 2 ** msd.digitBits,
      from: numbered ? NUMBERED_KEYS : odd.keys,
      to: even,
      rawInput: false,
      end: digit.shift,
      sampled,
      maxDistinct: maxDistinctOf(job, msd),
      workgroups: msd.localWorkgroups,
      ...(numbered ? { items: "index", values: copiesValues(job) ? odd.values : input.values } : {}),
    }),
  ];
}

/** Whether the local sort writes values to where they come from, so that it must read them from a copy. */
function copiesValues({ input, even }: RadixJob): boolean {
  return input.values !== undefined && input.values === even.values;
}

/** Counts the topmost digit, and where the fallback has the same chunks, the lowest one for its first move. */
function countTopmost(job: RadixJob, msd: MsdTuning, digit: Digit, sampled: Sampled): Pass {
  const lowest = sumsColumns(job) ? job.digits[0] : undefined;
  return msdCountPass(job, {
    from: job.input.keys,
    rawInput: !job.ordered,
    digit,
    digitBits: msd.digitBits,
    extra: lowest,
    counts: TOP_COUNTS,
    summed: true,
    workgroupSize: countingSize(msd),
    sampled,
    ownSamples: ownSamples(job, msd),
    maxDistinct: maxDistinctOf(job, msd),
    condition: isSampled(job, msd) ? "if_fits" : undefined,
  });
}

function scatterPass(
  job: RadixJob,
  tuning: SubgroupTuning,
  msd: MsdTuning,
  digit: Digit,
  sampled: Sampled,
): Pass {
  const { input, odd, ordered, columns, inputWindows, outputWindows } = job;
  const conversion = { rawInput: !ordered, rawOutput: false };
  const { variants, constants } = passKeyParts(job, conversion, sampled);
  const isNumbered = job.payload !== 0;
  const isCopied = copiesValues(job);
  const movesHere = makesFirstFallbackMove(job, msd);
  const { bindings, numbers } = placeBindings(
    [input.keys, isNumbered ? NUMBERED_KEYS : odd.keys, TOP_COUNTS, STARTS, STATUS],
    [
      ["VALUES", isCopied ? [input.values!] : []],
      ["OUTPUT_VALUES", isCopied ? [odd.values!] : []],
      ...sampledBindings(sampled),
      ["OUTLIERS", isSampled(job, msd) ? [OUTLIERS] : []],
      ["LOWEST", movesHere ? [COUNTS] : []],
    ],
  );
  return {
    program: program("msd_scatter", {
      variants: {
        ...variants,
        ...sumVariants(tuning),
        first_fallback_move: movesHere ? "here" : undefined,
        after: isSampled(job, msd) ? "sample" : undefined,
        element: isNumbered ? "numbered" : "key",
        values: isCopied ? "word" : undefined,
      },
      constants: {
        ...constants,
        ...numbers,
        WORKGROUP_SIZE: msd.workgroupSize,
        SUBGROUP_SIZE: tuning.subgroupSize,
        KEYS_PER_INVOCATION: msd.keysPerInvocation,
        DIGIT_BITS: msd.digitBits,
        SHIFT: digit.shift,
        MASK: digit.mask,
        RAW_INPUT: ordered ? 0 : 1,
      },
    }),
    bindings,
    params: parameters(
      job,
      { digit: job.digits[0]!, number: 0, segmentKeys: segmentKeys(msd.local) },
      inputWindows[0]!,
      outputWindows[0]!,
    ),
    grid: [columns, 1, 1],
  };
}

/** The buffers of a sort by MSD besides those of its keys. */
export function msdBuffers(job: RadixJob, msd: MsdTuning): Record<string, BufferSpec> {
  const segments = 2 ** msd.digitBits;
  const columns = Math.max(maxColumns(job), msd.columns);
  const digits = Math.max(segments, 2 ** job.tuning.digitBits);
  const bytes: Record<string, number> = {
    [TOP_COUNTS]: 4 * digits * columns,
    [COUNTS]: 4 * digits * columns,
    [TOTALS]: 4 * digits,
    [STARTS]: 4 * (segments + 1),
    ...(msd.fallback ? { [WORKGROUP_COUNTS]: 4 * workgroupCountWords(job, msd.fallback) } : {}),
    ...(msd.second ? levelBytes(job.keyCount, msd, msd.second) : {}),
    ...remapBytes(job, msd),
  };
  return Object.fromEntries([
    [NUMBERED_KEYS, { bytes: bufferBytes(8 * job.keyCount) }],
    ...Object.entries(bytes).map(([name, size]) => [name, { bytes: bufferBytes(size) }]),
    [KEY_RANGE, { bytes: KEY_RANGE_BYTES, uniform: true }],
    [OUTLIERS, { bytes: bufferBytes(4) }],
    [DISTINCT_KEYS, { bytes: bufferBytes(distinctKeysBytes(job, msd)) }],
  ]);
}

/**
 * Sorts keys without values in one pass, by one workgroup, whatever they are. Undefined if they do not fit its
 * tile.
 */
export function oneWorkgroupPass(job: RadixJob, tuning: SubgroupTuning): Pass | undefined {
  const { oneWorkgroup } = tuning;
  if (!oneWorkgroup || job.keyCount > segmentKeys(oneWorkgroup) || !isUnstable(job)) return undefined;
  const { input, odd, ordered, type, keyCount } = job;
  const key = passKeyParts(job, { rawInput: !ordered, rawOutput: !ordered });
  const network = networkParts(oneWorkgroup);
  const { bindings, numbers } = placeBindings([input.keys, odd.keys], []);
  return {
    program: program("radix_one_workgroup", {
      variants: {
        ...key.variants,
        ...sumVariants(tuning),
        ...rankVariants(tuning),
        ...network.variants,
        local_item: "key",
        written_keys: "all",
      },
      constants: {
        ...key.constants,
        ...numbers,
        ...rankConstants(tuning, oneWorkgroup, oneWorkgroup.rankBits),
        ...network.constants,
        COUNTERS: oneWorkgroupCounters(oneWorkgroup, tuning.subgroupSize),
        MAX_BIN_KEYS: oneWorkgroup.maxBinKeys,
        KEY_WORDS: type.words,
        RAW_INPUT: ordered ? 0 : 1,
        RAW_OUTPUT: ordered ? 0 : 1,
      },
    }),
    bindings,
    params: params("radix_one_workgroup", { keyCount }),
    grid: [1, 1, 1],
  };
}
