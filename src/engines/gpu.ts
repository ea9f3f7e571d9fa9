import type { Gpu } from "../device/gpu.js";
import { Staging } from "../device/staging.js";
import { InputError } from "../errors.js";
import type { DeviceTraits } from "../plan/traits.js";
import { algorithm, capacity, fastest, fits, requireAble } from "../sort/algorithms.js";
import { checkTotals, type Totals } from "../sort/inspect.js";
import type { Payload, SortOptions, SortPlan } from "../sort/key.js";
import { DeviceJob, type DeviceTask, type Sorted } from "./device_job.js";
import type {
  Engine,
  GpuClock,
  KeySink,
  KeySource,
  ResidentSort,
  SortJob,
  SortReport,
  ValueStreams,
} from "./engine.js";
import { PhaseClock, type PhaseName } from "./phases.js";
import { ReadbackCheck } from "./readback_check.js";

/** Sorts on a GPU, all keys in one buffer, bound in windows if it is too long to be bound at once. Keeps what it made for the last job, for the next one like it. */
export class GpuEngine implements Engine {
  readonly device: string;
  readonly gpuClock: GpuClock;
  readonly #gpu: Gpu;
  readonly #traits: DeviceTraits;
  readonly #staging: Staging;
  #busy: Promise<unknown> = Promise.resolve();
  #last: { kind: string; job: DeviceJob } | undefined;

  /** @param traits the device's own, or what more is known of it: see `provenTraits`. */
  constructor(gpu: Gpu, device: string, traits = gpu.traits) {
    this.#gpu = gpu;
    this.#traits = traits;
    this.#staging = new Staging(gpu);
    this.device = device;
    this.gpuClock = gpu.hasTimestamps ? "timestamp queries" : "wall clock";
  }

  algorithmFor(job: SortJob): string {
    const { name } = algorithm(job.algorithm);
    return name === "auto" ? fastest(job.keyCount, job.type, optionsOf(job), this.#traits).name : name;
  }

  capacity(job: SortJob): number {
    return capacity(algorithm(job.algorithm), job.type, this.#traits, optionsOf(job));
  }

  sort(job: SortJob, source: KeySource, sink: KeySink, values?: ValueStreams): Promise<SortReport> {
    return this.#run(
      job,
      job.payloadBytes,
      { keys: source, values: values?.source },
      { keys: sink, values: values?.sink },
    );
  }

  argsort(job: SortJob, source: KeySource, sink: KeySink): Promise<SortReport> {
    return this.#run(job, "index", { keys: source }, { values: sink });
  }

  #run(job: SortJob, payload: Payload | undefined, from: Sources, to: Sinks): Promise<SortReport> {
    return this.#alone(async () => {
      try {
        return await this.#sort(job, { ...optionsOf(job), payload, once: true }, from, to);
      } catch (error) {
        this.#forget(); // whatever it was doing when it failed, the next job shall not find it
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

    // Kernels compile while keys arrive. Both are waited for, so that a failure of one finds the other at rest.
    const upload = async (target: GPUBuffer | undefined, source: KeySource | undefined, bytes: number) => {
      if (!target || !source) return;
      const read = (window: Uint8Array<ArrayBuffer>, offset: number) =>
        clock.time("read", window.length, () => source.read(window, offset));
      await this.#staging.upload(target, bytes, read, transfer(clock, "upload"));
    };
    const uploads = async () => {
      await upload(onDevice.keys, from.keys, job.keyCount * job.type.bytes);
      await upload(onDevice.values, from.values, job.keyCount * (job.payloadBytes ?? 0));
    };
    const outcomes = await Promise.allSettled([
      uploads(),
      clock.time("prepare", 0, () => onDevice.prepare()),
    ]);
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;

    const before = job.verify ? await clock.time("verify", 0, () => onDevice.inspectInput()) : undefined;
    const sorted = await this.#sortOnDevice(clock, onDevice, job, options, plan, before);
    if (before && sorted.ms !== undefined) {
      const after = await clock.time("verify", 0, () => onDevice.inspectResult(sorted));
      checkTotals(job.keyCount, before, after, this.device);
    }

    const download = async (
      buffer: GPUBuffer | undefined,
      sink: KeySink | undefined,
      bytes: number,
      arrival: ReadbackCheck | undefined,
    ) => {
      if (!buffer || !sink) return;
      const write = (window: Uint8Array<ArrayBuffer>, offset: number) => {
        const writing = clock.time("write", window.length, () => sink.write(window, offset));
        arrival?.look(window); // while it is written
        return writing;
      };
      await this.#staging.readback(buffer, bytes, write, transfer(clock, "readback"));
      arrival?.end(this.device);
    };
    const { payload } = options;
    const keysAlone =
      before && !payload && !job.arrivalChecked ? ReadbackCheck.ofKeys(job.type, before.sums[0]) : undefined;
    await download(sorted.keys, to.keys, job.keyCount * job.type.bytes, keysAlone);
    const indices = before && payload === "index" ? ReadbackCheck.ofIndices(job.keyCount) : undefined;
    const valueBytes = payload === "index" ? 4 : (payload ?? 0);
    await download(sorted.values, to.values, job.keyCount * valueBytes, indices);
    return {
      device: this.device,
      algorithm: sorted.ms === undefined ? "none, as they are in order" : this.algorithmFor(job),
      keyCount: job.keyCount,
      verified: job.verify,
      phases: clock.phases(),
      gpuMs: sorted.ms ?? 0,
      gpuClock: this.gpuClock,
      totalMs: performance.now() - begin,
    };
  }

  /**
   * A look at the input, where there was one, may tell that nothing is to be done, or that the keys differ in fewer bits than
   * they have: small numbers take fewer passes.
   */
  async #sortOnDevice(
    clock: PhaseClock,
    onDevice: DeviceJob,
    job: SortJob,
    options: SortOptions,
    plan: SortPlan,
    before: Totals | undefined,
  ): Promise<Omit<Sorted, "ms"> & { readonly ms: number | undefined }> {
    // A look that did not see every key tells nothing, and the check will say so.
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
    const { begin, end } = options.bits ?? varying;
    const least = Math.max(begin, varying.begin);
    const bits = { begin: least, end: Math.max(least, Math.min(end, varying.end)) };
    const narrowed = algorithm("radix").plan(job.keyCount, job.type, { ...options, bits }, this.#traits);
    return narrowed.passes.length < plan.passes.length ? narrowed : undefined;
  }

  async resident(job: SortJob, source: KeySource): Promise<ResidentSort> {
    const bytes = job.keyCount * job.type.bytes;
    const { onDevice, pristine } = await this.#alone(() => this.#uploadForGood(job, source, bytes));
    let sorted: Sorted | undefined;
    const run = async (repeats: number) => {
      sorted = await onDevice.sort({ pristine: [{ from: pristine, to: onDevice.keys }], repeats });
      return sorted.ms;
    };
    const drain = (sink: KeySink) =>
      this.#staging.readback(
        sorted?.keys ?? pristine,
        bytes,
        (window, at) => sink.write(window, at),
        noClock,
      );
    return {
      run: (repeats) => this.#alone(() => run(repeats)),
      read: (sink) => this.#alone(() => drain(sink)),
      destroy: () => onDevice.destroy(),
    };
  }

