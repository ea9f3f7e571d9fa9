import type { Pass } from "../../plan/plan.js";
import { program } from "../../shaders/kernels.js";
import { comparedParts, type Digit } from "../key.js";
import type { RadixJob } from "../radix/radix_job.js";
import {
  COUNTS,
  type Condition,
  type CountPlaces,
  DISTINCT_KEYS,
  KEY_RANGE,
  marginBits,
  OUTLIERS,
  parameters,
  passKeyParts,
  placeBindings,
  type Sampled,
  STATUS,
  sampledBindings,
} from "../radix/radix_parts.js";
import { COUNT_LOADS, columnGrid, type ListedChunks } from "../radix/radix_passes.js";
import { MAX_DIGIT_BITS } from "./msd_tuning.js";

/** How many counts a chunk has, and in which order they are. */
export interface CountOrder {
  /** The maximum number of bits of the digit. */
  readonly digitBits: number;
  /** Whether counts are stored column by column, for passes that add up those of neighbours, or row by row. */
  readonly summed: boolean;
}

/** What a count pass of a sort by the most significant digit first counts. */
export interface MsdCount extends CountOrder {
  /** The buffer of the keys. */
  readonly from: string;
  readonly rawInput: boolean;
  readonly digit: Digit;
  /** The buffer of the counts. */
  readonly counts: string;
  /** Invocations per workgroup. */
  readonly workgroupSize: number;
  /** A second digit to count, in COUNTS. */
  readonly extra?: Digit | undefined;
  /** The chunks to count, if an earlier pass has listed them. By default they have equal lengths. */
  readonly listed?: ListedChunks | undefined;
  readonly condition?: Condition | undefined;
  /** What a sample of the keys tells: see `samplePass`. If it is their range, the pass notes keys outside of it. */
  readonly sampled?: Sampled | undefined;
  /** Whether the digit may be one of the codes of a remap. */
  readonly remaps?: boolean;
  /**
   * What it does instead if the samples are decimals: it tests whether all keys are, or converts those of the input to
   * forms in place. By default it counts. See `takesDecimals`.
   */
  readonly decimals?: "tested" | "to_forms" | undefined;
  /** How many keys each workgroup samples first, to find their range itself; by default none. */
  readonly ownSamples?: number | undefined;
  /** The most distinct values that are counted instead, if the samples have few: see `maxDistinctOf`. */
  readonly maxDistinct?: number;
}

/** Where a count pass writes the counts of chunks. */
export function countPlaces({ columns }: RadixJob, { digitBits, summed }: CountOrder): CountPlaces {
  const digits = 2 ** digitBits;
  return summed
    ? { digits, digitStride: 1, columnStride: digits }
    : { digits, digitStride: columns, columnStride: 1 };
}

/** The pass that counts keys of whole buffers in each chunk. */
export function msdCountPass(job: RadixJob, count: MsdCount): Pass {
  const { tuning, inputWindows, outputWindows } = job;
  const { from, digit, extra, listed, condition, rawInput } = count;
  const { sampled = "no", remaps = false, ownSamples = 0, maxDistinct = 0 } = count;
  const { bindings, numbers } = placeBindings(
    [from, count.counts],
    [
      ["EXTRA", extra ? [COUNTS] : []],
      ["CHUNKS", listed ? [listed.buffer] : []],
      ["STATUS", condition ? [STATUS] : []],
      ...sampledBindings(sampled),
      ["OUTLIERS", sampled === "range" ? [OUTLIERS] : []],
      ["SAMPLED_RANGE", ownSamples > 0 ? [KEY_RANGE] : []],
      ["DISTINCT_KEYS", maxDistinct > 0 ? [DISTINCT_KEYS] : []],
      ["CONVERTED", count.decimals === "to_forms" ? [job.input.keys] : []],
    ],
  );
  const counted = countPlaces(job, count);
  const nans = remaps && sampled === "range" ? comparedParts(job.type, job.options) : undefined;
  const { variants, constants } = passKeyParts(job, { rawInput, rawOutput: false }, sampled, remaps);
  return {
    program: program("msd_count", {
      variants: {
        ...variants,
        normalization: ownSamples > 0 ? "own" : variants.normalization,
        extra_count: extra ? "digit" : undefined,
        chunk: listed ? "listed" : "even",
        condition,
        low_cardinality: maxDistinct > 0 ? "count" : undefined,
        decimals: count.decimals,
        // NaNs are equal where values show their order, and take no order of their bits.
        nans: nans?.variants.nans,
      },
      constants: {
        ...constants,
        ...numbers,
        WORKGROUP_SIZE: count.workgroupSize,
        DIGIT_BITS: Math.max(MAX_DIGIT_BITS, count.digitBits),
        RAW_INPUT: rawInput ? 1 : 0,
        LOADS: COUNT_LOADS,
        ...nans?.constants,
        ...(maxDistinct > 0 ? { MAX_DISTINCT: maxDistinct } : {}),
        ...(ownSamples > 0 ? { SAMPLED: ownSamples, MARGIN_BITS: marginBits(ownSamples) } : {}),
        ...(extra ? { EXTRA_BITS: tuning.digitBits, EXTRA_MASK: extra.mask } : {}),
      },
    }),
    bindings,
    params: parameters(job, { digit, number: 0, extra, counted }, inputWindows[0]!, outputWindows[0]!),
    grid: columnGrid(job, inputWindows[0]!, listed),
  };
}
