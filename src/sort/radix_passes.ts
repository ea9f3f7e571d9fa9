import { type Grid, linearGrid, workgroupSize1d } from "../plan/grid.js";
import type { Binding, BufferRange, Pass, Program } from "../plan/plan.js";
import { BINDING_ALIGNMENT } from "../plan/plan.js";
import type { ModuleName } from "../wgsl.generated.js";
import type { Digit } from "./digits.js";
import { orderConstants, orderModules } from "./key.js";
import type { Place, RadixJob } from "./radix_job.js";
import type { LocalTuning, SubgroupTuning } from "./radix_tuning.js";
import { bindWindow, type Window } from "./windows.js";

/** How a pass takes keys in and gives them out. */
export interface Conversion {
  /** From keys as the caller has them. */
  readonly rawInput: boolean;
  /** To keys as the caller wants them. */
  readonly rawOutput: boolean;
}

/** One digit's move from one place to another. */
export interface Move extends Conversion {
  readonly from: Place;
  readonly to: Place;
  readonly digit: Digit;
  /** The digit's number, by which the device finds its parameters where it makes them itself. */
  readonly number: number;
  /** Whether the device leaves it out if a local sort did the work. */
  readonly unlessFits: boolean;
  /** The digit that follows, which is counted meanwhile; undefined where it is counted by a pass of its own. */
  readonly next: Digit | undefined;
  /** Whether the keys of the digit have been counted by a pass before. */
  readonly isCounted: boolean;
  /** A digit that is counted with this one: of the first pass of those that the device may leave out. */
  readonly also: Digit | undefined;
  /** Whether a kernel that follows asks for the keys of each digit. */
  readonly keepTotals: boolean;
}

const TOTALS = "totals";
const FITS = "fits";
export const PARAMS = "params";
/** Words of the kernels' struct Params. */
const PARAMS_WORDS = 9;

/** Bindings whose numbers vary: after those that a program knows by their number, by the constant that says where they begin. */
type Extras = readonly (readonly [
  name: "VALUES" | "TOTALS" | "FITS" | "NEXT" | "ALSO",
  bindings: readonly Binding[],
])[];

function numbered(fixed: readonly Binding[], extras: Extras) {
  const bindings = [...fixed];
  const numbers: Record<string, number> = {};
  for (const [name, some] of extras) {
    if (some.length > 0) numbers[name] = bindings.length;
    bindings.push(...some);
  }
  return { bindings, numbers: { ...numbers, PARAMS: bindings.length } };
}

/** The modules by which a kernel knows its keys, and the constants that go with them. */
function keyOf(
  job: RadixJob,
  { rawInput, rawOutput }: Conversion,
): { uses: ModuleName[]; constants: Record<string, number> } {
  const raw = { RAW_INPUT: rawInput ? 1 : 0, RAW_OUTPUT: rawOutput ? 1 : 0 };
  // Images are alike whatever type they are of, and so one kernel does for all types' passes in between.
  if (!rawInput && !rawOutput) {
    const words = job.type.words;
    return {
      uses: words === 1 ? ["key32", "order32"] : ["key64", "order64"],
      constants: { KEY_BITS: 32 * words, ORDER: 0, DESCENDING: 0, ...raw },
    };
  }
  return { uses: orderModules(job.type), constants: { ...orderConstants(job.type, job.options), ...raw } };
}

function valueModule({ from, to }: { from: Place; to: Place }): ModuleName {
  if (to.values === undefined) return "values_none";
  return from.values === undefined ? "values_index" : "values_word";
}

/** The passes that move keys by one digit. */
export function digitPasses(job: RadixJob, move: Move): Pass[] {
  const { inputWindows, outputWindows } = job;
  return [
    ...(move.isCounted ? [] : inputWindows.map((window) => countPass(job, move, window, isFused(job)))),
    ...(isFused(job) ? [] : [scanPass(job, move)]),
    ...inputWindows.flatMap((input) => outputWindows.map((output) => scatterPass(job, move, input, output))),
  ];
}

