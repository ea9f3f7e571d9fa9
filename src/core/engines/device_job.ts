import { allEnded } from "../all_ended.js";
import { Execution } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { Timer } from "../device/timer.js";
import { BufferUsage, MapMode } from "../device/usage.js";
import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { compactFirsts } from "../sort/compact.js";
import { inspectPlan, readTotals, type Side, type Totals } from "../sort/inspect.js";
import type { SortOptions, SortPlan } from "../sort/key.js";
import { DeviceCompaction, type KeptKeys } from "./device_compaction.js";
import type { SortJob } from "./engine.js";

/** The part of a job that plans and inspections depend on. */
export interface DeviceTask extends Pick<SortJob, "type" | "keyCount" | "verify" | "unique"> {
  readonly options: SortOptions;
}

/** Everything on the device that one kind of job needs. The next job of the same kind can reuse it. */
export class DeviceJob {
  readonly keys: GPUBuffer;
  /** Undefined if no values are uploaded with the keys. */
  readonly values: GPUBuffer | undefined;
  readonly #gpu: Gpu;
  readonly #task: DeviceTask;
  readonly #plan: SortPlan;
  readonly #traits: DeviceTraits;
  /** All that `destroy` must free, even if `prepare` failed half-way. */
  readonly #made: { destroy(): void }[];
  #prepared: Prepared | undefined;
  #other: Execution | undefined;
  /** Drops duplicates; undefined if all keys are wanted. */
  readonly #compaction: DeviceCompaction | undefined;

  private constructor(
    gpu: Gpu,
    task: DeviceTask,
    plan: SortPlan,
    traits: DeviceTraits,
    keys: GPUBuffer,
    values: GPUBuffer | undefined,
  ) {
    this.#gpu = gpu;
    this.#task = task;
    this.#plan = plan;
    this.#traits = traits;
    this.keys = keys;
    this.values = values;
    const { keyCount, type, options, unique } = task;
    this.#made = values ? [keys, values] : [keys];
    this.#compaction = unique
      ? this.#own(new DeviceCompaction(gpu, keyCount, compactFirsts(keyCount, type, options, traits)))
      : undefined;
  }

  /** Makes only the input buffers, so that the upload can begin. */
  static async allocate(
    gpu: Gpu,
    task: DeviceTask,
    plan: SortPlan,
    traits: DeviceTraits,
  ): Promise<DeviceJob> {
    const keys = await allocate(gpu, plan, "keys");
    try {
      const values = plan.buffers.values && (await allocate(gpu, plan, "values"));
      return new DeviceJob(gpu, task, plan, traits, keys, values);
    } catch (error) {
      keys.destroy();
      throw error;
    }
  }

  /** Makes everything else. Further calls do nothing. */
  async prepare(): Promise<void> {
    if (this.#prepared) return;
    const given = { keys: this.keys, ...(this.values ? { values: this.values } : {}) };
    const preparingSort = Execution.prepare(this.#gpu, this.#plan, given).then((sort) => this.#own(sort));
    const creatingTimer = Timer.create(this.#gpu).then((timer) => timer && this.#own(timer));
    const preparingChecks = this.#task.verify ? this.#prepareChecks() : undefined;
    const compiling = this.#compileChecks();
    const [sort, timer, checks] = await allEnded([preparingSort, creatingTimer, preparingChecks, compiling]);
    this.#prepared = { sort, timer, checks };
  }

  async #prepareChecks(): Promise<Checks> {
    const { keys, values } = this;
    const input = this.#own(await this.#inspection({ side: "input", keys, values }));
    const size = input.result.size;
    const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
    return { input, readback: this.#own(await this.#gpu.buffer("totals readback", size, usage)) };
  }

  /** Compiles what runs before the sort and after it, together with the sort's own kernels. */
  async #compileChecks(): Promise<void> {
    const passes = this.#task.verify ? this.#inspectionPlan("result").passes : [];
    const programs = passes.map(({ program }) => program);
    const compiling = programs.map((program) => this.#gpu.kernels.pipeline(program));
    await Promise.all([...compiling, this.#compaction?.compile()]);
  }

  #inspectionPlan(side: Side, count = this.#task.keyCount): Plan {
    const { type, options, unique } = this.#task;
    return inspectPlan(count, type, { ...options, unique }, this.#traits, side);
  }

  #inspection({ side, keys, values, totals, count }: Inspected): Promise<Execution> {
    const plan = this.#inspectionPlan(side, count);
    const given = {
      keys,
      ...(values && plan.buffers.values ? { values } : {}),
      ...(totals ? { totals } : {}),
    };
    return Execution.prepare(this.#gpu, plan, given);
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
    return {
      ms,
      keys: sort.result,
      values: plan.values === undefined ? undefined : sort.buffers[plan.values],
    };
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

  /** Inspects the first `count` keys of a buffer. Only for a job with `verify`. */
  inspectFirst(keys: GPUBuffer, count: number): Promise<Totals> {
    return this.#inspectKeys({ side: "result", keys, count });
  }

  /** Drops all but the first of equal keys; see `DeviceCompaction.run`. Only for a job with `unique`. */
  dropDuplicates(sorted: GPUBuffer): Promise<KeptKeys> {
    if (!this.#compaction) throw new TypeError("the job was planned without unique");
    // The sort is done, so its other buffers are free.
    return this.#compaction.run(sorted, Object.values(this.#ready.sort.buffers));
  }

  async #inspectKeys(inspected: Inspected): Promise<Totals> {
    const { input } = this.#checks;
    const inspection = await this.#inspection({ ...inspected, totals: input.result });
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
    encoder.copyBufferToBuffer(inspection.result, 0, readback, 0, readback.size);
    this.#gpu.submit(encoder);
    await this.#gpu.settle(readback.mapAsync(MapMode.read), "reading the check's totals");
    const words = new Uint32Array(readback.getMappedRange()).slice();
    readback.unmap();
    return readTotals(words);
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

/** What is inspected: all keys with their values, or the first `count` keys. */
interface Inspected {
  readonly side: Side;
  readonly keys: GPUBuffer;
  readonly values?: GPUBuffer | undefined;
  readonly count?: number;
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
  /** Takes the totals of every inspection. */
  readonly readback: GPUBuffer;
}

function allocate(gpu: Gpu, plan: SortPlan, name: "keys" | "values"): Promise<GPUBuffer> {
  const usage = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;
  return gpu.buffer(name, plan.buffers[name]!.bytes, usage);
}
