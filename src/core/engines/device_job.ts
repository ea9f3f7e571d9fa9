import { Execution } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { Timer } from "../device/timer.js";
import { readback } from "../device/transfer.js";
import { BufferUsage, MapMode } from "../device/usage.js";
import { elementType } from "../elements.js";
import { lazyModule } from "../lazy_module.js";
import { bufferBytes, type Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { settleAll } from "../settle_all.js";
import type { Totals } from "../sort/evidence.js";
import { inspectPlan, readTotals, type Side } from "../sort/inspect.js";
import type { Bound, SortOptions, SortPlan } from "../sort/key.js";
import type { BufferStock } from "./buffer_stock.js";
import type { DeviceCompaction, KeptKeys } from "./device_compaction.js";
import type { SortJob } from "./engine.js";

/** The part of a job that plans and inspections depend on. */
export interface DeviceTask extends Pick<SortJob, "type" | "keyCount" | "verify" | "unique"> {
  readonly options: SortOptions;
}

/** What a job on a device is made of. */
export interface DeviceJobParts {
  readonly gpu: Gpu;
  readonly task: DeviceTask;
  readonly plan: SortPlan;
  readonly traits: DeviceTraits;
  /** Lends all buffers of the plan; by default the job makes its own. */
  readonly stock?: BufferStock;
}

/** Everything on the device that one kind of job needs. The next job of the same kind can reuse it. */
export class DeviceJob {
  readonly keys: GPUBuffer;
  /** Undefined if no values are uploaded with the keys. */
  readonly values: GPUBuffer | undefined;
  /**
   * Whether `sortChecked` inspects the keys before and after the sort in the submission of the sort. To wait
   * for the device takes longer than to sort few keys, so the sort is not planned by what the inspection found.
   */
  readonly checksInSubmission: boolean;
  readonly #stock: BufferStock | undefined;
  readonly #gpu: Gpu;
  readonly #task: DeviceTask;
  readonly #plan: SortPlan;
  readonly #traits: DeviceTraits;
  /** All that `destroy` must free, even if `prepare` failed half-way. */
  readonly #made: { destroy(): void }[];
  #prepared: Prepared | undefined;
  #other: Execution | undefined;
  /** Drops duplicates; undefined if all keys are kept. */
  readonly #compaction: DeviceCompaction | undefined;

  private constructor(
    { gpu, task, plan, traits, stock }: DeviceJobParts,
    { keys, values, compaction }: Allocated,
  ) {
    this.#stock = stock;
    this.#gpu = gpu;
    this.#task = task;
    this.#plan = plan;
    this.#traits = traits;
    this.keys = keys;
    this.values = values;
    const { keyCount, verify } = task;
    const isShort = keyCount > 0 && keyCount <= MOST_CHECKED_IN_SUBMISSION;
    this.checksInSubmission = verify && isShort && plan.selection === undefined;
    this.#made = stock ? [] : values ? [keys, values] : [keys];
    this.#compaction = compaction && this.#own(compaction);
  }

  /** Makes only the input buffers, so that the upload can begin. */
  static async allocate(parts: DeviceJobParts): Promise<DeviceJob> {
    const { gpu, task, plan, traits, stock } = parts;
    const compaction = task.unique ? await compactionOf(gpu, task, traits) : undefined;
    stock?.keepOnly(plan);
    const make = (name: "keys" | "values") =>
      stock ? stock.take(name, plan.buffers[name]!) : allocate(gpu, plan, name);
    const keys = await make("keys");
    try {
      const values = plan.buffers.values && (await make("values"));
      return new DeviceJob(parts, { keys, values, compaction });
    } catch (error) {
      if (!stock) keys.destroy();
      throw error;
    }
  }

  /** Makes everything else. Further calls do nothing. */
  async prepare(): Promise<void> {
    if (this.#prepared) return;
    const preparingSort = this.#prepareSort();
    const creatingTimer = Timer.create(this.#gpu).then((timer) => timer && this.#own(timer));
    const preparingChecks = this.#task.verify ? this.#prepareChecks() : undefined;
    const compiling = this.#compileChecks();
    const [sort, timer, checks] = await settleAll([preparingSort, creatingTimer, preparingChecks, compiling]);
    const result = this.checksInSubmission ? await this.#prepareResultCheck(sort) : undefined;
    this.#prepared = { sort, timer, checks: checks && { ...checks, result } };
  }

  async #prepareSort(): Promise<Execution> {
    const buffers: Record<string, GPUBuffer> = {
      keys: this.keys,
      ...(this.values && { values: this.values }),
    };
    if (this.#stock) {
      const stock = this.#stock;
      const others = Object.entries(this.#plan.buffers).filter(([name]) => !(name in buffers));
      // One after the other, so that none is left in the making if one fails.
      for (const [name, spec] of others) buffers[name] = await stock.take(name, spec);
    }
    return this.#own(await Execution.prepare(this.#gpu, this.#plan, buffers));
  }

  async #prepareChecks(): Promise<Checks> {
    const { keys, values } = this;
    const input = this.#own(await this.#inspection({ side: "input", keys, values }));
    const size = (this.checksInSubmission ? 2 : 1) * input.result.size;
    const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
    return { input, readback: this.#own(await this.#gpu.buffer("totals readback", size, usage)) };
  }

  async #prepareResultCheck(sort: Execution): Promise<Execution> {
    const { keys, values } = resultOf(sort, this.#plan);
    return this.#own(await this.#inspection({ side: "result", keys, values }));
  }

  /** Compiles what runs before the sort and after it, together with the sort's own kernels. */
  async #compileChecks(): Promise<void> {
    const { verify, options, unique } = this.#task;
    const inspections = verify
      ? [
          this.#inspectionPlan("result"),
          ...(this.#plan.selection === undefined ? [] : [this.#inspectionPlan("input", { upTo: ANY })]),
          ...(options.payload === "index" && options.top !== undefined ? [this.#indexPlan(options.top)] : []),
          ...(unique === "counts" ? [this.#inspectionPlan("result", { lengths: true })] : []),
        ]
      : [];
    const programs = inspections.flatMap(({ passes }) => passes.map(({ program }) => program));
    const compiling = programs.map((program) => this.#gpu.kernels.pipeline(program));
    await Promise.all([...compiling, this.#compaction?.compile()]);
  }

  #inspectionPlan(side: Side, { count = this.#task.keyCount, upTo, lengths = false }: Range = {}): Plan {
    const { type, options, unique } = this.#task;
    const counting = lengths ? "first" : unique === "counts" ? "all" : undefined;
    const inspected = { ...options, unique: Boolean(unique), counting, upTo } as const;
    return inspectPlan(count, type, inspected, this.#traits, side);
  }

  #inspection(
    { side, keys, values, totals, ...range }: Inspected,
    plan = this.#inspectionPlan(side, range),
  ): Promise<Execution> {
    const buffers = {
      keys,
      ...(values && plan.buffers.values ? { values } : {}),
      ...(totals ? { totals } : {}),
    };
    return Execution.prepare(this.#gpu, plan, buffers);
  }

  #own<T extends { destroy(): void }>(made: T): T {
    this.#made.push(made);
    return made;
  }

  /** Makes a buffer of the same size, from which the input can be restored before another sort. */
  async copyOf(name: "keys" | "values"): Promise<GPUBuffer> {
    return this.#own(await allocate(this.#gpu, this.#plan, name));
  }

  /**
   * Sorts the input `repeats` times untimed and then once timed, all in one submission. Restores the input
   * from `pristine` before each sort.
   *
   * @param plan another plan for the same keys, such as a shorter one that their inspection made possible.
   */
  async sort({ pristine = [], repeats = 0, plan = this.#plan }: SortRun = {}): Promise<Sorted> {
    const { sort: planned, timer } = this.#ready;
    const sort = plan === this.#plan ? planned : await this.#prepareOther(plan);
    const begin = performance.now();
    const encoder = this.#gpu.device.createCommandEncoder();
    for (let i = 0; i <= repeats; i++) {
      for (const { from, to } of pristine) encoder.copyBufferToBuffer(from, 0, to, 0, to.size);
      sort.encode(encoder, i === repeats ? timer : undefined);
    }
    timer?.resolve(encoder);
    this.#gpu.submit(encoder);
    if (!timer) await this.#gpu.idle("sorting");
    const ms = timer ? await timer.readMs() : performance.now() - begin;
    return { ms, ...resultOf(sort, plan) };
  }

  /**
   * Inspects the input, sorts it and inspects the result, in one submission. Only if `checksInSubmission`.
   *
   * @param encodeMore encodes what follows.
   */
  async sortChecked(
    encodeMore: (encoder: GPUCommandEncoder, sorted: Omit<Sorted, "ms">) => void,
  ): Promise<Sorted & { readonly before: Totals; readonly after: Totals }> {
    const { sort, timer } = this.#ready;
    const { input, result, readback } = this.#checks;
    if (!result) throw new TypeError("the job was not planned to be checked at once");
    const { size } = input.result;
    const begin = performance.now();
    const encoder = this.#gpu.device.createCommandEncoder();
    encoder.clearBuffer(input.result);
    encoder.clearBuffer(result.result);
    input.encode(encoder);
    sort.encode(encoder, timer);
    timer?.resolve(encoder);
    result.encode(encoder);
    encoder.copyBufferToBuffer(input.result, 0, readback, 0, size);
    encoder.copyBufferToBuffer(result.result, 0, readback, size, size);
    const sorted = resultOf(sort, this.#plan);
    encodeMore(encoder, sorted);
    this.#gpu.submit(encoder);
    const [gpuMs, words] = await settleAll([timer?.readMs(), this.#readWords()]);
    const [before, after] = [words.subarray(0, size / 4), words.subarray(size / 4)].map(readTotals);
    const ms = gpuMs ?? performance.now() - begin;
    return { ms, ...sorted, before: before!, after: after! };
  }

  /** Prepares another plan on the existing buffers. It replaces the previous other plan. */
  async #prepareOther(plan: SortPlan): Promise<Execution> {
    this.#other?.destroy();
    this.#other = undefined;
    this.#other = await Execution.prepare(this.#gpu, plan, this.#ready.sort.buffers);
    return this.#other;
  }

  /** Only for a job with `verify`. */
  inspectInput(): Promise<Totals> {
    return this.#inspect(this.#checks.input);
  }

  /** Only for a job with `verify`. */
  inspectResult({ keys, values }: Omit<Sorted, "ms">): Promise<Totals> {
    return this.#inspectKeys({ side: "result", keys, values });
  }

  /** Inspects the first `count` keys of a buffer, and their values. Only for a job with `verify`. */
  inspectFirst({ keys, count, values, lengths }: Kept): Promise<Totals> {
    const isCounted = lengths !== undefined;
    return this.#inspectKeys({ side: "result", keys, values: lengths ?? values, count, lengths: isCounted });
  }

  /** Inspects the keys of the input up to a bound. Only for a job with `verify`. */
  inspectUpTo(upTo: Bound): Promise<Totals> {
    return this.#inspectKeys({ side: "input", keys: this.keys, upTo });
  }

  /** Inspects the first `count` indices of a buffer, as if these were keys. Only for a job with `verify`. */
  inspectIndices(indices: GPUBuffer, count: number): Promise<Totals> {
    return this.#inspectKeys({ side: "result", keys: indices }, this.#indexPlan(count));
  }

  #indexPlan(count: number): Plan {
    return inspectPlan(count, elementType("u32"), { descending: false }, this.#traits);
  }

  /** Reads a buffer back that the planned sort has left. It must be small. */
  async read(name: string): Promise<Uint32Array> {
    return (await readback(this.#gpu, this.#ready.sort, [name]))[name]!;
  }

  /** Drops all but the first of equal keys; see `DeviceCompaction.run`. Only for a job with `unique`. */
  dropDuplicates(sorted: GPUBuffer): Promise<KeptKeys> {
    if (!this.#compaction) throw new TypeError("the job was planned without unique");
    // The sort is done, so its other buffers are free.
    return this.#compaction.run(sorted, Object.values(this.#ready.sort.buffers));
  }

  async #inspectKeys(inspected: Inspected, plan?: Plan): Promise<Totals> {
    const { input } = this.#checks;
    const inspection = await this.#inspection({ ...inspected, totals: input.result }, plan);
    try {
      return await this.#inspect(inspection);
    } finally {
      inspection.destroy();
    }
  }

  async #inspect(inspection: Execution): Promise<Totals> {
    const { readback } = this.#checks;
    const encoder = this.#gpu.device.createCommandEncoder();
    encoder.clearBuffer(inspection.result);
    inspection.encode(encoder);
    const { size } = inspection.result;
    encoder.copyBufferToBuffer(inspection.result, 0, readback, 0, size);
    this.#gpu.submit(encoder);
    return readTotals((await this.#readWords()).subarray(0, size / 4));
  }

  /** Waits for what was copied to the readback buffer. */
  async #readWords(): Promise<Uint32Array> {
    const { readback } = this.#checks;
    await this.#gpu.settle(readback.mapAsync(MapMode.read), "reading the check's totals");
    const words = new Uint32Array(readback.getMappedRange()).slice();
    readback.unmap();
    return words;
  }

  destroy(): void {
    for (const made of this.#made) made.destroy();
    this.#other?.destroy();
  }

  get #ready(): Prepared {
    if (!this.#prepared) throw new TypeError("the job was run before it was prepared");
    return this.#prepared;
  }

  get #checks(): Checks {
    const { checks } = this.#ready;
    if (!checks) throw new TypeError("the job has no checks, as it was planned without verify");
    return checks;
  }
}

async function compactionOf(gpu: Gpu, task: DeviceTask, traits: DeviceTraits): Promise<DeviceCompaction> {
  const { DeviceCompaction } = await lazyModule(
    "the kernels of distinct keys",
    () => import("./device_compaction.js"),
  );
  return new DeviceCompaction(gpu, task, task.options, traits);
}

/** What is made before the upload. */
interface Allocated {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer | undefined;
  readonly compaction: DeviceCompaction | undefined;
}

/** How to run a job. */
export interface SortRun {
  /** The buffers to restore the input from before each sort. */
  readonly pristine?: readonly { readonly from: GPUBuffer; readonly to: GPUBuffer }[];
  readonly repeats?: number;
  readonly plan?: SortPlan;
}

/** The buffers that hold the result of a sort. They are valid until the next sort. */
export interface Sorted {
  /**
   * Milliseconds of the last sort on the GPU's clock; without such a clock, wall time of the whole
   * submission.
   */
  readonly ms: number;
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer | undefined;
}

/** More keys are worth a turn to the device before the sort, which may then take fewer passes, or none. */
const MOST_CHECKED_IN_SUBMISSION = 2 ** 16;

/** The last form of all. */
const ANY: Bound = [0xffff_ffff, 0xffff_ffff];

/** Kept keys, and what belongs to them. */
export interface Kept extends KeptKeys {
  /** Their values or indices. */
  readonly values?: GPUBuffer | undefined;
}

/** Which keys are inspected: by default all. */
interface Range {
  /** How many are, from the first one on. */
  readonly count?: number | undefined;
  /** Only those up to a form. */
  readonly upTo?: Bound | undefined;
  /** Whether they are distinct and their values are the lengths of their runs. */
  readonly lengths?: boolean | undefined;
}

/** What is inspected: keys with their values. */
interface Inspected extends Range {
  readonly side: Side;
  readonly keys: GPUBuffer;
  readonly values?: GPUBuffer | undefined;
  /** The buffer for the totals; by default a new one. */
  readonly totals?: GPUBuffer;
}

interface Prepared {
  readonly sort: Execution;
  readonly timer: Timer | undefined;
  readonly checks: Checks | undefined;
}

interface Checks {
  /** Inspects the input. */
  readonly input: Execution;
  /** Inspects the result in the submission of the sort, if that is done. */
  readonly result?: Execution | undefined;
  /** Takes the totals of every inspection. */
  readonly readback: GPUBuffer;
}

function resultOf(sort: Execution, { values }: SortPlan): Omit<Sorted, "ms"> {
  return { keys: sort.result, values: values === undefined ? undefined : sort.buffers[values] };
}

function allocate(gpu: Gpu, plan: SortPlan, name: "keys" | "values"): Promise<GPUBuffer> {
  const usage = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;
  return gpu.buffer(name, bufferBytes(plan.buffers[name]!.bytes), usage);
}
