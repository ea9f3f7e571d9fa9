import { linearGrid } from "../../plan/grid.js";
import type { Pass } from "../../plan/plan.js";
import { params, program } from "../../shaders/kernels.js";
import { type Digit, maskOf } from "../key.js";
import { cutIntoChunks, type KeyBuffers, type RadixJob } from "../radix/radix_job.js";
import {
  DISTINCT_KEYS,
  outputParts,
  passKeyParts,
  placeBindings,
  type Sampled,
  STATUS,
  sampledBindings,
  sumVariants,
} from "../radix/radix_parts.js";
import type { SubgroupTuning } from "../radix/radix_tuning.js";
import { binWords, type MsdTuning, type SegmentTuning } from "./msd_tuning.js";

/** The buffer of the places where segments start, and of the number of keys. */
export const STARTS = "starts";

/**
 * The most workgroups that sort segments. Where a sort falls back they start only to return: 65,536 of
 * them make a sort of 2^27 skewed keys take 1.3% longer on an H200. With half as many as these, random keys
 * take 1.5% longer.
 */
const MOST_WORKGROUPS = 4096;

/** The networks of wgsl/shared/network.wgsl: the number of comparators by the number of keys. */
const COMPARATORS = { 3: 3, 5: 9, 9: 25 } as const;

/** The digit that consists of the `maxBits` bits below bit `end`, or of fewer: it does not span two words. */
export function digitBelow(end: number, { bits }: RadixJob, maxBits: number): Digit {
  const shift = Math.max(bits.begin, end - maxBits, end > 32 ? 32 : 0);
  return { shift, mask: 2 ** (end - shift) - 1 };
}

/**
 * The digit that keys are scattered by first. After a sample, keys move normalized: they use
 * the topmost bits.
 */
