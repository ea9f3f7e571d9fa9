import { Execution } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { Timer } from "../device/timer.js";
import { BufferUsage, MapMode } from "../device/usage.js";
import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { inspectPlan, readTotals, type Totals } from "../sort/inspect.js";
import type { SortJob } from "./engine.js";

/** Everything on the device that one kind of job needs, reusable for the next job of that kind. */
export class DeviceJob {
  readonly input: GPUBuffer;
  readonly #gpu: Gpu;
  readonly #job: SortJob;
  readonly #plan: Plan;
  readonly #traits: DeviceTraits;
  /** All that `destroy` must let go of, also when something fails half-way. */
  readonly #made: { destroy(): void }[];
  #prepared: Prepared | undefined;

  private constructor(gpu: Gpu, job: SortJob, plan: Plan, traits: DeviceTraits, input: GPUBuffer) {
    this.#gpu = gpu;
    this.#job = job;
    this.#plan = plan;
    this.#traits = traits;
    this.input = input;
    this.#made = [input];
  }

  /** Makes the input buffer only, so that the upload can begin. */
  static async allocate(gpu: Gpu, job: SortJob, plan: Plan, traits: DeviceTraits): Promise<DeviceJob> {
    return new DeviceJob(gpu, job, plan, traits, await allocateKeys(gpu, plan));
  }

  /** Makes the rest, once. */
  async prepare(): Promise<void> {
    if (this.#prepared) return;
    const sort = this.#own(await Execution.prepare(this.#gpu, this.#plan, { keys: this.input }));
    const checks = this.#job.verify ? await this.#prepareChecks(sort) : undefined;
    const timer = await Timer.create(this.#gpu);
    if (timer) this.#own(timer);
    this.#prepared = { sort, timer, checks };
  }

  async #prepareChecks(sort: Execution): Promise<Checks> {
    const { keyCount, type } = this.#job;
    const plan = inspectPlan(keyCount, type, this.#job, this.#traits);
    const input = this.#own(await Execution.prepare(this.#gpu, plan, { keys: this.input }));
    const totals = input.result;
    const result = this.#own(await Execution.prepare(this.#gpu, plan, { keys: sort.result, totals }));
    const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
    return {
      input,
      result,
      readback: this.#own(await this.#gpu.buffer("totals readback", totals.size, usage)),
    };
  }

  #own<T extends { destroy(): void }>(made: T): T {
    this.#made.push(made);
    return made;
  }

  get result(): GPUBuffer {
    return this.#ready.sort.result;
  }

  /** A buffer like the input's, for keys to be sorted more than once. */
  async copyOfInput(): Promise<GPUBuffer> {
    return this.#own(await allocateKeys(this.#gpu, this.#plan));
  }

  /**
   * Sorts the input, or first restores it from `pristine` and does so `repeats` more times before, all in one
   * submission.
   *
   * @returns milliseconds of the last sort: on the GPU's clock if it has one, else of the whole submission.
   */
  async sort(pristine?: GPUBuffer, repeats = 0): Promise<number> {
    const { sort, timer } = this.#ready;
    const begin = performance.now();
    const encoder = this.#gpu.device.createCommandEncoder();
    for (let i = 0; i <= repeats; i++) {
      if (pristine) encoder.copyBufferToBuffer(pristine, 0, this.input, 0, pristine.size);
      if (i < repeats) sort.encode(encoder);
    }
    sort.encode(encoder, timer);
    timer?.resolve(encoder);
    this.#gpu.submit(encoder);
    if (timer) return timer.readMs();
    await this.#gpu.idle("sorting");
    return performance.now() - begin;
  }

  /** For a job that is to be verified. */
  inspectInput(): Promise<Totals> {
    return this.#inspect(({ input }) => input);
  }

  /** For a job that is to be verified. */
  inspectResult(): Promise<Totals> {
    return this.#inspect(({ result }) => result);
  }

  async #inspect(which: (checks: Checks) => Execution): Promise<Totals> {
    const { checks } = this.#ready;
    if (!checks) throw new TypeError("a job that is not to be verified has no checks");
    const execution = which(checks);
    const encoder = this.#gpu.device.createCommandEncoder();
    encoder.clearBuffer(execution.result);
    execution.encode(encoder);
    encoder.copyBufferToBuffer(execution.result, 0, checks.readback, 0, checks.readback.size);
    this.#gpu.submit(encoder);
    await this.#gpu.settle(checks.readback.mapAsync(MapMode.read), "reading the check's totals");
    const words = new Uint32Array(checks.readback.getMappedRange()).slice();
    checks.readback.unmap();
    return readTotals(words);
  }

  destroy(): void {
    for (const made of this.#made) made.destroy();
  }

  get #ready(): Prepared {
    if (!this.#prepared) throw new TypeError("a job is run before it is prepared");
    return this.#prepared;
  }
}

interface Prepared {
  readonly sort: Execution;
  readonly timer: Timer | undefined;
  readonly checks: Checks | undefined;
}

/** The passes that look at the input before the sort and at the result after it, and where they leave what they saw. */
interface Checks {
  readonly input: Execution;
  readonly result: Execution;
  readonly readback: GPUBuffer;
}

function allocateKeys(gpu: Gpu, plan: Plan): Promise<GPUBuffer> {
  const usage = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;
  return gpu.buffer("keys", plan.buffers.keys!.bytes, usage);
}
