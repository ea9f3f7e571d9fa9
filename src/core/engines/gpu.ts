import type { Gpu } from "../device/gpu.js";
import { Staging } from "../device/staging.js";
import type { DeviceTraits } from "../plan/traits.js";
import { comparedWords } from "../sort/enumeration.js";
import type { Payload, SortOptions, SortPlan } from "../sort/key.js";
import { MOST_ENUMERATED } from "../sort/limits.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import { PhaseClock } from "../streams/phase_clock.js";
import { serialQueue } from "../streams/serial_queue.js";
import { BufferStock } from "./buffer_stock.js";
import { DeviceJob, type DeviceTask } from "./device_job.js";
import { DeviceSort, type Sinks, type Sources } from "./device_sort.js";
import {
  type Engine,
  type GpuClock,
  type ResidentSort,
  requireSelection,
  type SortJob,
  type SortReport,
  type ValueStreams,
} from "./engine.js";
import { EnumeratedOrder } from "./enumerated_order.js";
import { GpuPlans, optionsOf } from "./gpu_plans.js";

/**
 * Sorts on a GPU. All keys are in one buffer, which is bound in windows if it exceeds the binding limit. The
 * engine keeps the buffers of the last job for the next one.
 */
export class GpuEngine implements Engine {
  readonly device: string;
  readonly gpuClock: GpuClock;
  readonly #gpu: Gpu;
  readonly #traits: DeviceTraits;
  readonly #staging: Staging;
  /**
   * Runs one job at a time, because all jobs share the staging windows, and jobs of the same kind share
   * buffers.
   */
  readonly #inTurn = serialQueue("continue");
  readonly #stock: BufferStock;
  readonly #plans: GpuPlans;
  readonly #enumeration: EnumeratedOrder;
  #last: { kind: string; job: DeviceJob } | undefined;

  /**
   * @param device the name of the device for messages and reports.
   * @param traits the traits that the device reports, or tested ones from `provenTraits`.
   */
  constructor(gpu: Gpu, device: string, traits = gpu.traits) {
    this.#gpu = gpu;
    this.#traits = traits;
    this.#staging = new Staging(gpu);
    this.#stock = new BufferStock(gpu);
    this.#plans = new GpuPlans(device, traits);
    this.#enumeration = new EnumeratedOrder(gpu, traits);
    this.device = device;
    this.gpuClock = gpu.hasTimestamps ? "timestamp queries" : "wall clock";
  }

  algorithmFor(job: SortJob): string {
    return this.#plans.algorithmFor(job);
  }

  capacity(job: SortJob): number {
    return this.#plans.capacity(job);
  }

  /** Keys and values once, and once the buffers that they are scattered to; and counts. */
  memoryPerKey({ type, payloadBytes = 0, unique }: SortJob, indices: boolean): number {
    return 2 * (type.bytes + (indices ? 4 : payloadBytes)) + (unique === "counts" ? 4 : 0);
  }

  sort(
    job: SortJob,
    source: ItemSource,
    sink: ItemSink,
    values?: ValueStreams,
    counts?: ItemSink,
  ): Promise<SortReport> {
    const from = { keys: source, values: values?.source };
    return this.#run(job, job.payloadBytes, from, { keys: sink, values: values?.sink, counts });
  }

  argsort(job: SortJob, source: ItemSource, sink: ItemSink): Promise<SortReport> {
    return this.#run(job, "index", { keys: source }, { values: sink });
  }

