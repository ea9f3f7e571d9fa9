import type { ElementType } from "../../elements.js";
import type { Pass } from "../../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../../plan/traits.js";
import { params, program } from "../../shaders/kernels.js";
import type { cutIntoWindowedChunks } from "../chunks.js";
import { allBits, comparedParts, type Digit, keyParts, showsTies, type TopOptions } from "../key.js";
import { placeBindings } from "../radix/radix_parts.js";
import { bindWindow, type Window } from "../windows.js";

/** Counters of 2048 digit values take half of the workgroup memory that every device has. */
export const SELECT_DIGIT_BITS = 11;

/**
 * The maximum number of workgroups that count: enough to keep every device busy, and few enough to add up
 * their counts.
 */
const MAX_WORKGROUPS = { hardware: 512, software: 64 };

/** The keys that an invocation of wgsl/select/select_append.wgsl loads at once. */
const APPENDED_AT_ONCE = 8;

/** The buffers of a selection. They differ from those of a sort, as its plan may run on the same buffers. */
export const SELECTION = "selection";
export const SELECT_TOTALS = "select_totals";
export const CHUNK_COUNTS = "chunk_counts";
export const CANDIDATES = "candidates";
export const CANDIDATE_VALUES = "candidate_values";
export const REFINED = "refined";
export const REFINED_VALUES = "refined_values";

/** What keys are selected from. */
export interface SelectInput {
  readonly keyCount: number;
  readonly type: ElementType;
  readonly options: TopOptions;
  readonly traits: DeviceTraits;
}

/** The same, and how its keys are cut. */
export interface SelectBase extends SelectInput {
  /** Most significant first. */
  readonly digits: readonly Digit[];
  readonly shape: ReturnType<typeof cutIntoWindowedChunks>;
}

/** How keys are selected. */
export interface SelectJob extends SelectBase {
  /** The most candidates. */
  readonly room: number;
  /** Whether the candidates are just the first keys, and need not be sorted. */
  readonly isExact: boolean;
  /** How many keys are sampled for a bound of the candidates. Absent if all digits are counted. */
  readonly samples?: number;
  /** How many keys one workgroup selects from the candidates; absent if none does. */
  readonly refined?: number | undefined;
  /** Whether candidates are appended in any order; if not, they keep that of the input. */
  readonly appends?: boolean;
  /** Whether keys that go after the bound fill the rest of the room. */
  readonly fills?: boolean;
  /** Whether one workgroup selects among all keys if the bound does not hold; if not, many count digits. */
  readonly fallsBackToOne?: boolean;
}

export const totalWords = (digits: readonly Digit[]) => Math.max(4, ...digits.map(({ mask }) => mask + 1));

/** How the kernels of a selection read keys. */
function keysOf({ type, options }: SelectJob) {
  const [key, compared] = [keyParts(type, options), comparedParts(type, options)];
  return {
    variants: { ...key.variants, ...compared.variants },
    constants: { ...key.constants, ...compared.constants },
  };
}

/** Counts and goes on, digit by digit. */
export function countPasses(job: SelectJob): Pass[] {
  const { type, traits, digits, shape } = job;
  const { windows } = shape;
  const { variants, constants } = keysOf(job);
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const maxWorkgroups = MAX_WORKGROUPS[traits.software ? "software" : "hardware"];
  const count = (digit: Digit, window: Window): Pass => {
    const workgroups = Math.max(1, Math.min(maxWorkgroups, Math.ceil(window.count / workgroupSize)));
    return {
      program: program("select_count", {
        variants,
        constants: { ...constants, DIGIT_BITS: SELECT_DIGIT_BITS, WORKGROUP_SIZE: workgroupSize },
      }),
      bindings: [bindWindow("keys", window, type.bytes, windows.length === 1), SELECT_TOTALS, SELECTION],
      params: params("select_count", {
        begin: window.begin,
        keyCount: window.count,
        stride: workgroups * workgroupSize,
        ...digit,
      }),
      grid: [workgroups, 1, 1],
    };
  };
  return digits.flatMap((digit) => [...windows.map((window) => count(digit, window)), nextPass(job, digit)]);
}

