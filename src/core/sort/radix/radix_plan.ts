import type { ElementType } from "../../elements.js";
import { arrayBytes, BINDING_ALIGNMENT, type BufferSpec, type Pass } from "../../plan/plan.js";
import type { DeviceTraits } from "../../plan/traits.js";
import { params, program } from "../../shaders/kernels.js";
import { allBits, isPlain, MAX_KEYS, type SortOptions, type SortPlan } from "../key.js";
import {
  convertPasses,
  countingFillPasses,
  GATHERED,
  gatherPasses,
  indexPasses,
  packPasses,
  planOnDevicePass,
} from "./convert_and_gather.js";
import { type KeyBuffers, type RadixJob, radixJob } from "./radix_job.js";
import { movePasses, tallyPasses } from "./radix_moves.js";
import {
  COUNTS,
  type Conversion,
  endsPair,
  GROUP_COUNTS,
  groupWords,
  maxColumns,
  outputParts,
  passKeyParts,
  placeBindings,
  rankConstants,
  rankVariants,
  STATUS,
  STATUS_WORDS,
  skipsMoves,
  sumsColumns,
  TOP_COUNTS,
} from "./radix_parts.js";
import { valuesVariant } from "./radix_passes.js";
import {
  fitsTile,
  type LocalTuning,
  lsdTuning,
  type RadixTuning,
  type SubgroupTuning,
} from "./radix_tuning.js";

/** The sort of keys by the most significant digit first: msd.ts. */
type MsdSort = typeof import("../msd/msd.js");

/** How keys are sorted. */
interface RadixMethod {
  readonly tuning: RadixTuning;
  /**
   * Plans the sort by the most significant digit first. Where it is absent, the tuning must be one of sorts by
   * the least significant digit first alone.
   */
  readonly msd?: MsdSort;
}

/** Plans a radix sort: see `radixPlan`. */
export function planRadix(
  keyCount: number,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
  { tuning, msd }: RadixMethod,
): SortPlan {
  const job = radixJob(keyCount, type, options, traits, tuning);
  if (keyCount < 2 && isPlain(options)) return { buffers: buffersOf(job, []), passes: [], result: "keys" };
  if (sortsByCounting(job)) return countingPlan(job);

  const { passes, last } = sortingPasses(job, msd);
  let { keys, values } = last;
  if (job.sameKernels) {
    if (job.payload !== 4 && job.input.values) passes.unshift(...indexPasses(job, job.input.values));
    if (!job.ordered) {
      passes.unshift(...convertPasses(job, job.input.keys, "to ordered"));
      if (!options.dropKeys) passes.push(...convertPasses(job, keys, "back"));
    }
  }
  if (job.narrow && !options.dropKeys) {
    const packed = packedKeys(job);
    passes.push(...packPasses(job, keys, packed));
    keys = packed;
  }
  if (typeof job.payload === "number" && job.payload > 4) {
    const gather = { indices: values!, count: keyCount, valueBytes: job.payload };
    passes.push(...gatherPasses(gather, traits));
    values = GATHERED;
  }
  return {
    buffers: buffersOf(job, passes, msd),
    passes,
    result: options.dropKeys ? values! : keys,
    ...(values === undefined ? {} : { values }),
  };
}

/**
 * The maximum number of keys whose plan fits a device. The plan's longest buffer decides. It may be longer
 * than a binding, because it can be bound in windows, except if the device reads the number of keys.
 */
export function radixCapacity(type: ElementType, options: SortOptions, traits: DeviceTraits): number {
  const { payload = 0, bits = allBits(type), counted } = options;
  const { limits } = traits;
  const tuning = lsdTuning(MAX_KEYS, type, traits, options);
  const isCounting = sortsByCounting({ type, payload, bits, options, tuning });
  const movedBytes = Math.max(4 * type.words, payload === 0 ? 0 : 4);
  const valueBytes = payload === "index" ? 4 : payload;
  const longestBytes = Math.max(isCounting ? type.bytes : movedBytes, valueBytes);
  const maxBufferBytes = limits.maxBufferSize - (limits.maxBufferSize % 4);
  const maxBoundKeys = counted ? limits.maxStorageBufferBindingSize / movedBytes : MAX_KEYS;
  return Math.floor(Math.min(MAX_KEYS, maxBufferBytes / longestBytes, maxBoundKeys));
}