/** The passes that count the keys of each value of their only digit, into the buffer "totals". */
export function countPasses(job: RadixJob): Pass[] {
  const { input, odd, digits, inputWindows } = job;
  const move: Move = {
    from: input,
    to: odd,
    digit: digits[0]!,
    number: 0,
    unlessFits: false,
    next: undefined,
    isCounted: false,
    also: undefined,
    keepTotals: true,
    rawInput: true,
    rawOutput: false,
  };
  return [...inputWindows.map((window) => countPass(job, move, window, false)), scanPass(job, move)];
}

/** Whether workgroups add up the counts themselves, and may as well make them while they move the keys. */
export function isFused({ tuning, inputWindows }: RadixJob): boolean {
  return tuning.family === "subgroup" && tuning.fusedScan && inputWindows.length === 1;
}

/** The counts of the passes by all digits: three buffers by turns, one that is read, one that is added to, one that is cleared. */
const TURNS = ["counts", "counts_2", "counts_3"] as const;

/** The counts of a pass. Those of the topmost digit, which are made with the first one's, have a buffer of their own. */
function countsOf({ number, also }: Pick<Move, "number" | "also">): string {
  return also ? "top_counts" : TURNS[number % 3]!;
}

/** What a kernel is built for besides its keys: a digit of full width is a constant, which saves work on every key. */
function ofDigit({ inputWindows }: RadixJob, { digit }: Move): Record<string, number> {
  return { MASK: digit.mask, WINDOWED: inputWindows.length > 1 ? 1 : 0 };
}

function condition({ unlessFits }: Move): [module: ModuleName, bindings: Binding[]] {
  return unlessFits ? ["unless_fits", [FITS]] : ["always", []];
}

function bytesBefore(job: RadixJob, { rawInput }: Conversion): number {
  return rawInput ? job.type.bytes : 4 * job.type.words;
}

function parameters(
  job: RadixJob,
  { digit, number, next, also }: Move,
  input: Window,
  output: Window,
): Pass["params"] {
  const { keyCount, chunk, columns } = job;
  if (job.options.counted) {
    const range: BufferRange = {
      buffer: PARAMS,
      offset: number * BINDING_ALIGNMENT,
      bytes: 16 * Math.ceil(PARAMS_WORDS / 4),
    };
    return range;
  }
  return [
    keyCount,
    digit.shift,
    chunk,
    columns,
    input.begin / chunk,
    input.begin,
    output.begin,
    output.count,
    (also ?? next)?.shift ?? 0,
  ];
}

/** The columns that there may be: keys that the device counts may make more and shorter chunks than the most of them do. */
export function mostColumns({ columns, keyCount, tuning, least, options }: RadixJob): number {
  return options.counted ? Math.max(1, Math.min(tuning.columns, Math.ceil(keyCount / least))) : columns;
}

/** A workgroup for each column of a window, or for as many columns as a workgroup of the serial family has. */
function columnGrid(job: RadixJob, { count }: Window): Grid {
  const { chunk, tuning, inputWindows, traits } = job;
  const columns = inputWindows.length === 1 ? mostColumns(job) : Math.ceil(count / chunk);
  return linearGrid(
    tuning.family === "serial" ? Math.ceil(columns / tuning.workgroupSize) : columns,
    traits.limits,
  );
}

