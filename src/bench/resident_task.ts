import type { Gpu } from "../core/device/gpu.js";
import { Staging } from "../core/device/staging.js";
import { Timer } from "../core/device/timer.js";
import { BufferUsage } from "../core/device/usage.js";
import type { KeyArray } from "../core/elements.js";
import type { BufferRegion } from "../core/sorter/buffers.js";
import type { BufferRequirement, SortDescription } from "../core/sorter/description.js";
import type { Sorter } from "../core/sorter/sorter.js";
import { memorySink, memorySource } from "../core/streams/item_stream.js";
import { indexValues } from "./engine_contenders.js";
import type { Input } from "./run.js";
import type { SorterTask } from "./tasks.js";

/** A task that a sorter does, and its input. */
export interface SorterInput extends Input {
  readonly gpusort: SorterTask;
}

/** The sort that a task prepares. */
export function descriptionOf(
  { type, payloadBytes, gpusort }: SorterInput,
  keyCount: number,
): SortDescription {
  const payload = payloadBytes > 0 ? { payload: payloadBytes } : {};
  return { type: type.name, capacity: keyCount, ...payload, ...gpusort.onDevice(keyCount) };
}

/** A prepared sort with its input, which is restored from a copy before each run. */
export class ResidentTask {
  readonly regions: {
    readonly keys: BufferRegion;
    readonly values: BufferRegion | undefined;
    readonly distinct: BufferRegion | undefined;
    readonly counts: BufferRegion | undefined;
  };
  readonly #gpu: Gpu;
  readonly #sort: Awaited<ReturnType<Sorter["prepare"]>>;
  readonly #pristine: readonly { readonly from: GPUBuffer; readonly to: GPUBuffer }[];
  readonly #timer: Timer | undefined;
  readonly #staging: Staging;
  readonly #made: readonly { destroy(): void }[];

  private constructor(
    gpu: Gpu,
    parts: {
      sort: Awaited<ReturnType<Sorter["prepare"]>>;
      pristine: { from: GPUBuffer; to: GPUBuffer }[];
      timer: Timer | undefined;
      staging: Staging;
      made: { destroy(): void }[];
    },
  ) {
    const { keys, values, distinct, counts } = parts.sort;
    this.regions = { keys, values, distinct, counts };
    this.#gpu = gpu;
    this.#sort = parts.sort;
    this.#pristine = parts.pristine;
    this.#timer = parts.timer;
    this.#staging = parts.staging;
    this.#made = parts.made;
  }

  static async upload(
    { gpu, sorter }: { readonly gpu: Gpu; readonly sorter: Sorter },
    input: SorterInput,
    keys: KeyArray,
  ): Promise<ResidentTask> {
    const { payloadBytes, gpusort } = input;
    const made: { destroy(): void }[] = [];
    const own = <T extends { destroy(): void }>(one: T): T => {
      made.push(one);
      return one;
    };
    try {
      const description = descriptionOf(input, keys.length);
      const needs = sorter.requirements(description);
      const staging = own(new Staging(gpu));
      const pristine: { from: GPUBuffer; to: GPUBuffer }[] = [];
      const make = async (name: string, { bytes, usage }: BufferRequirement) => {
        const copies = BufferUsage.copySource | BufferUsage.copyDestination;
        return own(await gpu.buffer(name, bytes, usage | copies));
      };
      const fill = (buffer: GPUBuffer, array: KeyArray) => {
        const { read } = memorySource(array);
        return staging.upload(buffer, array.byteLength, read, noClock);
      };
      const restored = async (name: string, need: BufferRequirement, array: KeyArray) => {
        const one = { from: await make(`${name} as given`, need), to: await make(name, need) };
        await fill(one.from, array);
        pristine.push(one);
        return one.to;
      };
      const buffers = {
        keys: await restored("keys", needs.keys, keys),
        ...(needs.values
          ? { values: await restored("values", needs.values, indexValues(keys.length, payloadBytes)) }
          : {}),
      };
      const { segments } = description;
      const offsets = needs.segments && (await make("segments", needs.segments));
      if (offsets) await fill(offsets, gpusort.offsets!(keys.length));
      const sort = own(
        await sorter.prepare({
          ...description,
          ...buffers,
          ...(segments && offsets ? { segments: { ...segments, offsets } } : {}),
        }),
      );
      const timer = await Timer.create(gpu);
      if (timer) own(timer);
      return new ResidentTask(gpu, { sort, pristine, timer, staging, made });
    } catch (error) {
      for (const one of made) one.destroy();
      throw error;
    }
  }

  /** Runs `repeats` times untimed and then once timed, in one submission. @returns milliseconds of that one. */
  async run(repeats: number): Promise<number> {
    const begin = performance.now();
    const encoder = this.#gpu.device.createCommandEncoder();
    for (let i = 0; i <= repeats; i++) {
      for (const { from, to } of this.#pristine) encoder.copyBufferToBuffer(from, 0, to, 0, to.size);
      const pass = encoder.beginComputePass(i === repeats ? this.#timer?.passDescriptor : undefined);
      this.#sort.encode(pass);
      pass.end();
    }
    this.#timer?.resolve(encoder);
    this.#gpu.submit(encoder);
    if (this.#timer) return this.#timer.readMs();
    await this.#gpu.idle("sorting");
    return performance.now() - begin;
  }

  /** Reads a region that begins with its buffer, as those do that the sorter or this class made. */
  async read({ buffer, bytes }: BufferRegion): Promise<Uint8Array<ArrayBuffer>> {
    const into = new Uint8Array(bytes);
    const { write } = memorySink(into);
    await this.#staging.readback(buffer, bytes, write, noClock);
    return into;
  }

  destroy(): void {
    for (const one of this.#made) one.destroy();
  }
}

const noClock = { begin: () => {}, end: () => {} };