  orderInMemory(job: SortJob, keys: Uint8Array): Promise<Uint32Array> | undefined {
    if (job.keyCount > MOST_ENUMERATED) return undefined;
    const pairs = comparedWords(keys, job.type, job);
    return this.#inTurn(async () => {
      try {
        return await this.#enumeration.order(pairs, this.device);
      } catch (error) {
        this.#enumeration.destroy(); // its buffers may be in an unknown state
        throw error;
      }
    });
  }

  #run(job: SortJob, payload: Payload | undefined, from: Sources, to: Sinks): Promise<SortReport> {
    return this.#inTurn(async () => {
      requireSelection(job, payload === "index", to.counts);
      try {
        // Only the check reads the sorted keys of an argsort.
        const dropKeys = payload === "index" && !job.verify;
        return await this.#sort(job, { ...optionsOf(job), payload, dropKeys, once: true }, from, to);
      } catch (error) {
        this.#forget(); // the failed job may have left buffers in an unknown state
        throw error;
      }
    });
  }

  async #sort(job: SortJob, options: SortOptions, from: Sources, to: Sinks): Promise<SortReport> {
    const begin = performance.now();
    const clock = new PhaseClock();
    const { device } = this;
    const [plans, staging] = [this.#plans, this.#staging];
    const plan = await plans.plan(job, options);
    const onDevice = await clock.time("prepare", 0, () => this.#allocate(job, { ...job, options }, plan));
    const sort = new DeviceSort({ device, job, options, plan, onDevice, plans, staging, clock });
    await sort.upload(from);
    const result = await sort.sort();
    await sort.download(result, to);
    return {
      device,
      ...result.report,
      keyCount: job.keyCount,
      written: result.count,
      verified: job.verify,
      phases: clock.phases(),
      gpuClock: this.gpuClock,
      totalMs: performance.now() - begin,
    };
  }

  async resident(job: SortJob, source: ItemSource): Promise<ResidentSort> {
    const bytes = job.keyCount * job.type.bytes;
    const { onDevice, pristine } = await this.#inTurn(() => this.#uploadPristine(job, source, bytes));
    let sorted = pristine;
    const sort = async (repeats: number) => {
      const { ms, keys } = await onDevice.sort({
        pristine: [{ from: pristine, to: onDevice.keys }],
        repeats,
      });
      sorted = keys;
      return ms;
    };
    const drain = async (sink: ItemSink) => {
      const write = (window: Uint8Array<ArrayBuffer>, at: number) => sink.write(window, at);
      await this.#staging.readback(sorted, bytes, write, noClock);
      await sink.end();
    };
    return {
      run: (repeats) => this.#inTurn(() => sort(repeats)),
      read: (sink) => this.#inTurn(() => drain(sink)),
      destroy: () => onDevice.destroy(),
    };
  }

  /** Uploads the keys into a buffer that no sort writes. */
  async #uploadPristine(job: SortJob, source: ItemSource, bytes: number) {
    this.#forget(); // to free its memory
    const options = optionsOf(job);
    const plan = await this.#plans.plan(job, options);
    const onDevice = await DeviceJob.allocate({
      gpu: this.#gpu,
      task: { ...job, options },
      plan,
      traits: this.#traits,
    });
    try {
      await onDevice.prepare();
      const pristine = await onDevice.copyOf("keys");
      await this.#staging.upload(pristine, bytes, (window, at) => source.read(window, at), noClock);
      return { onDevice, pristine };
    } catch (error) {
      onDevice.destroy();
      throw error;
    }
  }

  close(): void {
    this.#forget();
    this.#enumeration.destroy();
    this.#gpu.destroy();
  }

  #forget(): void {
    this.#last?.job.destroy();
    this.#last = undefined;
    this.#stock.destroy();
    this.#staging.destroy();
  }

  async #allocate(job: SortJob, task: DeviceTask, plan: SortPlan): Promise<DeviceJob> {
    const { type, keyCount, verify, unique = false } = job;
    const kind = JSON.stringify([type.name, keyCount, verify, unique, this.algorithmFor(job), task.options]);
    if (this.#last?.kind !== kind) {
      this.#last?.job.destroy();
      this.#last = undefined;
      const [gpu, traits, stock] = [this.#gpu, this.#traits, this.#stock];
      const job = await DeviceJob.allocate({ gpu, task, plan, traits, stock });
      this.#last = { kind, job };
    }
    return this.#last.job;
  }
}

const noClock = { begin: () => {}, end: () => {} };
