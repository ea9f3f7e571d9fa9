import { Execution } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { Timer } from "../device/timer.js";
import { BufferUsage, MapMode } from "../device/usage.js";
import type { DeviceTraits } from "../plan/traits.js";
import { inspectPlan, readTotals, type Side, type Totals } from "../sort/inspect.js";
import type { SortOptions, SortPlan } from "../sort/key.js";
import type { SortJob } from "./engine.js";

/** A sort as plans and inspections know it. */
export interface DeviceTask extends Pick<SortJob, "type" | "keyCount" | "verify"> {
  readonly options: SortOptions;
}

/** Everything on the device that one kind of job needs, reusable for the next job of that kind. */
export class DeviceJob {
  readonly keys: GPUBuffer;
  /** Absent where nothing travels with the keys that is uploaded with them. */
  readonly values: GPUBuffer | undefined;
  readonly #gpu: Gpu;
  readonly #task: DeviceTask;
  readonly #plan: SortPlan;
  readonly #traits: DeviceTraits;
  /** All that `destroy` must let go of, also when something fails half-way. */
  readonly #made: { destroy(): void }[];
  #prepared: Prepared | undefined;
  #other: Execution | undefined;

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
    this.#made = values ? [keys, values] : [keys];
  }

  /** Makes the input buffers only, so that the upload can begin. */
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

  /** Makes the rest, once. */
  async prepare(): Promise<void> {
    if (this.#prepared) return;
    const given = { keys: this.keys, ...(this.values ? { values: this.values } : {}) };
    const sort = this.#own(await Execution.prepare(this.#gpu, this.#plan, given));
    const checks = this.#task.verify ? await this.#prepareChecks() : undefined;
    const timer = await Timer.create(this.#gpu);
    if (timer) this.#own(timer);
    this.#prepared = { sort, timer, checks };
  }

  async #prepareChecks(): Promise<Checks> {
    const input = this.#own(await this.#inspection("input", this.keys, this.values));
    const size = input.result.size;
    const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
    return { input, readback: this.#own(await this.#gpu.buffer("totals readback", size, usage)) };
  }

  #inspection(side: Side, keys: GPUBuffer, values?: GPUBuffer, totals?: GPUBuffer): Promise<Execution> {
    const { keyCount, type, options } = this.#task;
    const plan = inspectPlan(keyCount, type, options, this.#traits, side);
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

  /** A buffer like the keys', for keys to be sorted more than once. */
  async copyOf(name: "keys" | "values"): Promise<GPUBuffer> {
    return this.#own(await allocate(this.#gpu, this.#plan, name));
  }

  /**
   * Sorts the input, or first restores it from `pristine` and does so `repeats` more times before, all in one
   * submission.
   *
   * @param plan another plan for the same keys, if one look at them told of a shorter one.
   */
  async sort({ pristine = [], repeats = 0, plan = this.#plan }: SortRun = {}): Promise<Sorted> {
    const { sort: planned, timer } = this.#ready;
    const sort = plan === this.#plan ? planned : await this.#instead(plan);
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

  /** Another plan in the buffers that are there. What the last such plan made is no longer needed. */
  async #instead(plan: SortPlan): Promise<Execution> {
    this.#other?.destroy();
    this.#other = undefined;
    this.#other = await Execution.prepare(this.#gpu, plan, this.#ready.sort.buffers);
    return this.#other;
  }

  /** For a job that is to be verified. */
  inspectInput(): Promise<Totals> {
    return this.#inspect(this.#checks.input);
  }

  /** For a job that is to be verified. */
  async inspectResult({ keys, values }: Omit<Sorted, "ms">): Promise<Totals> {
    const { input } = this.#checks;
    const inspection = await this.#inspection("result", keys, values, input.result);
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
    if (!this.#prepared) throw new TypeError("a job is run before it is prepared");
    return this.#prepared;
  }

  get #checks(): Checks {
    const { checks } = this.#ready;
    if (!checks) throw new TypeError("a job that is not to be verified has no checks");
    return checks;
  }
}

/** How to run a job once more. */
export interface SortRun {
  /** What to restore the input from before each sort. */
  readonly pristine?: readonly { readonly from: GPUBuffer; readonly to: GPUBuffer }[];
  readonly repeats?: number;
  readonly plan?: SortPlan;
}

/** Where a sort left its result, until the next one. */
export interface Sorted {
  /** Milliseconds of the last sort: on the GPU's clock if it has one, else of the whole submission. */
  readonly ms: number;
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer | undefined;
}

interface Prepared {
  readonly sort: Execution;
  readonly timer: Timer | undefined;
  readonly checks: Checks | undefined;
}

/** The pass that looks at the input, and where it and its like leave what they saw. */
interface Checks {
  readonly input: Execution;
  readonly readback: GPUBuffer;
}

function allocate(gpu: Gpu, plan: SortPlan, name: "keys" | "values"): Promise<GPUBuffer> {
  const usage = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;
  return gpu.buffer(name, plan.buffers[name]!.bytes, usage);
}