export function topDigit(job: RadixJob, { digitBits }: MsdTuning, sampled: Sampled): Digit {
  return digitBelow(sampled !== "no" ? 8 * job.type.bytes : job.bits.end, job, digitBits);
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

/**
 * The variant and the constants for kernels that sort a tile by bins and networks: see wgsl/msd/bins.wgsl.
 */
export function networkParts({ keysPerInvocation, binBits }: SegmentTuning) {
  return {
    variants: { network: `${keysPerInvocation}` },
    constants: { COMPARATORS: COMPARATORS[keysPerInvocation], BIN_BITS: binBits },
  } as const;
}

/** The variants of wgsl/msd/local_item.wgsl. */
export type SegmentItems = "key" | "position" | "key_and_position" | "index";

/** What a local sort sorts. */
interface Segments {
  /** The buffer of the places where the segments start. */
  readonly starts: string;
  readonly segments: number;
  /** The buffer of the keys; see `items` for what it holds. */
  readonly from: string;
  /** The buffers of the sorted keys and of what moves with them. The buffer of the keys may be `from`. */
  readonly to: KeyBuffers;
  readonly rawInput: boolean;
  /** The keys of a segment share the bits from this one on, of those that digits are taken of. */
  readonly end: number;
  /** What a sample of the keys tells: see `samplePass`. */
  readonly sampled?: Sampled;
  /** Whether digits may be those of the codes of a remap. */
  readonly remaps?: boolean;
  /**
   * The buffer of the numbers of the segments to sort; see wgsl/msd/msd_local.wgsl. By default all are sorted.
   */
  readonly listed?: string;
  /** The most distinct values that a pass before it may have counted: see `maxDistinctOf`. */
  readonly maxDistinct?: number;
  /** The most workgroups, each of which may sort several segments; by default MOST_WORKGROUPS. */
  readonly workgroups?: number | undefined;
  /**
   * What a segment's keys come with: nothing; their values, in the buffer of the sorted values, where equal
   * keys have their order from the input; or their indices in the input, as pairs of words. With values, a
   * position is sorted in a word with what differs of the key, or beside the whole key.
   */
  readonly items?: SegmentItems;
  /**
   * With indices, the buffer of the values that move with the keys. Undefined if the indices do themselves.
   */
  readonly values?: string | undefined;
}

/** The pass that sorts each segment in workgroup memory. */
export function localPass(job: RadixJob, tuning: SubgroupTuning, local: SegmentTuning, sort: Segments): Pass {
  const { ordered, traits } = job;
  const { starts, segments, from, to, rawInput, listed, workgroups = MOST_WORKGROUPS } = sort;
  const { sampled = "no", remaps = false, maxDistinct = 0, items = "key" } = sort;
  const dropsKeys = job.options.dropKeys === true;
  const isInPlace = from === to.keys && !dropsKeys;
  const conversion = { rawInput, rawOutput: !ordered };
  const { variants, constants } = passKeyParts(job, conversion, sampled, remaps);
  const moved = movedValues(sort);
  const written = outputParts(to.keys, items === "key" ? undefined : to.values, dropsKeys);
  const { bindings, numbers } = placeBindings(
    [starts, written.output],
    [
      ["STATUS", [STATUS]],
      ["INPUT", isInPlace ? [] : [from]],
      ...sampledBindings(sampled),
      ["LONG_SEGMENTS", listed === undefined ? [] : [listed]],
      ["DISTINCT_KEYS", maxDistinct > 0 ? [DISTINCT_KEYS] : []],
      ["VALUES", moved.bindings],
      ...written.optional,
    ],
  );
  const network = networkParts(local);
  return {
    program: program("msd_local", {
      variants: {
        ...variants,
        ...sumVariants(tuning),
        ...network.variants,
        condition: "if_fits",
        segment: listed === undefined ? undefined : "long",
        segment_input: items === "index" ? "numbered" : isInPlace ? "in_place" : "apart",
        local_item: items,
        local_values: moved.variant,
        low_cardinality: maxDistinct > 0 ? "fill" : undefined,
        ...written.variants,
      },
      constants: {
        ...constants,
        STARTS: 0,
        ...numbers,
        ...written.numbers,
        ...(isInPlace || items === "index" ? {} : { RAW_INPUT: rawInput ? 1 : 0 }),
        ...itemConstants(job, tuning, local, items),
        ...(maxDistinct > 0 ? { MAX_DISTINCT: maxDistinct } : {}),
        WORKGROUP_SIZE: local.workgroupSize,
        SUBGROUP_SIZE: tuning.subgroupSize,
        KEYS_PER_INVOCATION: local.keysPerInvocation,
        ...network.constants,
        COUNTERS: binWords(local),
        RAW_OUTPUT: ordered ? 0 : 1,
      },
    }),
    bindings,
    params: localParams(job, local, sort),
    grid: linearGrid(Math.min(segments, workgroups), traits.limits),
  };
}

/** The constants of wgsl/msd/local_item.wgsl. */
function itemConstants(job: RadixJob, tuning: SubgroupTuning, local: SegmentTuning, items: SegmentItems) {
  const { bits, dropKeys } = job.options;
  return {
    ...(items === "position"
      ? { POSITION_BITS: positionBits(local), KEEPS_KEYS: hidesBits(job) && !dropKeys ? 1 : 0 }
      : { DIGIT_BITS: tuning.digitBits }),
    ...(items === "index" ? { ALL_BITS: bits ? 0 : 1 } : {}),
  };
}

/** The parameters of wgsl/msd/msd_local.wgsl. */
function localParams(job: RadixJob, local: SegmentTuning, { segments, end, sampled = "no" }: Segments) {
  const lowBit = comparedFrom(job, sampled);
  return params("msd_local", {
    keyCount: job.keyCount,
    segments,
    ...digitBelow(end, job, local.binBits),
    lowBit,
    maskLow: maskOf({ begin: lowBit, end }, 0),
    maskHigh: maskOf({ begin: lowBit, end }, 32),
    segmentShift: Math.max(0, end - 32 * (job.type.words - 1)),
  });
}

/** The variant of wgsl/msd/local_item.wgsl for what moves with the keys, and the buffer that it comes from. */
function movedValues({ items = "key", values }: Segments) {
  if (items === "key") return { variant: undefined, bindings: [] } as const;
  if (items !== "index") return { variant: "in_place", bindings: [] } as const;
  return values === undefined
    ? ({ variant: "index", bindings: [] } as const)
    : ({ variant: "word", bindings: [values] } as const);
}

/** The bits of a position in a segment. */
function positionBits(local: SegmentTuning): number {
  return Math.ceil(Math.log2(segmentKeys(local)));
}

/** The lowest bit that is compared. Normalized keys use their topmost bits, so it may be any bit. */
function comparedFrom({ bits }: RadixJob, sampled: Sampled): number {
  return sampled === "no" ? bits.begin : 0;
}

/** Whether keys have bits that are not compared. */
function hidesBits({ options, bits }: RadixJob): boolean {
  return options.bits !== undefined || bits.begin > 0;
}

/**
 * Whether as many bits as a key's have room for a position in a segment, and for what may differ between the
 * segment's keys.
 */
export function itemsFit(job: RadixJob, local: SegmentTuning, end: number, sampled: Sampled): boolean {
  return end - comparedFrom(job, sampled) + positionBits(local) <= 32 * job.type.words;
}
