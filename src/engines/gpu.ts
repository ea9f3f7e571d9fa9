import type { Gpu } from "../device/gpu.js";
import { Staging } from "../device/staging.js";
import { InputError } from "../errors.js";
import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { algorithm, capacity, fastest, fits } from "../sort/algorithms.js";
import { checkTotals } from "../sort/inspect.js";
import { DeviceJob } from "./device_job.js";
import type { Engine, GpuClock, KeySink, KeySource, ResidentSort, SortJob, SortReport } from "./engine.js";
import { PhaseClock, type PhaseName } from "./phases.js";

/** Sorts on a GPU, all keys in one buffer. Keeps what it made for the last job, for the next one like it. */
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
    return name === "auto" ? fastest(job.keyCount, this.#traits).name : name;
  }

  capacity(job: SortJob): number {
    return capacity(algorithm(job.algorithm), job.type, this.#traits);
  }

  sort(job: SortJob, source: KeySource, sink: KeySink): Promise<SortReport> {
    return this.#alone(async () => {
      try {
        return await this.#sort(job, source, sink);
      } catch (error) {
        this.#forget(); // whatever it was doing when it failed, the next job shall not find it
        throw error;
      }
    });
  }

  async #sort(job: SortJob, source: KeySource, sink: KeySink): Promise<SortReport> {
    const begin = performance.now();
    const clock = new PhaseClock();
    const bytes = job.keyCount * job.type.bytes;
    const onDevice = await clock.time("prepare", 0, () => this.#allocate(job));

    // Kernels compile while keys arrive. Both are waited for, so that a failure of one finds the other at rest.
    const outcomes = await Promise.allSettled([
      this.#staging.upload(
        onDevice.input,
        bytes,
        (window, offset) => clock.time("read", window.length, () => source.read(window, offset)),
        transfer(clock, "upload"),
      ),
      clock.time("prepare", 0, () => onDevice.prepare()),
    ]);
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;

    const before = job.verify ? await clock.time("verify", 0, () => onDevice.inspectInput()) : undefined;
    const gpuMs = await clock.time("sort", 0, () => onDevice.sort());
    if (before) {
      const after = await clock.time("verify", 0, () => onDevice.inspectResult());
      checkTotals(job.keyCount, before, after, this.device);
    }

    await this.#staging.readback(
      onDevice.result,
      bytes,
      (window, offset) => clock.time("write", window.length, () => sink.write(window, offset)),
      transfer(clock, "readback"),
    );
    return {
      device: this.device,
      algorithm: this.algorithmFor(job),
      keyCount: job.keyCount,
      verified: job.verify,
      phases: clock.phases(),
      gpuMs,
      gpuClock: this.gpuClock,
      totalMs: performance.now() - begin,
    };
  }

  async resident(job: SortJob, source: KeySource): Promise<ResidentSort> {
    const bytes = job.keyCount * job.type.bytes;
    const { onDevice, pristine } = await this.#alone(() => this.#uploadForGood(job, source, bytes));
    const drain = (sink: KeySink) =>
      this.#staging.readback(onDevice.result, bytes, (window, at) => sink.write(window, at), noClock);
    return {
      run: (repeats) => this.#alone(() => onDevice.sort(pristine, repeats)),
      read: (sink) => this.#alone(() => drain(sink)),
      destroy: () => onDevice.destroy(),
    };
  }

  async #uploadForGood(job: SortJob, source: KeySource, bytes: number) {
    this.#forget(); // its memory may be needed
    const onDevice = await DeviceJob.allocate(this.#gpu, job, this.#planOf(job), this.#traits);
    try {
      await onDevice.prepare();
      const pristine = await onDevice.copyOfInput();
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

  async #allocate(job: SortJob): Promise<DeviceJob> {
    const { type, keyCount, descending, verify } = job;
    const kind = JSON.stringify([type.name, keyCount, descending, verify, this.algorithmFor(job)]);
    if (this.#last?.kind !== kind) {
      const plan = this.#planOf(job);
      this.#last?.job.destroy();
      this.#last = undefined;
      this.#last = { kind, job: await DeviceJob.allocate(this.#gpu, job, plan, this.#traits) };
    }
    return this.#last.job;
  }

  #planOf(job: SortJob): Plan {
    const plan = algorithm(job.algorithm).plan(job.keyCount, job.type, job, this.#traits);
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

const noClock = { begin: () => {}, end: () => {} };

function transfer(clock: PhaseClock, name: PhaseName) {
  return { begin: () => clock.begin(name), end: (bytes: number) => clock.end(name, bytes) };
}
