import { type Grid, linearGrid, workgroupSize1d } from "../../plan/grid.js";
import type { Pass } from "../../plan/plan.js";
import { program } from "../../shaders/kernels.js";
import type { Program } from "../../shaders/program.js";
import type { ValuesVariant } from "../key.js";
import { bindWindow, type Window } from "../windows.js";
import type { KeyBuffers, RadixJob } from "./radix_job.js";
import {
  biasVariant,
  type Condition,
  type Conversion,
  type DigitStep,
  groupWords,
  maxColumns,
  outputParts,
  parameters,
  passKeyParts,
  placeBindings,
  rankConstants,
  rankVariants,
  type Sampled,
  STATUS,
  sampledBindings,
  skipsMoves,
  TOTALS,
} from "./radix_parts.js";
import type { LocalTuning } from "./radix_tuning.js";

const flag = (value: boolean) => (value ? 1 : 0);

/** Bytes per key of a pass's input. */
function inputBytes({ type }: RadixJob, rawInput: boolean): number {
  return rawInput ? type.bytes : 4 * type.words;
}

/**
 * The grid of a pass over a window: one workgroup per column, or, in the serial family, one invocation per
 * column. If chunks are listed, there is one workgroup for each that may be, or as many as share them.
 */
export function columnGrid(job: RadixJob, { count }: Window, listed: ListedChunks | undefined): Grid {
  const { chunk, tuning, inputWindows, traits } = job;
  const columns = listed?.most ?? (inputWindows.length === 1 ? maxColumns(job) : Math.ceil(count / chunk));
  const perWorkgroup = tuning.family === "serial" ? tuning.workgroupSize : 1;
  const workgroups = Math.ceil(columns / perWorkgroup);
  return linearGrid(Math.min(workgroups, listed?.workgroups ?? Infinity), traits.limits);
}

export interface CountStep extends DigitStep {
  readonly from: KeyBuffers;
  readonly rawInput: boolean;
  /** The buffer of the counts. */
  readonly counts: string;
  /** Whether counts are stored column by column, for passes that add up those of neighbours, or row by row. */
  readonly summed: boolean;
  /** The chunks to count, if an earlier pass has listed them. By default they have equal lengths. */
  readonly listed?: ListedChunks | undefined;
  /** How chunks are also counted in groups. By default they are not. */
  readonly groups?: ChunkGroups | undefined;
  readonly condition?: Condition | undefined;
  /** The buffer of decimals that it restores instead, if decimals are sorted: see `takesDecimals`. */
  readonly restored?: string | undefined;
}

/**
 * Chunks that wgsl/msd/msd_plan.wgsl, wgsl/segments/segments_sort.wgsl or
 * wgsl/segments/segments_serial_sort.wgsl lists.
 */
export interface ListedChunks {
  /** The variant of wgsl/shared/chunk.wgsl; by default that for wgsl/msd/msd_plan.wgsl. */
  readonly kind?: "listed" | "segmented";
  /** The buffer of the list. */
  readonly buffer: string;
  /** The maximum number of chunks. */
  readonly most: number;
  /** The most workgroups, each of which takes several chunks; by default, each takes one. */
  readonly workgroups?: number | undefined;
}

/** Groups of neighbouring chunks, whose counts a count pass adds up. */
export interface ChunkGroups {
  /** Chunks per group. */
  readonly chunks: number;
  /** The buffer of these counts, which must be 0 before; and another one, which the scatter pass clears. */
  readonly counts: string;
  readonly cleared: string;
}

/** The variant for the chunks of a pass. */
function chunkVariant(listed: ListedChunks | undefined): "even" | "listed" | "segmented" {
  return listed ? (listed.kind ?? "listed") : "even";
}

/** Keys that an invocation of a count pass loads at once. */
export const COUNT_LOADS = 8;

/**
 * Counts that an invocation of a scatter pass loads at once: of single columns, or of groups and their chunks.
 */
const COLUMNS_AT_ONCE = 32;
const GROUPS_AT_ONCE = 16;

