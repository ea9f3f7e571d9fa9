import { workgroupSize1d } from "../../plan/grid.js";
import type { Pass } from "../../plan/plan.js";
import { params, program } from "../../shaders/kernels.js";
import { keyParts, orderedParts } from "../key.js";
import type { RadixJob } from "../radix/radix_job.js";
import {
  DISTINCT_KEYS,
  KEY_RANGE,
  marginBits,
  OUTLIERS,
  placeBindings,
  type Sampled,
  STATUS,
  sumsColumns,
} from "../radix/radix_parts.js";
import { segmentKeys } from "./msd_segments.js";
import { MAX_DIGIT_BITS, type MsdTuning, type RemapTuning } from "./msd_tuning.js";

/** Bytes of the struct `KeyRange` of wgsl/msd/key_range.wgsl for keys of two words. */
export const KEY_RANGE_BYTES = 48;

/** How unevenly samples may share bins: see `evenSquares`. */
const SHARED_BINS = 1.15;
/**
 * The same where there are long tiles and no remap. With digits of 12 bits in all, the fewest of the tables, it
 * is that of keys nearly twice as dense in half of their range as on average.
 */
const SHARED_BINS_IN_LONG_TILES = 1.25;

/**
 * Whether a sort samples its keys first: not few keys, for which the sample would take long; not if its first
 * pass counts for the fallback too, since that pass must not be left out then; and not if some bits are not
 * compared, which would spread the range.
 */
export function isSampled(job: RadixJob, { samples = 0 }: MsdTuning): boolean {
  return samples > 0 && job.keyCount >= samples && !sumsColumns(job) && job.options.bits === undefined;
}

/** The marks of up to this many chunks with outliers fit a count: see wgsl/msd/outliers.wgsl. */
const MOST_MARKED = 255;

/**
 * How many keys each workgroup of the first count samples for their range: where one level sorts the keys, and
 * that pass counts for the fallback too, so that no pass can sample before it. 0 for none, as for more chunks
 * than can be marked.
 */
export function ownSamples(job: RadixJob, { rangeSamples = 0, second }: MsdTuning): number {
  const isPossible = sumsColumns(job) && second === undefined && job.columns <= MOST_MARKED;
  return isPossible && job.options.bits === undefined && job.keyCount >= rangeSamples ? rangeSamples : 0;
}

/** What a sort knows of its keys when it first moves them. */
export function sampledBy(job: RadixJob, msd: MsdTuning): Sampled {
  return isSampled(job, msd) || ownSamples(job, msd) > 0 ? "range" : "no";
}

/**
 * The most samples with the same topmost digit for which segments are expected to fit.
 *
 * @param fitting how many samples the longest segment that fits has on average.
 * @param mean how many samples a digit value has on average, if a remap can follow.
 */
function mostWithOneDigit(fitting: number, mean: number | undefined): number {
  // Three standard deviations above the samples of the longest segment that fits, and some more if they are
  // few.
  if (mean === undefined) return Math.floor(fitting + 3 * Math.sqrt(fitting)) + 6;
  // A remap costs far less than a segment that does not fit: so no margin, but what uniform keys reach by
  // chance.
  return Math.max(Math.floor(fitting), Math.ceil(mean + 4.5 * Math.sqrt(mean)));
}

/** How a sort remaps floats; undefined if it does not. */
export function remapOf(job: RadixJob, msd: MsdTuning): RemapTuning | undefined {
  return job.type.order === "float" && sampledBy(job, msd) !== "no" ? msd.second?.remap : undefined;
}

/**
 * The greatest sum of the squares of the numbers of samples in a bin, for keys that are spread over 2^bits
 * segments evenly enough.
 *
 * @param bins how many bins there are; segments may share one.
 * @param tolerance the greatest sum as a multiple of that of uniform keys.
 */
export function evenSquares(samples: number, bits: number, bins: number, tolerance = SHARED_BINS): number {
  return Math.floor(tolerance * (samples + samples ** 2 * (2 ** -bits + 1 / bins)));
}

/**
 * The most distinct values of samples for which a sort counts the keys of each value; 0 for a sort that does
 * not: without a sample, or of keys with values or indices, which must move.
 */
export function maxDistinctOf(job: RadixJob, msd: MsdTuning): number {
  return job.payload === 0 && isSampled(job, msd) ? (msd.maxDistinct ?? 0) : 0;
}

/** Bytes of the struct `DistinctKeys` of wgsl/msd/low_cardinality.wgsl. */
export function distinctKeysBytes({ type }: RadixJob, { maxDistinct = 0 }: MsdTuning): number {
  return 8 * Math.ceil((4 * (type.words * maxDistinct + 1 + maxDistinct)) / 8);
}

/**
 * The pass that samples the keys. It finds the range of half of the samples, to which keys are normalized. If
 * too many of these share their topmost digit, or all digits, the segments are not expected to fit. If all
 * samples then have few distinct values, it lists these. If not, the fallback begins immediately.
 */
export function samplePass(job: RadixJob, msd: MsdTuning): Pass {
  const { digitBits, second, local, samples = 0 } = msd;
  const nextBits = second?.digitBits ?? 0;
  const first = samples / 2;
  const remap = remapOf(job, msd);
  const tolerance = second?.long && !remap ? SHARED_BINS_IN_LONG_TILES : SHARED_BINS;
  const fitting = (segmentKeys(second?.long ?? local) * 2 ** nextBits * first) / job.keyCount;
  const rawInput = !job.ordered;
  const maxDistinct = maxDistinctOf(job, msd);
  const { bindings, numbers } = placeBindings(
    [job.input.keys, KEY_RANGE, STATUS, OUTLIERS],
    [["DISTINCT_KEYS", maxDistinct > 0 ? [DISTINCT_KEYS] : []]],
  );
  const { variants, constants } = rawInput ? keyParts(job.type, job.options) : orderedParts(job.type);
  return {
    program: program("msd_sample", {
      variants: {
        key: variants.key,
        order: variants.order,
        key_range: variants.order,
        low_cardinality: maxDistinct > 0 ? "list" : undefined,
      },
      constants: {
        ...constants,
        ...numbers,
        ...(maxDistinct > 0 ? { MAX_DISTINCT: maxDistinct } : {}),
        RAW_INPUT: rawInput ? 1 : 0,
        WORKGROUP_SIZE: Math.min(first, workgroupSize1d(1024, job.traits.limits)),
        SAMPLES: samples,
        MARGIN_BITS: marginBits(first),
        MAX_DIGIT_BITS: Math.max(MAX_DIGIT_BITS, digitBits),
      },
    }),
    bindings,
    params: params("msd_sample", {
      keyCount: job.keyCount,
      topBits: digitBits,
      allBits: digitBits + nextBits,
      longest: mostWithOneDigit(fitting, remap ? first / 2 ** digitBits : undefined),
      squares: evenSquares(first, digitBits + nextBits, samples, tolerance),
      // With one level, a local sort always follows: no range has 64 unused bits.
      unused: second ? 8 * job.type.bytes - digitBits - nextBits : 64,
    }),
    grid: [1, 1, 1],
  };
}
