import { type BufferSpec, bufferBytes, type Pass } from "../plan/plan.js";
import { program } from "../shaders/kernels.js";
import type { Digit } from "./digits.js";
import { levelBytes, secondLevelPasses } from "./msd_levels.js";
import { isSampled, SHARED_BITS_BYTES, samplePass } from "./msd_sample.js";
import { countingSize, digitBelow, inChunks, localPass, STARTS, segmentKeys } from "./msd_segments.js";
import type { MsdTuning } from "./msd_tuning.js";
import type { RadixJob } from "./radix_job.js";
import {
  countBuffer,
  countPass,
  FITS,
  maxColumns,
  OUTLIERS,
  parameters,
  passKeyParts,
  placeBindings,
  SHARED_BITS,
  sumsColumns,
  TOP_COUNTS,
  TOTALS,
} from "./radix_passes.js";
import type { SubgroupTuning } from "./radix_tuning.js";

/**
 * Whether keys can be sorted most significant digit first: keys alone, since the sort is not stable, in whole
 * buffers, by enough digits. Fallback moves, one per digit, follow. They must leave the keys in the same buffer.
 */
export function canSortByMsd(job: RadixJob): boolean {
  const { length } = job.digits;
  return isUnstable(job) && length >= 3 && length % 2 === 0;
}

/** Whether a sort of whole buffers need not be stable: of keys alone, by all of their bits. */
function isUnstable({ payload, options, narrow, inputWindows, outputWindows }: RadixJob): boolean {
  const isWhole = inputWindows.length === 1 && outputWindows.length === 1;
  return payload === 0 && options.bits === undefined && !options.counted && !narrow && isWhole;
}

/** Sorts few keys alone in one pass, by one workgroup, whatever they are. Undefined if they do not fit its tile. */
export function alonePass(job: RadixJob, tuning: SubgroupTuning): Pass | undefined {
  const { alone } = tuning;
  if (!alone || job.keyCount > segmentKeys(alone) || !isUnstable(job)) return undefined;
  return localPass(job, tuning, alone, {
    starts: undefined,
    segments: 1,
    from: job.input.keys,
    to: job.odd.keys,
    rawInput: !job.ordered,
    end: job.bits.end,
  });
}

/**
 * Sorts keys alone by the most significant digit first (MSD; after E. Stehle and H.-A. Jacobsen, "A memory
 * bandwidth-efficient hybrid radix sort on GPUs", 2017). Up to a few million keys take three passes:
 * 1. count the keys of each value of the topmost digit in each chunk (radix_count);
 * 2. scatter the keys by the topmost digit (msd_scatter), into one segment per value;
 * 3. sort each segment in workgroup memory (msd_local).
 *
 * More keys are scattered by two digits, so that segments are short enough: see `secondLevelPasses`.
 *
 * If a segment is longer than a tile, no more keys are written, and the word "fits" becomes 0. Fallback moves
 * then sort the keys, which are still in the input: the first scatter writes to the buffers of the odd moves.
 */
export function msdPasses(job: RadixJob, tuning: SubgroupTuning, msd: MsdTuning): Pass[] {
  const sampled = isSampled(job, msd);
  // After a sample, the bits that all keys share are left out on the device.
  const digit = digitBelow(sampled ? 8 * job.type.bytes : job.bits.end, job, msd.digitBits);
  if (msd.second) return secondLevelPasses(job, tuning, msd, msd.second, digit);
  const chunked = sumsColumns(job) ? job : inChunks(job, tuning, msd);
  return [
    ...(sampled ? [samplePass(job, msd)] : []),
    countTopmost(chunked, msd, digit, sampled),
    scatterPass(chunked, tuning, msd, digit, sampled),
    localPass(job, tuning, msd.local, {
      starts: STARTS,
      segments: 2 ** msd.digitBits,
      from: job.odd.keys,
      to: job.even.keys,
      rawInput: false,
      end: digit.shift,
      sampled,
    }),
  ];
}

/** Counts the topmost digit. If each fallback move counts the next digit, this counts the first one's. */
function countTopmost(job: RadixJob, msd: MsdTuning, digit: Digit, sampled: boolean): Pass {
  const lowest = sumsColumns(job) ? job.digits[0] : undefined;
  return countPass(
    job,
    {
      from: job.input,
      rawInput: !job.ordered,
      digit,
      number: 0,
      other: lowest,
      extra: lowest,
      counts: TOP_COUNTS,
      summed: true,
      sampled,
      notesOutliers: sampled,
      condition: sampled ? "if_fits" : "always",
      digitBits: msd.digitBits,
      workgroupSize: countingSize(msd),
    },
    job.inputWindows[0]!,
  );
}

function scatterPass(
  job: RadixJob,
  { subgroupSize }: SubgroupTuning,
  msd: MsdTuning,
  digit: Digit,
  sampled: boolean,
): Pass {
  const { input, odd, ordered, columns, inputWindows, outputWindows } = job;
  const conversion = { rawInput: !ordered, rawOutput: false };
  const { variants, constants } = passKeyParts(job, conversion, sampled);
  const { bindings, numbers } = placeBindings(
    [input.keys, odd.keys, TOP_COUNTS, STARTS, FITS],
    [
      ["SHARED_BITS", sampled ? [SHARED_BITS] : []],
      ["OUTLIERS", sampled ? [OUTLIERS] : []],
    ],
  );
  return {
    program: program("msd_scatter", {
      variants: { ...variants, input_window: "whole", refused: sampled ? "after_sample" : "never" },
      constants: {
        ...constants,
        ...numbers,
        WORKGROUP_SIZE: msd.workgroupSize,
        SUBGROUP_SIZE: subgroupSize,
        KEYS_PER_INVOCATION: msd.keysPerInvocation,
        DIGIT_BITS: msd.digitBits,
        MASK: digit.mask,
        RAW_INPUT: ordered ? 0 : 1,
        RAW_OUTPUT: 0,
        SEGMENT_KEYS: segmentKeys(msd.local),
      },
    }),
    bindings,
    params: parameters(job, { digit, number: 0 }, inputWindows[0]!, outputWindows[0]!),
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
    [countBuffer(0)]: 4 * digits * columns,
    [TOTALS]: 4 * digits,
    [STARTS]: 4 * (segments + 1),
    ...(msd.second ? levelBytes(job.keyCount, msd, msd.second) : {}),
  };
  return Object.fromEntries([
    ...Object.entries(bytes).map(([name, size]) => [name, { bytes: bufferBytes(size) }]),
    [SHARED_BITS, { bytes: SHARED_BITS_BYTES, uniform: true }],
    [OUTLIERS, { bytes: bufferBytes(4) }],
  ]);
}
