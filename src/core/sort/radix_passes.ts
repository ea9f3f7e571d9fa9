import { type Grid, linearGrid, workgroupSize1d } from "../plan/grid.js";
import { BINDING_ALIGNMENT, type Binding, type BufferRange, type Pass } from "../plan/plan.js";
import { params, program } from "../shaders/kernels.js";
import type { Program } from "../shaders/program.js";
import type { Digit } from "./digits.js";
import { type ComparedParts, comparedParts, type KeyParts, keyParts, orderedParts } from "./key.js";
import type { KeyBuffers, RadixJob } from "./radix_job.js";
import { rankConstants, rankVariants } from "./radix_rank.js";
import type { LocalTuning } from "./radix_tuning.js";
import { bindWindow, type Window } from "./windows.js";

/** How a pass reads and writes keys: raw, as the caller stores them, or in their ordered form. */
export interface Conversion {
  readonly rawInput: boolean;
  readonly rawOutput: boolean;
}

/** A move reorders all keys by one digit, from one pair of buffers to another. There are four kinds. */
export type Move = PlainMove | TopmostMove | FallbackMove | Tally;

interface MoveBase extends Conversion {
  readonly from: KeyBuffers;
  readonly to: KeyBuffers;
  readonly digit: Digit;
}

/**
 * Counts the keys of each digit value and moves the keys: count, scan (if there are many columns) and
 * scatter.
 */
export interface PlainMove extends MoveBase {
  readonly kind: "plain";
  /**
   * The number of the digit, 0 for the least significant. It selects the count buffers, and the place in the
   * buffer "params".
   */
  readonly number: number;
  /** "unless_fits" for a move that runs only if a sort by the most significant digit first was not possible. */
  readonly condition: Condition;
}

/**
 * The move by the topmost digit before a local sort. It keeps the totals of the digit values, which the local
 * sort needs.
 */
export interface TopmostMove extends MoveBase {
  readonly kind: "topmost";
  /** The lowest digit. The same count pass counts it for the first fallback move. */
  readonly lowest: Digit;
}

/** A move that runs only if the local sort was not possible. An earlier pass has counted its digit. */
export interface FallbackMove extends MoveBase {
  readonly kind: "fallback";
  readonly number: number;
  /** The next digit, which the same pass counts; undefined for the last move. */
  readonly next: Digit | undefined;
}

/** Counts the keys of each digit value into the buffer "totals" and moves no keys. */
export interface Tally {
  readonly kind: "tally";
  readonly from: KeyBuffers;
  readonly digit: Digit;
}

/** The buffer of the totals: the number of keys of each digit value. */
export const TOTALS = "totals";
/**
 * The buffer of one word, which the local sort sets to 1 if the keys of every digit value fit a tile, and to
 * 0 if not.
 */
export const FITS = "fits";
/** The buffer of the topmost bits that all samples share: see `samplePass`. */
export const SHARED_BITS = "shared_bits";
/** The buffer of one word, which becomes 1 if some key lacks these bits. */
export const OUTLIERS = "outliers";
/** The buffer of the parameters of all moves, if the device reads the number of keys. */
export const PARAMS = "params";

/**
 * The buffers of the counts. A fallback move uses all three: it reads the counts of its digit from one, adds
 * the counts of the next digit to another, and clears the third for the move after it. Their roles rotate
 * from move to move.
 */
const COUNT_BUFFERS = ["counts", "counts_2", "counts_3"] as const;
export const countBuffer = (number: number) => COUNT_BUFFERS[number % COUNT_BUFFERS.length]!;

/**
 * The buffer of the topmost digit's counts. The pass that writes them also counts the lowest digit, in the
 * first of COUNT_BUFFERS.
 */
export const TOP_COUNTS = "top_counts";

/** Makes the passes of a move. */
export function movePasses(job: RadixJob, move: Move): Pass[] {
  const { inputWindows } = job;
  const summed = sumsColumns(job);
  switch (move.kind) {
    case "plain": {
      const { digit, number, condition } = move;
      const step = { ...move, counts: countBuffer(number), other: undefined };
      return [
        ...inputWindows.map((window) => countPass(job, { ...step, extra: undefined, summed }, window)),
        ...(summed ? [] : [scanPass(job, { digit, number, condition, counts: countBuffer(number) })]),
        ...scatterPasses(job, { ...step, start: summed ? "summed" : "scanned", next: undefined }),
      ];
    }
    case "topmost": {
      const step = { ...move, number: 0, counts: TOP_COUNTS, other: move.lowest };
      return [
        countPass(job, { ...step, extra: move.lowest, summed: true }, inputWindows[0]!),
        ...scatterPasses(job, { ...step, start: "summed_kept", condition: "always", next: undefined }),
      ];
    }
    case "fallback": {
      const step = { ...move, counts: countBuffer(move.number), other: move.next };
      return scatterPasses(job, { ...step, start: "summed", condition: "unless_fits" });
    }
    case "tally": {
      const step = { ...move, number: 0, counts: countBuffer(0), other: undefined };
      const counting = { ...step, rawInput: true, extra: undefined, summed: false };
      return [...inputWindows.map((window) => countPass(job, counting, window)), scanPass(job, step)];
    }
    default:
      return move satisfies never;
  }
}

