import type { Pass } from "../plan/plan.js";
import { params, program } from "../shaders/kernels.js";
import { keyParts, orderedParts } from "./key.js";
import { segmentKeys } from "./msd_segments.js";
import type { MsdTuning } from "./msd_tuning.js";
import type { RadixJob } from "./radix_job.js";
import { FITS, OUTLIERS, SHARED_BITS, sumsColumns } from "./radix_passes.js";

/** Bytes of the struct `SharedBits` of wgsl/shared/shared_bits/ for keys of two words. */
export const SHARED_BITS_BYTES = 32;

/** By how much more than evenly spread keys the samples may share bins. Keys of 20,000 values share so many. */
const SHARED_BINS = 1.15;

/**
 * Whether a sort looks at a sample of its keys first: not of few keys, for which the sample would take long;
 * not if its first pass counts for the fallback too, since that pass must not be left out then; and not if some
 * bits are not compared, which may be among those that the keys do not share.
 */
export function isSampled(job: RadixJob, { samples = 0 }: MsdTuning): boolean {
  return samples > 0 && job.keyCount >= samples && !sumsColumns(job) && job.options.bits === undefined;
}

/**
 * The pass that looks at a sample of the keys. It finds the topmost bits that all samples share, so that the
 * first digit begins below them. If too many samples share their topmost digit, or all digits, the segments are
 * not expected to fit, and the fallback begins at once.
 */
export function samplePass(job: RadixJob, msd: MsdTuning): Pass {
  const { digitBits, second, local, workgroupSize, samples = 0 } = msd;
  const nextBits = second?.digitBits ?? 0;
  const share = (segmentKeys(local) * 2 ** nextBits * samples) / job.keyCount;
  const evenly = samples + samples ** 2 * (2 ** -(digitBits + nextBits) + 1 / samples);
  const rawInput = !job.ordered;
  const { variants, constants } = rawInput ? keyParts(job.type, job.options) : orderedParts(job.type);
  return {
    program: program("msd_sample", {
      variants: {
        key: variants.key,
        order: variants.order,
        shared_bits: variants.order,
        input_window: "whole",
      },
      constants: {
        ...constants,
        RAW_INPUT: rawInput ? 1 : 0,
        WORKGROUP_SIZE: workgroupSize,
        SAMPLES: samples,
        TOP_BITS: digitBits,
        ALL_BITS: digitBits + nextBits,
        PARAMS: 4,
      },
    }),
    bindings: [job.input.keys, SHARED_BITS, FITS, OUTLIERS],
    params: params("msd_sample", {
      keyCount: job.keyCount,
      // Three standard deviations above the samples of the longest segment that fits, and some more if they are few.
      longest: Math.floor(share + 3 * Math.sqrt(share)) + 6,
      squares: Math.floor(SHARED_BINS * evenly),
    }),
    grid: [1, 1, 1],
  };
}
