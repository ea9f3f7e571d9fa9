import { linearGrid } from "../plan/grid.js";
import type { Pass } from "../plan/plan.js";
import { params, program } from "../shaders/kernels.js";
import type { Digit } from "./digits.js";
import type { MsdTuning, SegmentTuning } from "./msd_tuning.js";
import { cutIntoChunks, type RadixJob } from "./radix_job.js";
import { FITS, passKeyParts, placeBindings, SHARED_BITS } from "./radix_passes.js";
import type { SubgroupTuning } from "./radix_tuning.js";

/** The buffer of the places where segments start, and of the number of keys. */
export const STARTS = "starts";

/** The networks of wgsl/shared/network/: the number of comparators by the number of keys. */
const COMPARATORS = { 3: 3, 5: 9, 9: 25 } as const;

/** The digit that consists of the `maxBits` bits below bit `end`, or of fewer: it does not span two words. */
export function digitBelow(end: number, { bits }: RadixJob, maxBits: number): Digit {
  const shift = Math.max(bits.begin, end - maxBits, end > 32 ? 32 : 0);
  return { shift, mask: 2 ** (end - shift) - 1 };
}

/** The same sort, in chunks of the tiles of a scatter by MSD. */
export function inChunks(job: RadixJob, tuning: SubgroupTuning, msd: MsdTuning): RadixJob {
  const { columns, workgroupSize, keysPerInvocation } = msd;
  const chunks = cutIntoChunks(
    job.keyCount,
    { ...tuning, columns, workgroupSize, keysPerInvocation },
    undefined,
  );
  return { ...job, ...chunks };
}

/** Invocations per workgroup of a count pass. */
export function countingSize({ workgroupSize }: MsdTuning): number {
  return Math.min(512, workgroupSize);
}

/** The maximum number of keys that the local sort sorts. */
export function segmentKeys({ workgroupSize, keysPerInvocation }: SegmentTuning): number {
  return workgroupSize * keysPerInvocation;
}

/** What a local sort sorts. */
interface Segments {
  /** The buffer of the places where the segments start. Undefined if all keys are one segment. */
  readonly starts: string | undefined;
  readonly segments: number;
  /** The buffers of the keys. They may be the same. */
  readonly from: string;
  readonly to: string;
  readonly rawInput: boolean;
  /** The keys of a segment share the bits from this one on, not counting the bits that all keys share. */
  readonly end: number;
  /** Whether a sample told which bits all keys share. */
  readonly sampled?: boolean;
}

/** The pass that sorts each segment in workgroup memory. */
export function localPass(
  job: RadixJob,
  { subgroupSize }: SubgroupTuning,
  local: SegmentTuning,
  { starts, segments, from, to, rawInput, end, sampled = false }: Segments,
): Pass {
  const { keyCount, ordered, traits } = job;
  const isInPlace = from === to;
  const conversion = { rawInput, rawOutput: !ordered };
  const { variants, constants } = passKeyParts(job, conversion, sampled);
  const { bindings, numbers } = placeBindings(
    [starts ?? from, to],
    [
      ["FITS", starts === undefined ? [] : [FITS]],
      ["INPUT", starts === undefined || isInPlace ? [] : [from]],
      ["SHARED_BITS", sampled ? [SHARED_BITS] : []],
    ],
  );
  return {
    program: program("msd_local", {
      variants: {
        ...variants,
        condition: starts === undefined ? "always" : "if_fits",
        segment: starts === undefined ? "all" : "listed",
        segment_input: isInPlace ? "in_place" : "apart",
        network: `${local.keysPerInvocation}`,
      },
      constants: {
        ...constants,
        ...(starts === undefined ? { INPUT: 0 } : { STARTS: 0 }),
        ...numbers,
        ...(isInPlace ? {} : { RAW_INPUT: rawInput ? 1 : 0 }),
        WORKGROUP_SIZE: local.workgroupSize,
        SUBGROUP_SIZE: subgroupSize,
        KEYS_PER_INVOCATION: local.keysPerInvocation,
        COMPARATORS: COMPARATORS[local.keysPerInvocation],
        DIGIT_BITS: local.binBits,
        ADAPTIVE: starts === undefined ? 1 : 0,
        RAW_OUTPUT: ordered ? 0 : 1,
      },
    }),
    bindings,
    params: params("msd_local", { keyCount, segments, ...digitBelow(end, job, local.binBits) }),
    grid: linearGrid(segments, traits.limits),
  };
}
