import { allEnded } from "../all_ended.js";
import type { Gpu } from "../device/gpu.js";
import { Staging } from "../device/staging.js";
import { InputError } from "../errors.js";
import type { DeviceTraits } from "../plan/traits.js";
import { algorithm, chooseAlgorithm, fits, requireSupported } from "../sort/algorithms.js";
import { checkTotals, type Totals } from "../sort/inspect.js";
import { MAX_KEYS, type Payload, type SortOptions, type SortPlan } from "../sort/key.js";
import { selects } from "../sort/select.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import { PhaseClock } from "../streams/phase_clock.js";
import { serialQueue } from "../streams/serial_queue.js";
import { requireAllWanted } from "./all_wanted.js";
import { DeviceJob, type DeviceTask, type Sorted } from "./device_job.js";
import { DeviceSelection } from "./device_selection.js";
import type { Engine, GpuClock, ResidentSort, SortJob, SortReport, ValueStreams } from "./engine.js";
import { ReadbackCheck } from "./readback_check.js";
import { Transfers } from "./transfers.js";
import { type WantedKeys, wantedKeys } from "./wanted.js";

/**
 * Sorts on a GPU. All keys are in one buffer, which is bound in windows if it exceeds the binding limit. The
 * engine keeps the buffers of the last job for the next job of the same kind.
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
  #last: { kind: string; job: DeviceJob } | undefined;

  /**
   * @param device the name of the device for messages and reports.
   * @param traits the traits that the device reports, or tested ones from `provenTraits`.
   */
  constructor(gpu: Gpu, device: string, traits = gpu.traits) {
    this.#gpu = gpu;
    this.#traits = traits;
    this.#staging = new Staging(gpu);
    this.device = device;
    this.gpuClock = gpu.hasTimestamps ? "timestamp queries" : "wall clock";
  }

  algorithmFor(job: SortJob): string {
    const { name } = algorithm(job.algorithm);
    return name === "auto"
      ? chooseAlgorithm(job.keyCount, job.type, optionsOf(job), this.#traits).name
      : name;
  }

  capacity(job: SortJob): number {
    return algorithm(job.algorithm).capacity(job.type, optionsOf(job), this.#traits);
  }

  /** Keys and values once, and once the buffers that they are scattered to. */
  memoryPerKey({ type, payloadBytes = 0 }: SortJob, indices: boolean): number {
    return 2 * (type.bytes + (indices ? 4 : payloadBytes));
  }

  sort(job: SortJob, source: ItemSource, sink: ItemSink, values?: ValueStreams): Promise<SortReport> {
    return this.#run(
      job,
      job.payloadBytes,
      { keys: source, values: values?.source },
      { keys: sink, values: values?.sink },
    );
  }

  argsort(job: SortJob, source: ItemSource, sink: ItemSink): Promise<SortReport> {
    return this.#run(job, "index", { keys: source }, { values: sink });
  }

  #run(job: SortJob, payload: Payload | undefined, from: Sources, to: Sinks): Promise<SortReport> {
    return this.#inTurn(async () => {
      if (payload || job.bits) requireAllWanted(job);
      try {
        return await this.#sort(job, { ...optionsOf(job), payload, once: true }, from, to);
      } catch (error) {
        this.#forget(); // the failed job may have left buffers in an unknown state
        throw error;
      }
    });
  }

  async #sort(job: SortJob, options: SortOptions, from: Sources, to: Sinks): Promise<SortReport> {
    const begin = performance.now();
    const clock = new PhaseClock();
    const task = { ...job, options };
    const plan = this.#planOf(job, options);
    const onDevice = await clock.time("prepare", 0, () => this.#allocate(job, task, plan));

    const transfers = new Transfers(this.#staging, clock);
    const selection = this.#selectionFor(job);
    const uploads = async () => {
      await transfers.upload(onDevice.keys, from.keys, job.keyCount * job.type.bytes);
      await transfers.upload(onDevice.values, from.values, job.keyCount * (job.payloadBytes ?? 0));
    };
    const prepare = () => (selection ? selection.compile() : onDevice.prepare());
    // Kernels compile during the upload. If one of the two fails, the other must still end before buffers are
    // destroyed.
    await allEnded([uploads(), clock.time("prepare", 0, prepare)]);

    try {
      const selected = await selection?.run(clock, onDevice.keys, this.device);
      const result: Result = selected
        ? { ...selected, report: { algorithm: "radix select", gpuMs: undefined } }
        : await this.#sortAll(clock, onDevice, job, options, plan);
      await this.#download(transfers, job, options, result, to);
      return {
        device: this.device,
        ...result.report,
        keyCount: job.keyCount,
        written: result.count,
        verified: job.verify,
        phases: clock.phases(),
        gpuClock: this.gpuClock,
        totalMs: performance.now() - begin,
      };
    } finally {
      selection?.destroy();
    }
  }

  /** A selection of the first keys, if that is faster than to sort all of them. */
  #selectionFor(job: SortJob): DeviceSelection | undefined {
    const { keyCount, type, unique, head } = job;
    if (head === undefined || unique || this.algorithmFor(job) !== "radix") return undefined;
    if (!selects(keyCount, type, head)) return undefined;
    return new DeviceSelection(this.#gpu, job, head, this.#traits);
  }

  /** Sorts all keys, checks them, and drops those that are not wanted. */
  async #sortAll(
    clock: PhaseClock,
    onDevice: DeviceJob,
    job: SortJob,
    options: SortOptions,
    plan: SortPlan,
  ): Promise<Result> {
    await clock.time("prepare", 0, () => onDevice.prepare());
    const before = job.verify ? await clock.time("verify", 0, () => onDevice.inspectInput()) : undefined;
    const sorted = await this.#sortOnDevice(clock, onDevice, job, options, plan, before);
    let totals = before;
    if (before && sorted.ms !== undefined) {
      totals = await clock.time("verify", 0, () => onDevice.inspectResult(sorted));
      checkTotals(job.keyCount, before, totals, this.device);
    }
    const all = { keys: sorted.keys, count: job.keyCount, totals };
    const wanted = await wantedKeys(clock, onDevice, job, all, this.device);
    const algorithm = sorted.ms === undefined ? "none, as they are in order" : this.algorithmFor(job);
    return { ...wanted, values: sorted.values, report: { algorithm, gpuMs: sorted.ms ?? 0 } };
  }

  async #download(
    transfers: Transfers,
    { type, keyCount, verify, arrivalChecked }: SortJob,
    { payload = 0 }: SortOptions,
    { keys, values, count, totals }: Result,
    to: Sinks,
  ): Promise<void> {
    const keyCheck = totals && !arrivalChecked ? ReadbackCheck.ofKeys(type, totals) : undefined;
    await transfers.download(keys, to.keys, count * type.bytes, keyCheck, this.device);
    const isIndex = payload === "index";
    const indexCheck = verify && isIndex ? ReadbackCheck.ofIndices(keyCount) : undefined;
    const valueBytes = keyCount * (isIndex ? 4 : payload);
    await transfers.download(values, to.values, valueBytes, indexCheck, this.device);
    await to.keys?.end();
    await to.values?.end();
  }

  /**
   * Runs the sort with what the inspection of the input showed. Keys that are in order need no sort. Keys
   * that differ in only some of their bits, such as small numbers, need fewer passes.
   */
  async #sortOnDevice(
    clock: PhaseClock,
    onDevice: DeviceJob,
    job: SortJob,
    options: SortOptions,
    plan: SortPlan,
    before: Totals | undefined,
  ): Promise<Omit<Sorted, "ms"> & { readonly ms: number | undefined }> {
    // An inspection that missed keys is not used. `checkTotals` reports it later.
    const seen = before?.seen === job.keyCount ? before : undefined;
    if (seen?.inversions === 0 && options.payload !== "index") {
      return { ms: undefined, keys: onDevice.keys, values: onDevice.values };
    }
    const shorter = seen && this.#shorterPlan(job, options, plan, seen);
    return clock.time("sort", 0, () => onDevice.sort(shorter ? { plan: shorter } : {}));
  }

  #shorterPlan(
    job: SortJob,
    options: SortOptions,
    plan: SortPlan,
    { varying }: Totals,
  ): SortPlan | undefined {
    if (this.algorithmFor(job) !== "radix") return undefined;
    const narrowed = algorithm("radix").plan(job.keyCount, job.type, { ...options, varying }, this.#traits);
    return narrowed.passes.length < plan.passes.length ? narrowed : undefined;
  }

  async resident(job: SortJob, source: ItemSource): Promise<ResidentSort> {
    const bytes = job.keyCount * job.type.bytes;
    const { onDevice, pristine } = await this.#inTurn(() => this.#uploadPristine(job, source, bytes));
    let sorted: Sorted | undefined;
    const run = async (repeats: number) => {
      sorted = await onDevice.sort({ pristine: [{ from: pristine, to: onDevice.keys }], repeats });
      return sorted.ms;
    };
    const drain = async (sink: ItemSink) => {
      const write = (window: Uint8Array<ArrayBuffer>, at: number) => sink.write(window, at);
      await this.#staging.readback(sorted?.keys ?? pristine, bytes, write, noClock);
      await sink.end();
    };
    return {
      run: (repeats) => this.#inTurn(() => run(repeats)),
      read: (sink) => this.#inTurn(() => drain(sink)),
      destroy: () => onDevice.destroy(),
    };
  }

  /** Uploads the keys into a buffer that no sort writes. */
  async #uploadPristine(job: SortJob, source: ItemSource, bytes: number) {
    this.#forget(); // to free its memory
    const options = optionsOf(job);
    const plan = this.#planOf(job, options);
    const onDevice = await DeviceJob.allocate(this.#gpu, { ...job, options }, plan, this.#traits);
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
    this.#gpu.destroy();
  }

  #forget(): void {
    this.#last?.job.destroy();
    this.#last = undefined;
    this.#staging.destroy();
  }

  async #allocate(job: SortJob, task: DeviceTask, plan: SortPlan): Promise<DeviceJob> {
    const { type, keyCount, verify, unique = false } = job;
    const kind = JSON.stringify([type.name, keyCount, verify, unique, this.algorithmFor(job), task.options]);
    if (this.#last?.kind !== kind) {
      this.#last?.job.destroy();
      this.#last = undefined;
      this.#last = { kind, job: await DeviceJob.allocate(this.#gpu, task, plan, this.#traits) };
    }
    return this.#last.job;
  }

  #planOf(job: SortJob, options: SortOptions): SortPlan {
    const chosen = algorithm(job.algorithm);
    requireSupported(chosen, job.type, options);
    if (job.keyCount > MAX_KEYS) throw this.#tooMany(job);
    const plan = chosen.plan(job.keyCount, job.type, options, this.#traits);
    if (!fits(plan, this.#traits)) throw this.#tooMany(job);
    return plan;
  }

  #tooMany(job: SortJob): InputError {
    const { keyCount, type } = job;
    return new InputError(
      `${this.device} sorts at most ${this.capacity(job)} ${type.name} keys at once, not ${keyCount}`,
      { hint: "sort them in parts, or on the CPU", options: ["device"] },
    );
  }
}

/** What is on the device after a job, ready to be read back. */
interface Result extends WantedKeys {
  readonly values?: GPUBuffer | undefined;
  /** What the report says of a sort. */
  readonly report: Pick<SortReport, "algorithm" | "gpuMs">;
}

interface Sources {
  readonly keys: ItemSource;
  readonly values?: ItemSource | undefined;
}

interface Sinks {
  readonly keys?: ItemSink | undefined;
  readonly values?: ItemSink | undefined;
}

function optionsOf({ descending, bits, payloadBytes }: SortJob): SortOptions {
  return { descending, bits, payload: payloadBytes };
}

const noClock = { begin: () => {}, end: () => {} };