  async #uploadForGood(job: SortJob, source: KeySource, bytes: number) {
    this.#forget(); // its memory may be needed
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

  /** One thing at a time: jobs share the windows, and those of a kind their buffers. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#busy.then(work);
    this.#busy = result.catch(() => {});
    return result;
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
    const { type, keyCount, verify } = job;
    const kind = JSON.stringify([type.name, keyCount, verify, this.algorithmFor(job), task.options]);
    if (this.#last?.kind !== kind) {
      this.#last?.job.destroy();
      this.#last = undefined;
      this.#last = { kind, job: await DeviceJob.allocate(this.#gpu, task, plan, this.#traits) };
    }
    return this.#last.job;
  }

  #planOf(job: SortJob, options: SortOptions): SortPlan {
    const chosen = algorithm(job.algorithm);
    requireAble(chosen, job.type, options);
    const plan = chosen.plan(job.keyCount, job.type, options, this.#traits);
    if (!fits(plan, this.#traits)) throw this.#tooMany(job);
    return plan;
  }

  #tooMany(job: SortJob): InputError {
    const { keyCount, type } = job;
    return new InputError(
      `${keyCount} ${type.name} keys are more than ${this.device} sorts at once, which is ${this.capacity(job)}`,
      { hint: "sort them in parts, or use --device cpu" },
    );
  }
}

interface Sources {
  readonly keys: KeySource;
  readonly values?: KeySource | undefined;
}

interface Sinks {
  readonly keys?: KeySink | undefined;
  readonly values?: KeySink | undefined;
}

function optionsOf({ descending, bits, payloadBytes }: SortJob): SortOptions {
  return { descending, bits, payload: payloadBytes };
}

const noClock = { begin: () => {}, end: () => {} };

function transfer(clock: PhaseClock, name: PhaseName) {
  return { begin: () => clock.begin(name), end: (bytes: number) => clock.end(name, bytes) };
}