function countPass(job: RadixJob, move: Move, window: Window, fused: boolean): Pass {
  const { tuning, inputWindows, outputWindows } = job;
  const { uses, constants } = keyOf(job, { rawInput: move.rawInput, rawOutput: false });
  const input = bindWindow(move.from.keys, window, bytesBefore(job, move), inputWindows.length === 1);
  const also = move.also ? [TURNS[0], TURNS[1]] : [];
  const { bindings, numbers } = numbered([input, countsOf(move)], [["ALSO", also]]);
  const shared = {
    WORKGROUP_SIZE: tuning.workgroupSize,
    DIGIT_BITS: tuning.digitBits,
    ...ofDigit(job, move),
    ...constants,
    ...numbers,
  };
  const modules: ModuleName[] = [...uses, "digit", "radix_params", "radix"];
  const program: Program =
    tuning.family === "serial"
      ? { kernel: "radix_serial_count", uses: modules, constants: shared }
      : {
          kernel: "radix_count",
          uses: [...modules, move.also ? "counts_two" : "counts_one"],
          constants: {
            ...shared,
            WORKGROUP_SIZE: countingSize(job),
            FUSED_SCAN: fused ? 1 : 0,
            ...(move.also ? { ALSO_MASK: move.also.mask } : {}),
          },
        };
  return {
    program,
    bindings,
    params: parameters(job, move, window, outputWindows[0]!),
    grid: columnGrid(job, window),
  };
}

/** The invocations that count a chunk: at least one a digit. */
function countingSize({ tuning, traits }: RadixJob): number {
  const digits = 2 ** tuning.digitBits;
  return Math.max(tuning.workgroupSize, Math.min(digits, traits.limits.maxComputeInvocationsPerWorkgroup));
}

function scanPass(job: RadixJob, move: Move): Pass {
  const { tuning, inputWindows, outputWindows, traits } = job;
  const digits = 2 ** tuning.digitBits;
  const { bindings, numbers } = numbered([countsOf(move), TOTALS], []);
  const params = parameters(job, move, inputWindows[0]!, outputWindows[0]!);
  if (tuning.family === "serial") {
    const constants = { WORKGROUP_SIZE: tuning.workgroupSize, DIGIT_BITS: tuning.digitBits, ...numbers };
    const program: Program = { kernel: "radix_serial_scan", uses: ["radix_params"], constants };
    return { program, bindings, params, grid: [Math.ceil(digits / tuning.workgroupSize), 1, 1] };
  }
  const constants = { WORKGROUP_SIZE: workgroupSize1d(256, traits.limits), ...numbers };
  const uses: ModuleName[] = ["radix_params", "workgroup_scan"];
  return { program: { kernel: "radix_scan", uses, constants }, bindings, params, grid: [digits, 1, 1] };
}

function scatterPass(job: RadixJob, move: Move, input: Window, output: Window): Pass {
  const { tuning, inputWindows, outputWindows, type } = job;
  const { from, to } = move;
  const [conditional, fits] = condition(move);
  const { uses, constants } = keyOf(job, move);
  const whole = { input: inputWindows.length === 1, output: outputWindows.length === 1 };
  const values = [
    ...(from.values === undefined || to.values === undefined
      ? []
      : [bindWindow(from.values, input, 4, whole.input)]),
    ...(to.values === undefined ? [] : [bindWindow(to.values, output, 4, whole.output)]),
  ];
  const fused = isFused(job);
  const counting = fused && move.next ? [TURNS[(move.number + 1) % 3]!, TURNS[(move.number + 2) % 3]!] : [];
  const { bindings, numbers } = numbered(
    [
      bindWindow(from.keys, input, bytesBefore(job, move), whole.input),
      bindWindow(to.keys, output, 4 * type.words, whole.output),
      countsOf(move),
      ...(fused ? [] : [TOTALS]),
    ],
    [
      ["TOTALS", fused && move.keepTotals ? [TOTALS] : []],
      ["VALUES", values],
      ["FITS", fits],
      ["NEXT", counting],
    ],
  );
  const modules: ModuleName[] = [...uses, "digit", "radix_params", "radix", valueModule(move)];
  const shared = {
    WORKGROUP_SIZE: tuning.workgroupSize,
    DIGIT_BITS: tuning.digitBits,
    ...ofDigit(job, move),
    ...constants,
    ...numbers,
  };
  const params = parameters(job, move, input, output);
  const program = scatterProgram(
    job,
    [
      ...modules,
      ...(fused
        ? (["fused_scan", move.keepTotals ? "totals_kept" : "totals_dropped"] as const)
        : (["scanned"] as const)),
    ],
    [conditional, counting.length > 0 ? "counts_next" : "counts_nothing"],
    { ...shared, IN_WINDOW: whole.output ? 0 : 1, ...(move.next ? { NEXT_MASK: move.next.mask } : {}) },
  );
  return { program, bindings, params, grid: columnGrid(job, input) };
}