/** The passes that sort, and the buffers in which they leave keys and values. */
function sortingPasses(job: RadixJob, msd?: MsdSort): { passes: Pass[]; last: KeyBuffers } {
  const { tuning, keyCount, options, input, odd, even, digits } = job;
  const last = digits.length % 2 === 1 ? odd : even;
  if (options.counted) return { passes: [planOnDevicePass(job), ...plainMoves(job)], last };

  if (tuning.family === "subgroup" && msd) {
    const oneWorkgroup = msd.oneWorkgroupPass(job, tuning);
    if (oneWorkgroup) return { passes: [oneWorkgroup], last: odd };
    if (tuning.msd && msd.canSortByMsd(job, tuning.msd)) {
      // Two levels have chunks of their own, which are not those of the fallback. Nothing is counted or moved
      // before a fallback that skips moves: its first count finds the bits in which keys differ.
      const isCounted = sumsColumns(job) && tuning.msd.second === undefined;
      const moved = msd.makesFirstFallbackMove(job, tuning.msd) ? 1 : 0;
      const inOnePass = msd.oneFallbackPass(job, tuning, tuning.msd);
      const restores = msd.takesDecimals(job, tuning.msd) && !options.dropKeys;
      const remaining = { from: moved, isCounted, isCleared: tuning.msd.second !== undefined, restores };
      const fallback = inOnePass
        ? [...plainMoves(job, "if_fallback", { ...remaining, to: 1 }), inOnePass]
        : plainMoves(job, "if_fallback", remaining);
      return { passes: [...msd.msdPasses(job, tuning, tuning.msd), ...fallback], last: even };
    }
  }
  // With no bits to sort by, the kernel of the local sort would move nothing.
  const hasBits = job.bits.end > job.bits.begin;
  if (tuning.family === "subgroup" && hasBits && fitsTile(keyCount, tuning.local)) {
    const whole = { from: input, to: odd, ...job.bits, ...conversion(job, true, true) };
    return { passes: [localPass(job, tuning, tuning.local, whole)], last: odd };
  }
  return { passes: plainMoves(job), last };
}

/** One step per digit, least significant first: the buffers and conversions of its move. */
function steps(job: RadixJob, condition: "if_fallback" | undefined) {
  const { input, odd, even, digits } = job;
  const skips = skipsMoves(job, condition);
  return digits.map((digit, number) => ({
    from: number === 0 ? input : number % 2 === 1 ? odd : even,
    to: number % 2 === 0 ? odd : even,
    digit,
    number,
    condition,
    ...conversion(job, number === 0, number === digits.length - 1, skips && endsPair(number)),
  }));
}

/** Which moves to make. */
interface SomeMoves {
  /** The number of the first, 0 by default, and one past that of the last; by default there are no more. */
  readonly from?: number;
  readonly to?: number;
  /** Whether earlier passes have counted the digit of the first; the default is false. */
  readonly isCounted?: boolean;
  /** Whether earlier passes have cleared what the first count adds to; the default is false. */
  readonly isCleared?: boolean;
  /** Whether the last move restores decimals; the default is false. */
  readonly restores?: boolean;
}

function plainMoves(
  job: RadixJob,
  condition?: "if_fallback",
  { from = 0, to, isCounted = false, isCleared = false, restores = false }: SomeMoves = {},
): Pass[] {
  return steps(job, condition)
    .slice(from, to)
    .flatMap((step, i) => {
      return movePasses(job, {
        ...step,
        isCounted: isCounted && i === 0,
        isCleared,
        restored: restores && step.number === job.digits.length - 1 ? step.to.keys : undefined,
      });
    });
}

/**
 * The first move converts keys to their ordered form and the last move converts them back, as do others with
 * which the sort may end, unless a key is its own ordered form, or passes of their own convert keys. Narrow
 * keys are converted back when they are packed. The last move writes no keys if these are dropped.
 */
function conversion(
  { ordered, narrow, sameKernels, options }: RadixJob,
  isFirst: boolean,
  isLast: boolean,
  mayEnd = false,
): Conversion {
  const converts = !ordered && !sameKernels;
  // A sort that runs once has the same kernels for all moves instead, as far as it can.
  const dropsKeys = options.dropKeys === true && isLast && !options.once;
  return {
    rawInput: isFirst && converts,
    rawOutput: (isLast || mayEnd) && converts && !narrow && !options.dropKeys,
    dropsKeys,
  };
}