/** The constant of passes over groups of chunks. */
function groupConstants(groups: ChunkGroups | undefined) {
  return groups ? { GROUP_CHUNKS: groups.chunks } : {};
}

/** The pass that clears what the first count adds to: counts of groups, and the bits in which keys differ. */
export function clearPass(job: RadixJob, { counts }: ChunkGroups, condition?: Condition): Pass {
  const status = condition ? [STATUS] : [];
  const workgroupSize = workgroupSize1d(256, job.traits.limits);
  return {
    program: program("radix_clear", {
      variants: { condition, differing_bits: skipsMoves(job, condition) ? "published" : undefined },
      constants: { WORKGROUP_SIZE: workgroupSize, ...(condition ? { STATUS: 1 } : {}) },
    }),
    bindings: [counts, ...status],
    params: [],
    grid: linearGrid(Math.ceil(groupWords(job) / workgroupSize), job.traits.limits),
  };
}

/** The count pass over a window of the input. */
export function countPass(job: RadixJob, step: CountStep, window: Window): Pass {
  const { tuning, inputWindows, outputWindows } = job;
  const { from, digit, rawInput, listed, groups, condition, differingBits, restored } = step;
  const whole = inputWindows.length === 1;
  const input = bindWindow(from.keys, window, inputBytes(job, rawInput), whole);
  const { bindings, numbers } = placeBindings(
    [input, step.counts],
    [
      ["CHUNKS", listed ? [listed.buffer] : []],
      ["GROUPS", groups ? [groups.counts] : []],
      ["STATUS", condition ? [STATUS] : []],
      ["CONVERTED", restored === undefined ? [] : [restored]],
    ],
  );
  const key = passKeyParts(job, { rawInput, rawOutput: false });
  const variants = {
    ...key.variants,
    input_window: whole ? undefined : ("window" as const),
    chunk: chunkVariant(listed),
    count_order: step.summed ? "columns" : "rows",
  } as const;
  const constants = {
    ...key.constants,
    ...numbers,
    DIGIT_BITS: tuning.digitBits,
    MASK: digit.mask,
    RAW_INPUT: flag(rawInput),
  };
  return {
    program:
      tuning.family === "serial"
        ? program("radix_serial_count", {
            variants,
            constants: { ...constants, WORKGROUP_SIZE: tuning.workgroupSize },
          })
        : program("radix_count", {
            variants: {
              ...variants,
              group_count: !groups ? undefined : listed ? "segmented" : "even",
              condition,
              differing_bits: differingBits,
              bias: differingBits && biasVariant(job),
              decimals: restored === undefined ? undefined : "restored",
            },
            constants: {
              ...constants,
              WORKGROUP_SIZE: countingWorkgroupSize(job),
              LOADS: COUNT_LOADS,
              ...groupConstants(groups),
            },
          }),
    bindings,
    params: parameters(job, step, window, outputWindows[0]!),
    grid: columnGrid(job, window, listed),
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
  readonly condition?: Condition | undefined;
}

/** The scan pass: one workgroup per row, or one invocation in the serial family. */
export function scanPass(job: RadixJob, step: ScanStep): Pass {
  const { condition } = step;
  const { tuning, inputWindows, outputWindows, traits } = job;
  const digits = 2 ** (step.digitBits ?? tuning.digitBits);
  const { bindings, numbers } = placeBindings([step.counts, TOTALS], [["STATUS", condition ? [STATUS] : []]]);
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
   * How a chunk finds the place of its first key of a digit value: variants of wgsl/shared/digit_start.wgsl.
   */
  readonly start: "scanned" | "summed" | "grouped" | "listed" | "segmented" | "segmented_scanned";
  /** The groups of chunks whose counts it adds up, if `start` is "grouped" or "segmented". */
  readonly groups?: ChunkGroups | undefined;
  /** The buffer of what `start` adds to the counts; by default the totals. */
  readonly starts?: string;
  readonly condition?: Condition | undefined;
  /** The maximum number of bits of the digit, and the tile; by default those of the tuning. */
  readonly digitBits?: number;
  readonly tile?: LocalTuning;
  /** The chunks to move, if an earlier pass has listed them. By default they have equal lengths. */
  readonly listed?: ListedChunks | undefined;
  /** What a sample of the keys tells: see `samplePass`. */
  readonly sampled?: Sampled;
  /** Whether the digit may be one of the codes of a remap. */
  readonly remaps?: boolean;
}

/** The scatter passes: one per pair of an input window and an output window, all with one program. */
export function scatterPasses(job: RadixJob, step: ScatterStep): Pass[] {
  const { inputWindows, outputWindows } = job;
  const first = scatterPass(job, step, inputWindows[0]!, outputWindows[0]!);
  return inputWindows.flatMap((input, i) =>
    outputWindows.map((output, o) =>
      i + o === 0 ? first : scatterPass(job, step, input, output, first.program),
    ),
  );
}

/**
 * The scatter pass from one window of the input to one window of the output.
 *
 * @param known its program, if another pass of the step has it: many windows have many pairs.
 */
export function scatterPass(
  job: RadixJob,
  step: ScatterStep,
  input: Window,
  output: Window,
  known?: Program,
): Pass {
  const { inputWindows, outputWindows, type } = job;
  const { from, to, start, starts = TOTALS, condition, listed, groups, sampled = "no" } = step;
  const whole = { input: inputWindows.length === 1, output: outputWindows.length === 1 };
  const values =
    from.values === undefined || to.values === undefined
      ? []
      : [bindWindow(from.values, input, 4, whole.input)];
  const written = outputParts(
    bindWindow(to.keys, output, 4 * type.words, whole.output),
    to.values === undefined ? undefined : bindWindow(to.values, output, 4, whole.output),
    step.dropsKeys,
  );
  const { bindings, numbers } = placeBindings(
    [
      bindWindow(from.keys, input, inputBytes(job, step.rawInput), whole.input),
      written.output,
      step.counts,
      ...(start === "scanned" || start === "listed" ? [starts] : []),
    ],
    [
      ["VALUES", values],
      ...written.optional,
      ["STATUS", condition ? [STATUS] : []],
      ["CHUNKS", listed ? [listed.buffer] : []],
      ["GROUPS", groups ? [groups.counts, groups.cleared] : []],
      ...sampledBindings(sampled),
    ],
  );
  return {
    program: known ?? scatterProgram(job, step, whole, written.variants, { ...numbers, ...written.numbers }),
    bindings,
    params: parameters(job, step, input, output),
    grid: columnGrid(job, input, listed),
  };
}

/** The constants for the numbers of bindings that only some scatter passes have. */
type ScatterBindings = "VALUES" | "OUTPUT_VALUES" | "STATUS" | "CHUNKS" | "GROUPS" | "KEY_RANGE";

function scatterProgram(
  job: RadixJob,
  step: ScatterStep,
  whole: { readonly input: boolean; readonly output: boolean },
  written: { readonly written_keys?: "all" | undefined },
  numbers: Partial<Record<ScatterBindings, number>> & { readonly PARAMS: number },
): Program {
  const { tuning } = job;
  const { digit, start, condition, rawInput, rawOutput, listed, groups, differingBits } = step;
  const key = passKeyParts(job, step, step.sampled, step.remaps);
  const variants = {
    ...key.variants,
    input_window: whole.input ? undefined : ("window" as const),
    values: valuesVariant(step),
    ...written,
    digit_start: start,
    chunk: chunkVariant(listed),
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
    ...groupConstants(groups),
    ...(groups ? { LOADS: GROUPS_AT_ONCE } : start === "summed" ? { LOADS: COLUMNS_AT_ONCE } : {}),
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
          differing_bits: differingBits,
          bias: differingBits && biasVariant(job),
        },
        constants: { ...constants, ...rankConstants(tuning, step.tile ?? tuning, step.digitBits) },
      });
    default:
      return tuning satisfies never;
  }
}

/** The variant of wgsl/shared/values.wgsl for what moves from one of these buffers to the other. */
export function valuesVariant({ from, to }: { from: KeyBuffers; to: KeyBuffers }): ValuesVariant {
  if (to.values === undefined) return undefined;
  return from.values === undefined ? "index" : "word";
}