function scatterProgram(
  { tuning }: RadixJob,
  uses: ModuleName[],
  subgroupUses: ModuleName[],
  constants: Record<string, number>,
): Program {
  switch (tuning.family) {
    case "serial":
      return { kernel: "radix_serial_scatter", uses, constants };
    case "workgroup":
      return {
        kernel: "radix_workgroup_scatter",
        uses: [...uses, "workgroup_scan"],
        constants: { ...constants, TILE_KEYS: tuning.tileKeys },
      };
    case "subgroup":
      return {
        kernel: "radix_scatter",
        uses: [...uses, ...rankModules(tuning), ...subgroupUses],
        constants: { ...constants, ...rankConstants(tuning, tuning) },
        enables: ["subgroups"],
      };
  }
}

function rankModules({ subgroupSize }: SubgroupTuning): ModuleName[] {
  return [subgroupSize > 32 ? "lanes64" : "lanes32", "rank"];
}

function rankConstants({ subgroupSize, lockstep }: SubgroupTuning, { workgroupSize, tileKeys }: LocalTuning) {
  return {
    WORKGROUP_SIZE: workgroupSize,
    SUBGROUP_SIZE: subgroupSize,
    SUBGROUPS: workgroupSize / subgroupSize,
    TILE_KEYS: tileKeys,
    LOCKSTEP: lockstep ? 1 : 0,
  };
}

/** A sort inside workgroups: of all keys in one, or of those of each value of the digit in one. */
export interface LocalSort extends Conversion {
  readonly from: Place;
  readonly to: Place;
  /** Bits to sort by. */
  readonly begin: number;
  readonly end: number;
  /** The digit by which the keys were moved last. */
  readonly byDigit: Digit | undefined;
}

export function localPass(job: RadixJob, tuning: SubgroupTuning, local: LocalTuning, sort: LocalSort): Pass {
  const { from, to, begin, end, byDigit } = sort;
  const { uses, constants } = keyOf(job, sort);
  const values = [from.values, to.values].filter((name) => name !== undefined);
  const { bindings, numbers } = numbered(
    [from.keys, to.keys, TOTALS, FITS],
    [["VALUES", to.values === undefined ? [] : values]],
  );
  return {
    program: {
      kernel: "radix_local",
      uses: [...uses, "digit", "radix", valueModule(sort), ...rankModules(tuning)],
      constants: {
        DIGIT_BITS: tuning.digitBits,
        WINDOWED: 0,
        ...constants,
        ...rankConstants(tuning, local),
        SEGMENTS: byDigit ? 1 : 0,
        ...numbers,
      },
      enables: ["subgroups"],
    },
    bindings,
    params: [job.keyCount, begin, end, 0],
    grid: [byDigit ? byDigit.mask + 1 : 1, 1, 1],
  };
}

/** The pass that makes the others' parameters from the number of keys in the buffer "count". */
export function shareOutPass(job: RadixJob): Pass {
  const { keyCount, unit, least, tuning, bits } = job;
  return {
    program: {
      kernel: "radix_share_out",
      uses: [],
      constants: { BLOCK: BINDING_ALIGNMENT / 4, DIGIT_BITS: tuning.digitBits },
    },
    bindings: ["count", PARAMS],
    params: [keyCount, unit, least, mostColumns(job), bits.begin, bits.end],
    grid: [1, 1, 1],
  };
}
