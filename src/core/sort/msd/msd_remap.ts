import type { Pass } from "../../plan/plan.js";
import { params, program } from "../../shaders/kernels.js";
import { keyParts, orderedParts } from "../key.js";
import type { RadixJob } from "../radix/radix_job.js";
import {
  KEY_RANGE,
  placeBindings,
  remapConstants,
  STATUS,
  STATUS_WORDS,
  skipsMoves,
  sumVariants,
} from "../radix/radix_parts.js";
import type { SubgroupTuning } from "../radix/radix_tuning.js";
import { evenSquares, remapOf } from "./msd_sample.js";
import { countingSize, segmentKeys } from "./msd_segments.js";
import { type MsdTuning, REMAP_REGIONS, type RemapTuning } from "./msd_tuning.js";

/** The buffer of the samples of each region. */
const REMAP_COUNTS = "remap_counts";

/** The bits of both digits. */
function codeBits({ digitBits, second }: MsdTuning): number {
  return digitBits + (second?.digitBits ?? 0);
}

/** Bytes of the buffers of the remap. */
export function remapBytes(job: RadixJob, msd: MsdTuning): Record<string, number> {
  const remap = remapOf(job, msd);
  if (!remap) return {};
  return {
    [STATUS]: 4 * (STATUS_WORDS + REMAP_REGIONS),
    [REMAP_COUNTS]: 4 * REMAP_REGIONS * remap.rows,
  };
}

/**
 * Remaps floats so that all segments of two digits get about as many (an equi-depth histogram), where these
 * would not fit their tiles otherwise: most floats from 0 to 1 have the same exponent, and so the same topmost
 * digit. (Sample sorts choose such a map by a sample too, but search for each key's place in it: P. Sanders and
 * S. Winkel, "Super Scalar Sample Sort", 2004.) The passes do nothing unless the sample of `samplePass` shows
 * that.
 * 1. Count more samples in each eighth of an octave, a region (msd_remap_count).
 * 2. Give each region a share of 2^16 codes, as many as its keys need (msd_remap_plan). Within a region, codes
 *    are proportional to the keys.
 *
 * The passes that follow take their digits of keys or of codes and the fractions after them, both of which
 * grow with the key (wgsl/shared/compared.wgsl): one kernel has a copy of its loops for each, as a choice for
 * each key would slow keys whose topmost digits differ.
 *
 * A region is so small that its floats are spread about evenly, unless many are equal. Where the range of all
 * keys ends within one, which its neighbour tells, it gets the codes of a whole one. The second pass reads
 * some samples again and does not remap keys of which too many share a segment, or are equal. Samples do not
 * tell the numbers of keys exactly, so some segments get longer than others: those that do not fit the tile of
 * the local sort are left to a second local sort. If one does not fit that either, the fallback begins, as it
 * does without a table.
 */
export function remapPasses(job: RadixJob, tuning: SubgroupTuning, msd: MsdTuning): Pass[] {
  const remap = remapOf(job, msd);
  return remap ? [countPass(job, msd, remap), planPass(job, tuning, msd, remap)] : [];
}

/**
 * Whether a sort moves whole numbers in place of decimals of at most three places, such as prices, of which too many
 * are equal for a remap to spread them. Prices below 2^24 cents differ in 24 bits as whole cents, and in about twice
 * as many as floats, so the fallback then skips half of its moves.
 *
 * Where the samples of a refused remap are decimals, the count of the first level tests whether all keys are, that of
 * the second converts them in place, and that of the last move restores them. Without decimals, these counts return
 * immediately if a remap is refused, or if the sort does not fall back (wgsl/msd/remap/decimals.wgsl,
 * converted_decimals.wgsl). The input cannot be kept, and keys must be sorted by all of their bits: whole numbers
 * take up to 30 of these, and the last move, by the topmost ones, is always skipped.
 */
