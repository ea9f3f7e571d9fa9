import type { ElementType } from "../../elements.js";
import { BINDING_ALIGNMENT, type Binding, type BufferRange, type Pass } from "../../plan/plan.js";
import { PROCESSORS } from "../../plan/traits.js";
import { params } from "../../shaders/kernels.js";
import {
  type ComparedParts,
  comparedParts,
  type Digit,
  type KeyParts,
  keyParts,
  orderedParts,
  type SortOptions,
} from "../key.js";
import type { Window } from "../windows.js";
import type { RadixJob } from "./radix_job.js";
import type { LocalTuning, SubgroupTuning } from "./radix_tuning.js";

/** How a pass reads and writes keys: raw, as the caller stores them, or in their ordered form. */
export interface Conversion {
  readonly rawInput: boolean;
  readonly rawOutput: boolean;
  /** Whether it writes no keys, but only what moves with them. */
  readonly dropsKeys?: boolean | undefined;
}

/** When a pass runs, if not always: the variants of wgsl/shared/status.wgsl. */
export type Condition = "if_fits" | "if_fallback";

/**
 * Whether a pass finds the bits in which keys differ, or reads them and does nothing if its move is skipped:
 * the variants of wgsl/msd/differing_bits.wgsl.
 */
export type DifferingBits = "published" | "read";

/** The buffer of the totals: the number of keys of each digit value. */
export const TOTALS = "totals";
/**
 * The buffer of four words, and of the table of a remap after them (wgsl/msd/remap/remap_word.wgsl). The first
 * word is how the sort goes on: see wgsl/shared/status.wgsl. The others are those of the grid barrier of a
 * fallback in one dispatch (wgsl/msd/fallback/grid_barrier.wgsl), or the bits in which keys differ
 * (wgsl/msd/differing_bits.wgsl).
 */
export const STATUS = "status";
/** The words of STATUS before the table. */
export const STATUS_WORDS = 4;
/**
 * The buffer of the distinct values of the samples, if these are few, and of how many keys have each of them.
 */
export const DISTINCT_KEYS = "distinct_keys";
/** The buffer of the range of the keys, as far as a sample tells: see `samplePass` and `ownSamples`. */
export const KEY_RANGE = "key_range";
/**
 * The buffer of one word, which becomes 1 if some key is outside KEY_RANGE, or has a value that is not counted.
 */
export const OUTLIERS = "outliers";
/** The buffer of the counts of workgroups that make the moves of a fallback in one pass: see `fallbackPass`. */
export const WORKGROUP_COUNTS = "workgroup_counts";
/** The buffer of the parameters of all moves, if the device reads the number of keys. */
export const PARAMS = "params";

/** The buffer of the counts of a digit in each chunk. */
export const COUNTS = "counts";

/** The buffer of the topmost digit's counts. The pass that writes them also counts the lowest, in COUNTS. */
export const TOP_COUNTS = "top_counts";

/**
 * Whether each workgroup of a scatter pass adds up the counts of earlier columns itself, without a scan pass.
 */
export function sumsColumns({ tuning, inputWindows }: RadixJob): boolean {
  return tuning.family === "subgroup" && tuning.fusedScan && inputWindows.length === 1;
}

/** The buffers of the counts of groups of chunks: those of one digit, and those of the next one. */
export const GROUP_COUNTS = ["group_counts", "next_group_counts"] as const;

/** Chunks per group: as many as make at most 16 groups, which are loaded at once, of all chunks of a table. */
export const GROUP_CHUNKS = Math.ceil((4 * PROCESSORS) / 16);

/**
 * Whether each workgroup of a scatter pass adds up counts of groups of chunks, as there are too many chunks to
 * add up singly. A sort that runs once would have to compile a longer scatter for it.
 */
export function groupsColumns(job: RadixJob): boolean {
  const { tuning, inputWindows, options } = job;
  return tuning.family === "subgroup" && !sumsColumns(job) && inputWindows.length === 1 && !options.once;
}

/**
 * Whether moves by bits in which no keys differ are skipped: in a fallback, whose passes read STATUS anyway
 * (else that would cost each dispatch 2 us); two at a time, as moves alternate between two buffers, but not the
 * first two, which read the sort's input. A fallback has an even number of moves (`canSortByMsd`). Not where
 * workgroups add up the counts of single columns: there the first pass of the sort counts for the fallback too,
 * and no pass before it could clear the words.
 */
export function skipsMoves(job: RadixJob, condition: Condition | undefined): boolean {
  return condition === "if_fallback" && groupsColumns(job);
}

/** Whether a move is the second of two that are skipped together. */
export function endsPair(number: number): boolean {
  return number % 2 === 1;
}

