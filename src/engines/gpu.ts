import { Execution } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { Staging } from "../device/staging.js";
import { Timer } from "../device/timer.js";
import { BufferUsage, MapMode } from "../device/usage.js";
import { InputError } from "../errors.js";
import { algorithm, capacity } from "../sort/algorithms.js";
import { checkTotals, inspectPlan, readTotals, type Totals } from "../sort/inspect.js";
import type { Engine, GpuClock, KeySink, KeySource, SortJob, SortReport } from "./engine.js";
import { PhaseClock, type PhaseName } from "./phases.js";

/** Sorts on a GPU, all keys in one buffer. Keeps what it made for the last job, for the next one like it. */
export class GpuEngine implements Engine {
  readonly device: string;
  readonly gpuClock: GpuClock;
  readonly #gpu: Gpu;
  readonly #staging: Staging;
  #prepared: { key: string; job: PreparedJob } | undefined;

  constructor(gpu: Gpu, device: string) {
    this.#gpu = gpu;
    this.#staging = new Staging(gpu);
    this.device = device;
    this.gpuClock = gpu.hasTimestamps ? "timestamp queries" : "wall clock";
  }

  algorithmFor(job: SortJob): string {
    return algorithm(job.algorithm).name;
  }

  capacity(job: SortJob): number {
    return capacity(algorithm(job.algorithm), job.type, this.#gpu.traits);
  }

  async sort(job: SortJob, source: KeySource, sink: KeySink): Promise<SortReport> {
    const most = this.capacity(job);
    if (job.keyCount > most) {
      throw new InputError(
        `${job.keyCount} ${job.type.name} keys are more than ${this.device} sorts at once (${most})`,
        { hint: "sort the file in parts, or use --device cpu" },
      );
    }
    const begin = performance.now();
    const clock = new PhaseClock();
    const bytes = job.keyCount * job.type.bytes;
    const prepared = await this.#prepare(job);

    await this.#staging.upload(
      prepared.input,
      bytes,
      (window, offset) => clock.time("read", window.length, () => source.read(window, offset)),
      transfer(clock, "upload"),
    );
    const { gpuMs, before, after } = await prepared.run(clock);
    if (before && after) checkTotals(before, after, this.device);

    await this.#staging.readback(
      prepared.result,
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

  close(): void {
    this.#prepared?.job.destroy();
    this.#staging.destroy();
    this.#gpu.destroy();
  }

  async #prepare(job: SortJob): Promise<PreparedJob> {
    const key = JSON.stringify([
      job.type.name,
      job.keyCount,
      job.descending,
      this.algorithmFor(job),
      job.verify,
    ]);
    if (this.#prepared?.key !== key) {
      this.#prepared?.job.destroy();
      this.#prepared = undefined;
      this.#prepared = { key, job: await PreparedJob.create(this.#gpu, job) };
    }
    return this.#prepared.job;
  }
}

/** Everything on the device that one kind of job needs, reusable for the next job of that kind. */
class PreparedJob {
  readonly #gpu: Gpu;
  readonly #sort: Execution;
  readonly #timer: Timer | undefined;
  readonly #checks: Checks | undefined;

  private constructor(gpu: Gpu, sort: Execution, timer: Timer | undefined, checks: Checks | undefined) {
    this.#gpu = gpu;
    this.#sort = sort;
    this.#timer = timer;
    this.#checks = checks;
  }

  static async create(gpu: Gpu, job: SortJob): Promise<PreparedJob> {
    const plan = algorithm(job.algorithm).plan(job.keyCount, job.type, job, gpu.traits);
    const sort = await Execution.prepare(gpu, plan);
    const checks = job.verify ? await Checks.create(gpu, job, sort) : undefined;
    return new PreparedJob(gpu, sort, await Timer.create(gpu), checks);
  }

  get input(): GPUBuffer {
    return this.#sort.buffers.keys!;
  }

  get result(): GPUBuffer {
    return this.#sort.result;
  }

  /** Sorts what lies in `input`, each step waited for so that the clock tells one from the next. */
  async run(clock: PhaseClock): Promise<{ gpuMs: number; before?: Totals; after?: Totals }> {
    const checks = this.#checks;
    const before = await clock.time("verify", 0, async () => checks?.inspectInput());
    const gpuMs = await clock.time("sort", 0, () => this.#runSort());
    const after = await clock.time("verify", 0, async () => checks?.inspectResult());
    return { gpuMs, ...(before && after ? { before, after } : {}) };
  }

  async #runSort(): Promise<number> {
    const begin = performance.now();
    const encoder = this.#gpu.device.createCommandEncoder();
    this.#sort.encode(encoder, this.#timer);
    this.#timer?.resolve(encoder);
    this.#gpu.submit(encoder);
    if (this.#timer) return this.#timer.readMs();
    await this.#gpu.idle("sorting");
    return performance.now() - begin;
  }

  destroy(): void {
    this.#sort.destroy();
    this.#timer?.destroy();
    this.#checks?.destroy();
  }
}

/** The passes that look at the input before the sort and at the result after it. */
class Checks {
  readonly #gpu: Gpu;
  readonly #input: Execution;
  readonly #result: Execution;
  readonly #readback: GPUBuffer;

  private constructor(gpu: Gpu, input: Execution, result: Execution, readback: GPUBuffer) {
    this.#gpu = gpu;
    this.#input = input;
    this.#result = result;
    this.#readback = readback;
  }

  static async create(gpu: Gpu, job: SortJob, sort: Execution): Promise<Checks> {
    const plan = inspectPlan(job.keyCount, job.type, job, gpu.traits);
    const input = await Execution.prepare(gpu, plan, { keys: sort.buffers.keys! });
    const result = await Execution.prepare(gpu, plan, { keys: sort.result, totals: input.result });
    const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
    return new Checks(gpu, input, result, await gpu.buffer("totals", input.result.size, usage));
  }

  inspectInput(): Promise<Totals> {
    return this.#inspect(this.#input);
  }

  inspectResult(): Promise<Totals> {
    return this.#inspect(this.#result);
  }

  async #inspect(execution: Execution): Promise<Totals> {
    const totals = execution.result;
    const encoder = this.#gpu.device.createCommandEncoder();
    encoder.clearBuffer(totals);
    execution.encode(encoder);
    encoder.copyBufferToBuffer(totals, 0, this.#readback, 0, totals.size);
    this.#gpu.submit(encoder);
    await this.#gpu.settle(this.#readback.mapAsync(MapMode.read), "reading the check's totals");
    const words = new Uint32Array(this.#readback.getMappedRange()).slice();
    this.#readback.unmap();
    return readTotals(words);
  }

  destroy(): void {
    this.#input.destroy();
    this.#result.destroy();
    this.#readback.destroy();
  }
}

function transfer(clock: PhaseClock, name: PhaseName) {
  return { begin: () => clock.begin(name), end: (bytes: number) => clock.end(name, bytes) };
}
