import { Execution } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { BufferUsage, MapMode } from "../device/usage.js";
import { bufferBytes, type Plan, type Words } from "../plan/plan.js";
import { settleAll } from "../settle_all.js";

/** Words that are read back after a step, at most. */
const MOST_READ = 64;

/** What happens around the passes of a step. */
export interface Around {
  /** Buffers that are set to zero before. */
  readonly clear?: readonly string[];
  /** Copies before the passes: the first bytes of a buffer of another name. */
  readonly copy?: readonly { readonly from: GPUBuffer; readonly to: string; readonly bytes: number }[];
  /** Buffers of which the first words are read back, and how many. */
  readonly read?: Readonly<Record<string, number>>;
}

/** The buffers of a step would take more memory than the steps may. */
export class TooMuchMemory extends Error {}

/**
 * Runs plans one after the other on buffers that they share by their names. What a plan needs and no plan
 * before has made is made, of the first plan's length or longer; all is destroyed together.
 */
export class DeviceSteps {
  readonly #gpu: Gpu;
  readonly #buffers = new Map<string, GPUBuffer>();
  readonly #made: { destroy(): void }[] = [];
  readonly #memoryBytes: number;
  #usedBytes = 0;
  #readback: GPUBuffer | undefined;

  /** @param memoryBytes what all buffers may take together, by default whatever the device has. */
  constructor(gpu: Gpu, memoryBytes = Number.POSITIVE_INFINITY) {
    this.#gpu = gpu;
    this.#memoryBytes = memoryBytes;
  }

  /** The buffer of a name that a plan used. */
  buffer(name: string): GPUBuffer {
    const buffer = this.#buffers.get(name);
    if (!buffer) throw new TypeError(`no step has made the buffer ${name}`);
    return buffer;
  }

  /** Gives a buffer another name, which plans use from now on. */
  name(buffer: GPUBuffer, name: string): void {
    this.#buffers.set(name, buffer);
  }

  /** Exchanges the buffers of two names, either of which may have none. */
  swap(a: string, b: string): void {
    const [first, second] = [this.#buffers.get(a), this.#buffers.get(b)];
    for (const [name, buffer] of [
      [a, second],
      [b, first],
    ] as const) {
      if (buffer) this.#buffers.set(name, buffer);
      else this.#buffers.delete(name);
    }
  }

  /** Makes a buffer. @throws DeviceError if the device runs out of memory; TooMuchMemory. */
  async make(name: string, bytes: number): Promise<GPUBuffer> {
    this.#take(bytes);
    const usage = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;
    const buffer = await this.#gpu.buffer(name, bufferBytes(bytes), usage);
    this.#made.push(buffer);
    this.#buffers.set(name, buffer);
    return buffer;
  }

  /**
   * Compiles the kernels of plans, so that `run` finds them compiled. Other work is done between two of them,
   * as the calling thread reads each kernel before the driver compiles it.
   */
  async compile(plans: readonly Plan[]): Promise<void> {
    const compiling: Promise<unknown>[] = [];
    for (const { program } of plans.flatMap((plan) => plan.passes)) {
      const pipeline = this.#gpu.kernels.pipeline(program);
      pipeline.catch(() => {}); // awaited below
      compiling.push(pipeline);
      await new Promise((resolve) => setTimeout(resolve));
    }
    await settleAll(compiling);
  }

  /** Counts bytes that are about to be allocated. @throws TooMuchMemory if these are too many. */
  #take(bytes: number): void {
    if (this.#usedBytes + bytes > this.#memoryBytes) throw new TooMuchMemory();
    this.#usedBytes += bytes;
  }

  /**
   * Runs a plan.
   *
   * @returns the words that are read back, by the names of their buffers.
   * @throws DeviceError if the device fails or runs out of memory; TooMuchMemory.
   */
  async run(plan: Plan, { clear = [], copy = [], read = {} }: Around = {}): Promise<Words> {
    const execution = await this.#prepare(plan);
    const encoder = this.#gpu.device.createCommandEncoder();
    for (const name of clear) encoder.clearBuffer(this.buffer(name));
    for (const { from, to, bytes } of copy) encoder.copyBufferToBuffer(from, 0, this.buffer(to), 0, bytes);
    execution.encode(encoder);
    return this.#submit(encoder, read);
  }

  async #prepare(plan: Plan): Promise<Execution> {
    const buffers: Record<string, GPUBuffer> = {};
    let fresh = 0;
    for (const [name, { bytes }] of Object.entries(plan.buffers)) {
      const known = this.#buffers.get(name);
      if (known && known.size >= bytes) buffers[name] = known;
      else fresh += bytes;
    }
    this.#take(fresh);
    const execution = await Execution.prepare(this.#gpu, plan, buffers);
    this.#made.push(execution);
    for (const [name, buffer] of Object.entries(execution.buffers)) this.#buffers.set(name, buffer);
    return execution;
  }

  /** Reads one word of a buffer that a plan used. @throws DeviceError if the device fails. */
  async word(name: string, at: number): Promise<number> {
    const words = await this.#submit(this.#gpu.device.createCommandEncoder(), { [name]: 1 }, at);
    return words[name]![0]!;
  }

  /** @param first the number of the first word that is read back of each buffer. */
  async #submit(
    encoder: GPUCommandEncoder,
    read: Readonly<Record<string, number>>,
    first = 0,
  ): Promise<Words> {
    const pieces = Object.entries(read);
    const usage = BufferUsage.mapRead | BufferUsage.copyDestination;
    this.#readback ??= await this.#gpu.buffer("readback of words", 4 * MOST_READ, usage);
    let at = 0;
    for (const [name, words] of pieces) {
      encoder.copyBufferToBuffer(this.buffer(name), 4 * first, this.#readback, at, 4 * words);
      at += 4 * words;
    }
    this.#gpu.submit(encoder);
    if (at === 0) return {};
    await this.#gpu.settle(this.#readback.mapAsync(MapMode.read), "reading words of a result");
    const mapped = new Uint32Array(this.#readback.getMappedRange()).slice();
    this.#readback.unmap();
    const results: Record<string, Uint32Array<ArrayBuffer>> = {};
    let begin = 0;
    for (const [name, words] of pieces) {
      results[name] = mapped.slice(begin, begin + words);
      begin += words;
    }
    return results;
  }

  destroy(): void {
    for (const made of this.#made.splice(0)) made.destroy();
    this.#readback?.destroy();
    this.#readback = undefined;
    this.#buffers.clear();
  }
}