/** Finds a bound of the candidates. */
export function boundPass(job: SelectJob, samples: number): Pass {
  const { keyCount, type, options, traits, digits } = job;
  const { variants, constants } = keysOf(job);
  const counted = options.counted ? ["count"] : [];
  const { bindings, numbers } = placeBindings(["keys", SELECT_TOTALS, SELECTION], [["COUNT", counted]]);
  const { begin, end } = options.bits ?? allBits(type);
  return {
    program: program("select_sample", {
      variants: { ...variants, key_total: options.counted ? "counted" : "planned" },
      constants: {
        ...constants,
        ...numbers,
        WORKGROUP_SIZE: sampleWorkgroupSize(traits),
        SAMPLES: samples,
        COPIES: 1,
      },
    }),
    bindings,
    params: params("select_sample", {
      keyCount,
      head: options.top,
      bitsBegin: begin,
      bitsEnd: end,
      totalWords: totalWords(digits),
      countAt: options.countAt ?? 0,
    }),
    grid: [1, 1, 1],
  };
}

/**
 * One workgroup selects as many keys as there is room for.
 *
 * @param from "candidates": always among these; "all": if its bound does not hold, among all keys, and else
 *   nothing; "candidates or all": among all keys if its bound does not hold.
 */
export function refinePass(
  job: SelectJob,
  room: number,
  from: "candidates" | "all" | "candidates or all",
): Pass {
  const { type, options, traits } = job;
  const { variants, constants } = keysOf(job);
  const { payload = 0 } = options;
  const kind = payload === 0 ? undefined : payload === 4 ? "word" : "index";
  // Candidates that nothing reads take the place of those that are written.
  const [candidates, candidateValues] = from === "all" ? ["keys", "keys"] : [CANDIDATES, CANDIDATE_VALUES];
  const [output, outputValues] = from === "all" ? [CANDIDATES, CANDIDATE_VALUES] : [REFINED, REFINED_VALUES];
  const moved =
    kind === undefined ? [] : [outputValues, candidateValues, ...(kind === "word" ? ["values"] : [])];
  const { bindings, numbers } = placeBindings(["keys", candidates, SELECTION, output], [["VALUES", moved]]);
  const { begin, end } = options.bits ?? allBits(type);
  return {
    program: program("select_refine", {
      variants: { ...variants, selected_from: "candidates", refined_values: kind },
      constants: {
        ...constants,
        ...numbers,
        WORKGROUP_SIZE: sampleWorkgroupSize(traits),
        KEYS_PER_INVOCATION: 4,
        COPIES: 1,
        STABLE: showsTies(options) ? 1 : 0,
      },
    }),
    bindings,
    params: params("select_refine", {
      room,
      bitsBegin: begin,
      bitsEnd: end,
      countsAll: from === "candidates" ? 0 : 1,
      onlyAfterFallback: from === "all" ? 1 : 0,
    }),
    grid: [1, 1, 1],
  };
}

/** @param digit what was counted; nothing before the first count. */
export function nextPass(
  { keyCount, options, traits, digits, room }: SelectJob,
  digit: Digit | undefined,
): Pass {
  const counted = options.counted && !digit ? ["count"] : [];
  const { bindings, numbers } = placeBindings([SELECT_TOTALS, SELECTION], [["COUNT", counted]]);
  return {
    program: program("select_next", {
      variants: { key_total: counted.length > 0 ? "counted" : "planned" },
      constants: { ...numbers, WORKGROUP_SIZE: cooperativeWorkgroupSize(256, traits) },
    }),
    bindings,
    params: params("select_next", {
      keyCount,
      head: options.top,
      room,
      digits: digit ? digit.mask + 1 : 0,
      shift: digit?.shift ?? 0,
      totalWords: totalWords(digits),
      countAt: options.countAt ?? 0,
    }),
    grid: [1, 1, 1],
  };
}

/** How the passes that go through chunks are cut into windows. */
function placeChunks({ type, options, shape }: SelectJob, onlyAfterFallback: boolean) {
  const { windows, chunk, chunks } = shape;
  const whole = windows.length === 1;
  return windows.map((window) => ({
    window,
    keys: bindWindow("keys", window, type.bytes, whole),
    values: options.payload === 4 ? [bindWindow("values", window, 4, whole)] : [],
    words: params("select_chunks", {
      begin: window.begin,
      keyCount: window.count,
      chunk,
      firstChunk: window.begin / chunk,
      chunks,
      onlyAfterFallback: onlyAfterFallback ? 1 : 0,
    }),
    grid: [Math.max(1, Math.ceil(window.count / chunk)), 1, 1] as const,
  }));
}