export function takesDecimals(job: RadixJob, msd: MsdTuning): boolean {
  const { type, ordered, input, even, bits } = job;
  const isWhole = bits.begin === 0 && bits.end === 64;
  const isPossible = type.words === 2 && !ordered && isWhole && input.keys === even.keys;
  return isPossible && skipsMoves(job, "if_fallback") && remapOf(job, msd) !== undefined;
}

function countPass(job: RadixJob, msd: MsdTuning, { rows, samples }: RemapTuning): Pass {
  const { variants, constants } = remapKeyParts(job);
  const { bindings, numbers } = placeBindings([job.input.keys, REMAP_COUNTS, STATUS], []);
  return {
    program: program("msd_remap_count", {
      variants: { ...variants, condition: "if_fallback" },
      constants: {
        ...constants,
        ...numbers,
        STATUS: 2,
        WORKGROUP_SIZE: countingSize(msd),
      },
    }),
    bindings,
    params: params("msd_remap_count", { keyCount: job.keyCount, samples, rowSamples: samples / rows }),
    grid: [rows, 1, 1],
  };
}

function planPass(
  job: RadixJob,
  tuning: SubgroupTuning,
  msd: MsdTuning,
  { rows, samples }: RemapTuning,
): Pass {
  const { variants, constants } = remapKeyParts(job);
  const { bindings, numbers } = placeBindings([job.input.keys, REMAP_COUNTS, STATUS, KEY_RANGE], []);
  const binSamples = msd.samples!;
  return {
    program: program("msd_remap_plan", {
      variants: {
        ...variants,
        ...sumVariants(tuning),
        decimals: takesDecimals(job, msd) ? "chosen" : undefined,
      },
      constants: {
        ...constants,
        ...numbers,
        WORKGROUP_SIZE: countingSize(msd),
        SUBGROUP_SIZE: tuning.subgroupSize,
        SAMPLES: binSamples,
      },
    }),
    bindings,
    params: params("msd_remap_plan", {
      keyCount: job.keyCount,
      rows,
      counted: samples,
      allBits: codeBits(msd),
      longest: segmentKeys(msd.second!.long!),
      squares: evenSquares(binSamples, codeBits(msd), binSamples),
      equalSquares: equalSquares(job, segmentKeys(msd.second!.long!), binSamples),
    }),
    grid: [1, 1, 1],
  };
}

/**
 * The share of the longest tile that keys equal to a random one may fill, alone and with values, whose local sort
 * merges the positions of equal keys: see `equalSquares`.
 */
const EQUAL_SHARE = { alone: 2 / 9, withValues: 1 / 11 };

/**
 * The greatest sum of the squares of the numbers of samples in a bin, of as many bins of values as samples, for
 * keys of which few are equal. It is exceeded where the keys that equal a random one fill more than EQUAL_SHARE
 * of a tile: as the most frequent price has 2.5 times as many keys, some segments then exceed the tile, or take
 * longer than the stable passes. Five standard deviations more are left to chance.
 *
 * @param longest the most keys of a segment that a local sort can sort.
 */
function equalSquares({ keyCount, payload }: RadixJob, longest: number, samples: number): number {
  const share = payload === 0 ? EQUAL_SHARE.alone : EQUAL_SHARE.withValues;
  // Different values, which share bins by chance, give two for each sample.
  const different = 2 * samples + 5 * Math.sqrt(2 * samples);
  return Math.floor(different + (share * longest * samples ** 2) / keyCount);
}

/** The variants and constants of the kernels that read samples of floats of whole words. */
function remapKeyParts({ type, options, ordered }: RadixJob) {
  const key = ordered ? orderedParts(type) : keyParts(type, options);
  const variants = {
    key: key.variants.key,
    order: key.variants.order,
    remap_word: key.variants.order,
    key_range: key.variants.order,
  } as const;
  const constants = { ...key.constants, ...remapConstants(type, options), RAW_INPUT: ordered ? 0 : 1 };
  return { variants, constants };
}