/**
 * Whether each workgroup of a scatter pass adds up the counts of earlier columns itself, without a scan pass.
 * Only then can a scatter pass also count the next digit.
 */
export function sumsColumns({ tuning, inputWindows }: RadixJob): boolean {
  return tuning.family === "subgroup" && tuning.fusedScan && inputWindows.length === 1;
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

/** How the keys of a pass are stored and ordered, and what is compared of them. */
interface PassKeyParts {
  readonly variants: KeyParts["variants"] & {
    readonly compared: ComparedParts["variants"]["compared"] | "unshared_32" | "unshared_64";
  };
  readonly constants: KeyParts["constants"] & ComparedParts["constants"];
}

/**
 * The variants and constants for the keys of a pass. A pass that reads and writes ordered forms does not
 * depend on the type, so one kernel serves all types, except floats whose NaNs are equal.
 *
 * @param sampled whether digits are taken below the bits of SHARED_BITS, which must be bound.
 */
export function passKeyParts(
  { type, options }: RadixJob,
  { rawInput, rawOutput }: Conversion,
  sampled = false,
): PassKeyParts {
  const key = rawInput || rawOutput ? keyParts(type, options) : orderedParts(type);
  const compared = comparedParts(type, options);
  return {
    variants: {
      ...key.variants,
      compared: sampled ? `unshared_${key.variants.order}` : compared.variants.compared,
    },
    constants: { ...key.constants, ...compared.constants },
  };
}

const flag = (value: boolean) => (value ? 1 : 0);

/** Bytes per key of a pass's input. */
function inputBytes({ type }: RadixJob, rawInput: boolean): number {
  return rawInput ? type.bytes : 4 * type.words;
}

/** The digit of a pass. */
interface DigitStep {
  readonly digit: Digit;
  readonly number: number;
  /** A second digit that the same pass counts. */
  readonly other?: Digit | undefined;
}

/** The parameters of a pass over one window of the input and one window of the output. */
export function parameters(
  { keyCount, chunk, columns, options }: RadixJob,
  { digit, number, other }: DigitStep,
  input: Window,
  output: Window,
): Pass["params"] {
  const written = params("radix_scatter", {
    keyCount,
    shift: digit.shift,
    chunk,
    columns,
    firstColumn: input.begin / chunk,
    inputBegin: input.begin,
    outputBegin: output.begin,
    outputKeys: output.count,
    nextShift: other?.shift ?? 0,
  });
  if (!options.counted) return written;
  const bytes = 16 * Math.ceil(written.length / 4);
  return { buffer: PARAMS, offset: number * BINDING_ALIGNMENT, bytes } satisfies BufferRange;
}

/**
 * The grid of a pass over a window: one workgroup per column, or, in the serial family, one invocation per
 * column.
 */
function columnGrid(job: RadixJob, { count }: Window): Grid {
  const { chunk, tuning, inputWindows, traits } = job;
  const columns = inputWindows.length === 1 ? maxColumns(job) : Math.ceil(count / chunk);
  const perWorkgroup = tuning.family === "serial" ? tuning.workgroupSize : 1;
  return linearGrid(Math.ceil(columns / perWorkgroup), traits.limits);
}

export interface CountStep extends DigitStep {
  readonly from: KeyBuffers;
  readonly rawInput: boolean;
  /** The buffer of the counts. */
  readonly counts: string;
  /** A second digit that the same pass counts. */
  readonly extra: Digit | undefined;
  /** Whether there is no scan pass. The counts are then stored column by column, otherwise row by row. */
  readonly summed: boolean;
  /** The maximum number of bits of the digit; by default that of the tuning. */
  readonly digitBits?: number | undefined;
  /** Invocations per workgroup; by default as many as the tuning and the digit need. */
  readonly workgroupSize?: number | undefined;
  /** The chunks to count, if an earlier pass has listed them. By default they have equal lengths. */
  readonly listed?: ListedChunks | undefined;
  readonly condition?: Condition | undefined;
  /** Whether a sample of the keys was looked at before: see `samplePass`. */
  readonly sampled?: boolean | undefined;
  /** Whether to see that all keys have the bits that the samples share. */
  readonly notesOutliers?: boolean;
}

/** Chunks that wgsl/msd_plan.wgsl lists. */
export interface ListedChunks {
  /** The buffer of the list. */
  readonly buffer: string;
  /** The maximum number of chunks. */
  readonly most: number;
}

/** When a pass runs: the variants of wgsl/shared/condition/. */
export type Condition = "always" | "if_fits" | "unless_fits";

/** The count pass over a window of the input. */
export function countPass(job: RadixJob, step: CountStep, window: Window): Pass {
  const { tuning, inputWindows, outputWindows } = job;
  const { from, digit, rawInput, extra, listed, condition = "always" } = step;
  const { sampled = false, notesOutliers = false } = step;
  const whole = inputWindows.length === 1;
  const input = bindWindow(from.keys, window, inputBytes(job, rawInput), whole);
  const { bindings, numbers } = placeBindings(
    [input, step.counts],
    [
      ["EXTRA", extra ? [countBuffer(0), countBuffer(1)] : []],
      ["CHUNKS", listed ? [listed.buffer] : []],
      ["FITS", condition === "always" ? [] : [FITS]],
      ["SHARED_BITS", sampled ? [SHARED_BITS] : []],
      ["OUTLIERS", notesOutliers ? [OUTLIERS] : []],
    ],
  );
  const conversion = { rawInput, rawOutput: false };
  const key = passKeyParts(job, conversion, sampled);
  const variants = { ...key.variants, input_window: whole ? ("whole" as const) : ("window" as const) };
  const constants = {
    ...key.constants,
    ...numbers,
    WORKGROUP_SIZE: tuning.workgroupSize,
    DIGIT_BITS: step.digitBits ?? tuning.digitBits,
    MASK: digit.mask,
    RAW_INPUT: flag(rawInput),
  };
  return {
    program:
      tuning.family === "serial"
        ? program("radix_serial_count", { variants, constants })
        : program("radix_count", {
            variants: {
              ...variants,
              extra_count: extra ? "digit" : "none",
              chunk: listed ? "listed" : "even",
              condition,
              outliers: notesOutliers ? `noted_${variants.order}` : "none",
            },
            constants: {
              ...constants,
              WORKGROUP_SIZE: step.workgroupSize ?? countingWorkgroupSize(job),
              SUMMED: flag(step.summed),
              ...(extra ? { EXTRA_BITS: tuning.digitBits, EXTRA_MASK: extra.mask } : {}),
            },
          }),
    bindings,
    params: parameters(job, step, window, outputWindows[0]!),
    grid: listed ? [listed.most, 1, 1] : columnGrid(job, window),
  };
}

/** Invocations per workgroup of a count pass: at least one per digit value. */
function countingWorkgroupSize({ tuning, traits }: RadixJob): number {
  const digits = 2 ** tuning.digitBits;
  return Math.max(tuning.workgroupSize, Math.min(digits, traits.limits.maxComputeInvocationsPerWorkgroup));
}

interface ScanStep extends DigitStep {
  /** The buffer of the counts. */
  readonly counts: string;
  /** The maximum number of bits of the digit; by default that of the tuning. */
  readonly digitBits?: number;
  readonly condition?: Condition;
}

/** The scan pass: one workgroup per row, or one invocation in the serial family. */
export function scanPass(job: RadixJob, step: ScanStep): Pass {
  const { condition = "always" } = step;
  const { tuning, inputWindows, outputWindows, traits } = job;
  const digits = 2 ** (step.digitBits ?? tuning.digitBits);
  const { bindings, numbers } = placeBindings(
    [step.counts, TOTALS],
    [["FITS", condition === "always" ? [] : [FITS]]],
  );
  const passParams = parameters(job, step, inputWindows[0]!, outputWindows[0]!);
  if (tuning.family === "serial") {
    const { workgroupSize, digitBits } = tuning;
    const constants = { WORKGROUP_SIZE: workgroupSize, DIGIT_BITS: digitBits, ...numbers };
    const serialScan = program("radix_serial_scan", { constants });
    return {
      program: serialScan,
      bindings,
      params: passParams,
      grid: [Math.ceil(digits / workgroupSize), 1, 1],
    };
  }
  const constants = { WORKGROUP_SIZE: workgroupSize1d(256, traits.limits), ...numbers };
  return {
    program: program("radix_scan", { variants: { condition }, constants }),
    bindings,
    params: passParams,
    grid: [digits, 1, 1],
  };
}

export interface ScatterStep extends DigitStep, Conversion {
  readonly from: KeyBuffers;
  readonly to: KeyBuffers;
  /** The buffer of the digit's counts. */
  readonly counts: string;
  /**
   * How a chunk finds the place of its first key of a digit value: the variants of wgsl/shared/digit_start/.
   */
  readonly start: "scanned" | "summed" | "summed_kept" | "listed";
  /** The buffer of what `start` adds to the counts; by default the totals. */
  readonly starts?: string;
  readonly condition: Condition;
  /** The next digit, if the same pass counts it. */
  readonly next: Digit | undefined;
  /** The maximum number of bits of the digit, and the tile; by default those of the tuning. */
  readonly digitBits?: number;
  readonly tile?: LocalTuning;
  /** The chunks to move, if an earlier pass has listed them. By default they have equal lengths. */
  readonly listed?: ListedChunks | undefined;
  /** Whether a sample of the keys was looked at before: see `samplePass`. */
  readonly sampled?: boolean;
}

/** The scatter passes: one per pair of an input window and an output window. */
function scatterPasses(job: RadixJob, step: ScatterStep): Pass[] {
  const { inputWindows, outputWindows } = job;
  return inputWindows.flatMap((input) =>
    outputWindows.map((output) => scatterPass(job, step, input, output)),
  );
}

/** The scatter pass from one window of the input to one window of the output. */
export function scatterPass(job: RadixJob, step: ScatterStep, input: Window, output: Window): Pass {
  const { inputWindows, outputWindows, type } = job;
  const { from, to, start, starts = TOTALS, condition, next, number, listed, sampled } = step;
  const whole = { input: inputWindows.length === 1, output: outputWindows.length === 1 };
  const values = [
    ...(from.values === undefined || to.values === undefined
      ? []
      : [bindWindow(from.values, input, 4, whole.input)]),
    ...(to.values === undefined ? [] : [bindWindow(to.values, output, 4, whole.output)]),
  ];
  const { bindings, numbers } = placeBindings(
    [
      bindWindow(from.keys, input, inputBytes(job, step.rawInput), whole.input),
      bindWindow(to.keys, output, 4 * type.words, whole.output),
      step.counts,
      ...(start === "scanned" || start === "listed" ? [starts] : []),
    ],
    [
      ["TOTALS", start === "summed_kept" ? [TOTALS] : []],
      ["VALUES", values],
      ["FITS", condition === "always" ? [] : [FITS]],
      ["NEXT", next ? [countBuffer(number + 1), countBuffer(number + 2)] : []],
      ["CHUNKS", listed ? [listed.buffer] : []],
      ["SHARED_BITS", sampled ? [SHARED_BITS] : []],
    ],
  );
  return {
    program: scatterProgram(job, step, whole, numbers),
    bindings,
    params: parameters(job, { ...step, other: step.other ?? next }, input, output),
    grid: listed ? [listed.most, 1, 1] : columnGrid(job, input),
  };
}

function scatterProgram(
  job: RadixJob,
  step: ScatterStep,
  whole: { readonly input: boolean; readonly output: boolean },
  numbers: Partial<Record<"TOTALS" | "VALUES" | "FITS" | "NEXT" | "CHUNKS" | "SHARED_BITS", number>> & {
    readonly PARAMS: number;
  },
): Program {
  const { tuning } = job;
  const { digit, start, condition, next, rawInput, rawOutput, listed } = step;
  const key = passKeyParts(job, step, step.sampled);
  const variants = {
    ...key.variants,
    input_window: whole.input ? ("whole" as const) : ("window" as const),
    values: valuesVariant(step),
    digit_start: start,
  };
  const constants = {
    ...key.constants,
    ...numbers,
    WORKGROUP_SIZE: tuning.workgroupSize,
    DIGIT_BITS: tuning.digitBits,
    MASK: digit.mask,
    IN_WINDOW: flag(!whole.output),
    RAW_INPUT: flag(rawInput),
    RAW_OUTPUT: flag(rawOutput),
  };
  switch (tuning.family) {
    case "serial":
      return program("radix_serial_scatter", { variants, constants });
    case "workgroup":
      return program("radix_workgroup_scatter", {
        variants,
        constants: { ...constants, KEYS_PER_INVOCATION: tuning.keysPerInvocation },
      });
    case "subgroup":
      return program("radix_scatter", {
        variants: {
          ...variants,
          ...rankVariants(tuning),
          condition,
          chunk: listed ? "listed" : "even",
          next_count: next ? "digit" : "none",
        },
        constants: {
          ...constants,
          ...rankConstants(tuning, step.tile ?? tuning),
          DIGIT_BITS: step.digitBits ?? tuning.digitBits,
          ...(next ? { NEXT_MASK: next.mask } : {}),
        },
      });
    default:
      return tuning satisfies never;
  }
}

/** The variant of wgsl/shared/values/ for what moves with the keys. */
export function valuesVariant({ from, to }: { from: KeyBuffers; to: KeyBuffers }): "none" | "index" | "word" {
  if (to.values === undefined) return "none";
  return from.values === undefined ? "index" : "word";
}