/** The parameters of wgsl/msd/differing_bits.wgsl. */
function skippingParams({ digits }: RadixJob, number: number) {
  const after = number + (endsPair(number) ? 1 : 2);
  const pair = bitsOf(after > 2 ? digits.slice(after - 2, after) : []);
  const later = bitsOf(digits.slice(after));
  return { pairLow: pair.low, pairHigh: pair.high, laterLow: later.low, laterHigh: later.high };
}

/** The bits of some digits, as a low and a high word. */
function bitsOf(digits: readonly Digit[]): { low: number; high: number } {
  const bits = digits.reduce((sum, { shift, mask }) => sum | (BigInt(mask) << BigInt(shift)), 0n);
  return { low: Number(bits & 0xffff_ffffn), high: Number(bits >> 32n) };
}

/**
 * The variant of wgsl/msd/bias.wgsl for a fallback. Signed keys may take a smaller bias, which changes all of
 * their bits: not if the sort is by some of these.
 */
export function biasVariant({ type, bits }: RadixJob): KeyParts["variants"]["order"] | undefined {
  const isWhole = bits.begin === 0 && bits.end === 8 * type.bytes;
  return type.order === "signed" && isWhole ? (type.words === 2 ? "64" : "32") : undefined;
}

/** The counts of all groups. */
export function groupWords(job: RadixJob): number {
  return 2 ** job.tuning.digitBits * Math.ceil(maxColumns(job) / GROUP_CHUNKS);
}

/**
 * The maximum number of columns. If the device reads the number of keys, it may find fewer keys than the plan
 * allows, and cut them into more columns.
 */
export function maxColumns({ columns, keyCount, tuning, minChunk, options }: RadixJob): number {
  return options.counted ? Math.max(1, Math.min(tuning.columns, Math.ceil(keyCount / minChunk))) : columns;
}

/** Optional bindings, each group with the name of the WGSL constant for the number of its first binding. */
type OptionalBindings<Name extends string> = readonly (readonly [name: Name, bindings: readonly Binding[]])[];

/**
 * Puts optional bindings after the fixed bindings. The parameters follow as the last binding.
 *
 * @returns the bindings, and the constants that tell the kernel the numbers of the optional bindings and of
 *   the parameters.
 */
export function placeBindings<Name extends string>(
  fixed: readonly Binding[],
  optional: OptionalBindings<Name>,
): { bindings: Binding[]; numbers: Partial<Record<Name, number>> & { PARAMS: number } } {
  const bindings = [...fixed];
  const numbers: Partial<Record<Name, number>> = {};
  for (const [name, group] of optional) {
    if (group.length > 0) numbers[name] = bindings.length;
    bindings.push(...group);
  }
  return { bindings, numbers: { ...numbers, PARAMS: bindings.length } };
}

/**
 * Where a pass writes its keys, binding 1, and what moves with them. If it writes no keys, the values take
 * their binding.
 */
export function outputParts(keys: Binding, values: Binding | undefined, dropsKeys = false) {
  if (dropsKeys && values !== undefined) {
    return {
      output: values,
      optional: [],
      numbers: { OUTPUT_VALUES: 1 },
      variants: { written_keys: undefined },
    } as const;
  }
  return {
    output: keys,
    optional: [["OUTPUT_VALUES", values === undefined ? [] : [values]]],
    numbers: {},
    variants: { written_keys: "all" },
  } as const;
}

/**
 * What a sample of the keys tells a pass: nothing, as there is none; the range of the keys; or the range, to
 * which an earlier pass has normalized them.
 */
export type Sampled = "no" | "range" | "normalized";

/**
 * The margin at each end of the range of samples, as a multiple of their mean distance. Some of many uniform
 * keys lie past one of them with a probability of 2 / e^8, so one sort of 1,500 falls back.
 */
const MARGIN_SAMPLES = 8;

/** Log2 of how many times wider the range of some samples is than the margin at each of its ends. */
export function marginBits(samples: number): number {
  return Math.max(0, Math.log2(samples / MARGIN_SAMPLES));
}

/** The binding of what the sample tells: the range of the keys. */
export function sampledBindings(sampled: Sampled) {
  return [["KEY_RANGE", sampled === "no" ? [] : [KEY_RANGE]]] as const;
}

/** How the keys of a pass are stored and ordered, and what is compared of them. */
interface PassKeyParts {
  readonly variants: KeyParts["variants"] & {
    readonly compared: ComparedParts["variants"]["compared"] | "remapped";
    readonly nans?: ComparedParts["variants"]["nans"];
    readonly normalization: "range" | "kept" | undefined;
    readonly key_range: KeyParts["variants"]["order"];
    readonly remap_word: KeyParts["variants"]["order"];
  };
  readonly constants: KeyParts["constants"] & ComparedParts["constants"] & { readonly ZERO_HIGH?: number };
}

/**
 * The variants and constants for the keys of a pass. A pass that reads and writes ordered forms does not
 * depend on the type, so one kernel serves all types, except floats whose NaNs are equal.
 *
 * @param sampled what a sample tells of the keys, which move normalized.
 * @param remaps whether digits may be taken of the codes of the equi-depth remap, whose table is in STATUS. The
 *   pass must have a condition.
 */