/**
 * Counts the selected keys of each chunk, and scans the counts.
 *
 * @param decides whether this is the first pass over all keys after a sample.
 * @param onlyAfterFallback whether to do nothing if the bound of the sample holds.
 */
export function chunkPasses(
  job: SelectJob,
  { decides, onlyAfterFallback }: { decides: boolean; onlyAfterFallback: boolean },
): Pass[] {
  const { traits, room, shape } = job;
  const { variants, constants } = keysOf(job);
  const { chunks, workgroupSize } = shape;
  return [
    ...placeChunks(job, onlyAfterFallback).map(({ keys, words, grid }): Pass => {
      const { bindings, numbers } = placeBindings<never>([keys, SELECTION, CHUNK_COUNTS], []);
      const all = { ...constants, ...numbers, WORKGROUP_SIZE: workgroupSize };
      return {
        program: program("select_chunks", { variants, constants: all }),
        bindings,
        params: words,
        grid,
      };
    }),
    {
      program: program("select_scan", {
        constants: { WORKGROUP_SIZE: cooperativeWorkgroupSize(256, traits) },
      }),
      bindings: [CHUNK_COUNTS, SELECTION],
      params: params("select_scan", {
        chunks,
        room,
        decides: decides ? 1 : 0,
        onlyAfterFallback: onlyAfterFallback ? 1 : 0,
      }),
      grid: [1, 1, 1],
    },
  ];
}

/** Appends the candidates in any order, and decides whether the bound of the sample holds. */
export function appendPasses({ traits, room, type, options, shape, fills }: SelectJob): Pass[] {
  const { chunks, workgroupSize } = shape;
  const { variants, constants } = keyParts(type, options);
  const closing = { ...variants, key_after: variants.order };
  return [
    {
      program: program("select_append", {
        variants,
        constants: { ...constants, WORKGROUP_SIZE: workgroupSize },
      }),
      bindings: ["keys", SELECTION, SELECT_TOTALS, CANDIDATES],
      params: params("select_append", { stride: chunks * workgroupSize * APPENDED_AT_ONCE, room }),
      grid: [chunks, 1, 1],
    },
    {
      program: program("select_close", {
        variants: closing,
        constants: { ...constants, WORKGROUP_SIZE: sampleWorkgroupSize(traits) },
      }),
      bindings: [SELECT_TOTALS, SELECTION, CANDIDATES],
      params: params("select_close", { room, filled: fills ? room : 0 }),
      grid: [1, 1, 1],
    },
  ];
}

/**
 * Copies the selected keys, and what belongs to them, in the order of the input.
 *
 * @param onlyAfterFallback as for `chunkPasses`.
 */
export function moveSelectedPasses(job: SelectJob, onlyAfterFallback: boolean): Pass[] {
  const { shape } = job;
  const { variants, constants } = keysOf(job);
  const { payload = 0 } = job.options;
  const movedValues = payload === 0 ? undefined : payload === 4 ? "word" : "index";
  return placeChunks(job, onlyAfterFallback).map(({ keys, values, words, grid }): Pass => {
    const moved = payload === 0 ? [] : [CANDIDATE_VALUES, ...values];
    const { bindings, numbers } = placeBindings(
      [keys, SELECTION, CHUNK_COUNTS, CANDIDATES],
      [["VALUES", moved]],
    );
    return {
      program: program("select_move", {
        variants: { ...variants, moved_values: movedValues },
        constants: {
          ...constants,
          ...numbers,
          WORKGROUP_SIZE: shape.workgroupSize,
          KEYS_PER_INVOCATION: shape.keysPerInvocation,
        },
      }),
      bindings,
      params: words,
      grid,
    };
  });
}

/** One workgroup does all of a dispatch, so it is as large as the device allows. */
export function sampleWorkgroupSize(traits: DeviceTraits): number {
  if (traits.software) return cooperativeWorkgroupSize(256, traits);
  const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } = traits.limits;
  return (
    2 ** Math.floor(Math.log2(Math.min(1024, maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX)))
  );
}