/** Whether counting sorts the keys: 8-bit keys without values, by all of their bits. */
function sortsByCounting({
  type,
  payload,
  bits,
  options,
  tuning,
}: Pick<RadixJob, "type" | "payload" | "bits" | "options" | "tuning">): boolean {
  const isWhole = bits.begin === 0 && bits.end === 8;
  return type.bytes === 1 && payload === 0 && isWhole && !options.counted && tuning.digitBits === 8;
}

/** Counts the keys of each value and writes the result from the counts. */
function countingPlan(job: RadixJob): SortPlan {
  const keys = packedKeys(job);
  const tally = tallyPasses(job, job.input, job.digits[0]!);
  const passes = [...tally, ...countingFillPasses(job, keys)];
  return { buffers: buffersOf(job, passes), passes, result: keys };
}

/** The buffer that holds the packed result of keys of 8 or 16 bits. */
function packedKeys({ options }: RadixJob): string {
  return options.keepInput ? "result" : "keys";
}

/** The buffers that the passes bind or the caller fills. */
function buffersOf(job: RadixJob, passes: readonly Pass[], msd?: MsdSort): Record<string, BufferSpec> {
  const { keyCount, type, payload, tuning, narrow } = job;
  const digits = 2 ** tuning.digitBits;
  const byMsd = tuning.family === "subgroup" ? tuning.msd : undefined;
  const keyBytes = arrayBytes(keyCount, type.bytes);
  const orderedBytes = arrayBytes(keyCount, 4 * type.words);
  const countBytes = digits * maxColumns(job) * 4;
  const wordBytes = arrayBytes(keyCount, 4);
  const valueBytes = typeof payload === "number" && payload > 0 ? arrayBytes(keyCount, payload) : 0;
  const specs: Record<string, BufferSpec> = {
    keys: { bytes: keyBytes },
    values: { bytes: valueBytes },
    scratch: { bytes: orderedBytes },
    wide: { bytes: orderedBytes },
    result: { bytes: narrow ? keyBytes : orderedBytes },
    scratch_values: { bytes: wordBytes },
    indices: { bytes: wordBytes },
    result_values: { bytes: wordBytes },
    [GATHERED]: { bytes: valueBytes },
    [COUNTS]: { bytes: countBytes },
    [TOP_COUNTS]: { bytes: countBytes },
    ...Object.fromEntries(GROUP_COUNTS.map((name) => [name, { bytes: 4 * groupWords(job) }])),
    totals: { bytes: digits * 4 },
    [STATUS]: { bytes: 4 * STATUS_WORDS },
    count: { bytes: 4 * ((job.options.countAt ?? 0) + 1) },
    params: { bytes: job.digits.length * BINDING_ALIGNMENT, uniform: true },
    ...(msd && byMsd ? msd.msdBuffers(job, byMsd) : {}), // some of these buffers are then longer
  };
  const bound = passes.flatMap(({ bindings }) =>
    bindings.map((binding) => (typeof binding === "string" ? binding : binding.buffer)),
  );
  const names = new Set(["keys", ...(valueBytes > 0 ? ["values"] : []), ...bound]);
  return Object.fromEntries([...names].map((name) => [name, specs[name]!]));
}

/** A local sort, by one dispatch of wgsl/radix/radix_local.wgsl: one workgroup sorts all keys. */
export interface LocalSort extends Conversion {
  readonly from: KeyBuffers;
  readonly to: KeyBuffers;
  /** The bits to sort by: `begin` to `end` - 1. */
  readonly begin: number;
  readonly end: number;
}

/** The pass of a local sort. */
function localPass(job: RadixJob, tuning: SubgroupTuning, local: LocalTuning, sort: LocalSort): Pass {
  const { from, to, begin, end, rawInput, rawOutput } = sort;
  const key = passKeyParts(job, sort);
  const values = from.values === undefined || to.values === undefined ? [] : [from.values];
  const written = outputParts(to.keys, to.values, sort.dropsKeys);
  const { bindings, numbers } = placeBindings(
    [from.keys, written.output],
    [["VALUES", values], ...written.optional],
  );
  return {
    program: program("radix_local", {
      variants: {
        ...key.variants,
        ...rankVariants(tuning),
        values: valuesVariant(sort),
        ...written.variants,
      },
      constants: {
        ...key.constants,
        ...numbers,
        ...written.numbers,
        ...rankConstants(tuning, local),
        RAW_INPUT: rawInput ? 1 : 0,
        RAW_OUTPUT: rawOutput ? 1 : 0,
      },
    }),
    bindings,
    params: params("radix_local", { keyCount: job.keyCount, begin, end }),
    grid: [1, 1, 1],
  };
}