export function passKeyParts(
  { type, options }: RadixJob,
  { rawInput, rawOutput }: Conversion,
  sampled: Sampled = "no",
  remaps = false,
): PassKeyParts {
  const key = rawInput || rawOutput ? keyParts(type, options) : orderedParts(type);
  const compared = comparedParts(type, options);
  return {
    variants: {
      ...key.variants,
      ...(remaps ? { compared: "remapped" } : compared.variants),
      normalization: sampled === "range" ? "range" : sampled === "normalized" ? "kept" : undefined,
      key_range: key.variants.order,
      remap_word: key.variants.order,
    },
    constants: {
      ...key.constants,
      ...(remaps ? remapConstants(type, options) : compared.constants),
    },
  };
}

/** The constants of wgsl/msd/remap/remap_word.wgsl. */
export function remapConstants({ words }: ElementType, { descending }: Pick<SortOptions, "descending">) {
  return words === 2 ? { ZERO_HIGH: descending ? 0x8010_0000 : 0x7ff0_0000 } : {};
}

/** The digit of a pass. */
export interface DigitStep {
  readonly digit: Digit;
  readonly number: number;
  /** A second digit that the same count pass counts. */
  readonly extra?: Digit | undefined;
  /** The most keys of a segment that a local sort can sort, if the pass tests whether segments fit. */
  readonly segmentKeys?: number;
  /** How many counts a chunk has, and where, if the program of the pass does not tell. */
  readonly counted?: CountPlaces;
  /** What the pass does with the bits in which keys differ; by default nothing. */
  readonly differingBits?: DifferingBits | undefined;
}

/** Where the counts of chunks are. */
export interface CountPlaces {
  /** The counts of a chunk: one for each value of the digit. */
  readonly digits: number;
  /**
   * The distance from one of them to the next, and from the first ones of a chunk to those of the next chunk.
   */
  readonly digitStride: number;
  readonly columnStride: number;
}

/**
 * Zeros for the parameters that only wgsl/msd/msd_count.wgsl, msd_aligned_scatter.wgsl and moves that may be
 * skipped read.
 */
export const UNREAD_PARAMETERS = {
  mask: 0,
  digits: 0,
  digitStride: 0,
  columnStride: 0,
  pairLow: 0,
  pairHigh: 0,
  laterLow: 0,
  laterHigh: 0,
} as const;

/** The parameters of a pass over one window of the input and one window of the output. */
export function parameters(job: RadixJob, step: DigitStep, input: Window, output: Window): Pass["params"] {
  const { keyCount, chunk, columns, options } = job;
  const { digit, number, extra, segmentKeys = 0, counted, differingBits } = step;
  const written = params("radix_scatter", {
    keyCount,
    shift: digit.shift,
    chunk,
    columns,
    firstColumn: input.begin / chunk,
    inputBegin: input.begin,
    outputBegin: output.begin,
    outputKeys: output.count,
    extraShift: extra?.shift ?? 0,
    segmentKeys,
    ...UNREAD_PARAMETERS,
    ...(counted ? { ...counted, mask: digit.mask } : {}),
    ...(differingBits === "read" ? skippingParams(job, number) : {}),
  });
  if (!options.counted) return written;
  const bytes = 16 * Math.ceil(written.length / 4);
  return { buffer: PARAMS, offset: number * BINDING_ALIGNMENT, bytes } satisfies BufferRange;
}

/** The variants for kernels that add up by subgroup operations: see wgsl/shared/subgroup.wgsl. */
export function sumVariants({ sizeVaries }: SubgroupTuning) {
  return { subgroup: sizeVaries ? "any" : "known" } as const;
}

/** The variants for kernels that rank keys by subgroup operations: see wgsl/shared/rank.wgsl. */
export function rankVariants(tuning: SubgroupTuning) {
  return { ...sumVariants(tuning), lane_set: tuning.subgroupSize > 32 ? "64" : "32" } as const;
}

/**
 * The constants for those kernels. They rank the keys of a tile of this size, by digits of at most `digitBits`
 * bits.
 */
export function rankConstants(
  { subgroupSize, lockstep, digitBits: usualBits }: SubgroupTuning,
  { workgroupSize, keysPerInvocation }: LocalTuning,
  digitBits = usualBits,
) {
  return {
    WORKGROUP_SIZE: workgroupSize,
    SUBGROUP_SIZE: subgroupSize,
    SUBGROUPS: workgroupSize / subgroupSize,
    COUNTERS: (workgroupSize / subgroupSize) * 2 ** digitBits,
    KEYS_PER_INVOCATION: keysPerInvocation,
    DIGIT_BITS: digitBits,
    LOCKSTEP: lockstep ? 1 : 0,
  };
}
