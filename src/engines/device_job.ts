import { Execution } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { Timer } from "../device/timer.js";
import { BufferUsage, MapMode } from "../device/usage.js";
import type { Plan } from "../plan/plan.js";
import { inspectPlan, readTotals, type Totals } from "../sort/inspect.js";
import type { SortJob } from "./engine.js";

/** Everything on the device that one kind of job needs, reusable for the next job of that kind. */
export class DeviceJob {
  readonly input: GPUBuffer;
  readonly #gpu: Gpu;
  readonly #job: SortJob;
  readonly #plan: Plan;
  #prepared: Prepared | undefined;

  private constructor(gpu: Gpu, job: SortJob, plan: Plan, input: GPUBuffer) {
    this.#gpu = gpu;
    this.#job = job;
    this.#plan = plan;
    this.input = input;
  }

  /** Makes the input buffer only, so that the upload can begin. */
  static async allocate(gpu: Gpu, job: SortJob, plan: Plan): Promise<DeviceJob> {
    return new DeviceJob(gpu, job, plan, await allocateKeys(gpu, plan));
  }

  /** Makes the rest, once. */
  async prepare(): Promise<void> {
    if (this.#prepared) return;
    const keys = this.input;
    const sort = await Execution.prepare(this.#gpu, this.#plan, { keys });
    const inspection = inspectPlan(this.#job.keyCount, this.#job.type, this.#job, this.#gpu.traits);
    const inspectInput = await Execution.prepare(this.#gpu, inspection, { keys });
    const totals = inspectInput.result;
    const inspectResult = await Execution.prepare(this.#gpu, inspection, { keys: sort.result, totals });
    const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
    const totalsReadback = await this.#gpu.buffer("totals readback", totals.size, usage);
    const timer = await Timer.create(this.#gpu);
    this.#prepared = { sort, timer, inspectInput, inspectResult, totalsReadback };
  }

  get result(): GPUBuffer {
    return this.#ready.sort.result;
  }

  /** A buffer like the input's, for keys to be sorted more than once; its maker destroys it. */
  copyOfInput(): Promise<GPUBuffer> {
    return allocateKeys(this.#gpu, this.#plan);
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

  inspectInput(): Promise<Totals> {
    return this.#inspect(this.#ready.inspectInput);
  }

  inspectResult(): Promise<Totals> {
    return this.#inspect(this.#ready.inspectResult);
  }

  async #inspect(execution: Execution): Promise<Totals> {
    const { totalsReadback } = this.#ready;
    const encoder = this.#gpu.device.createCommandEncoder();
    encoder.clearBuffer(execution.result);
    execution.encode(encoder);
    encoder.copyBufferToBuffer(execution.result, 0, totalsReadback, 0, totalsReadback.size);
    this.#gpu.submit(encoder);
    await this.#gpu.settle(totalsReadback.mapAsync(MapMode.read), "reading the check's totals");
    const words = new Uint32Array(totalsReadback.getMappedRange()).slice();
    totalsReadback.unmap();
    return readTotals(words);
  }

  destroy(): void {
    const { sort, timer, inspectInput, inspectResult, totalsReadback } = this.#prepared ?? {};
    for (const made of [sort, timer, inspectInput, inspectResult, totalsReadback, this.input])
      made?.destroy();
  }

  get #ready(): Prepared {
    if (!this.#prepared) throw new TypeError("a job is run before it is prepared");
    return this.#prepared;
  }
}

interface Prepared {
  readonly sort: Execution;
  readonly timer: Timer | undefined;
  readonly inspectInput: Execution;
  readonly inspectResult: Execution;
  readonly totalsReadback: GPUBuffer;
}

function allocateKeys(gpu: Gpu, plan: Plan): Promise<GPUBuffer> {
  const usage = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;
  return gpu.buffer("keys", plan.buffers.keys!.bytes, usage);
}
