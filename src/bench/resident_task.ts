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

/**
 * Uploads the input of a task, and prepares the sort. The input is restored from a copy before each run.
 *
 * @returns the sort, and what runs it and reads its result.
 */
export async function residentTask(
  { gpu, sorter }: { readonly gpu: Gpu; readonly sorter: Sorter },
  input: SorterInput,
  keys: KeyArray,
) {
  const { payloadBytes, gpusort } = input;
  const made: { destroy(): void }[] = [];
  const own = <T extends { destroy(): void }>(one: T): T => {
    made.push(one);
    return one;
  };
  const destroy = () => {
    for (const one of made) one.destroy();
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
    return {
      /** The regions of its result begin with their buffers, which the sorter or this function made. */
      sort,
      /** Runs `repeats` times untimed and then once timed, in one submission. @returns milliseconds of that. */
      run: async (repeats: number): Promise<number> => {
        const begin = performance.now();
        const encoder = gpu.device.createCommandEncoder();
        for (let i = 0; i <= repeats; i++) {
          for (const { from, to } of pristine) encoder.copyBufferToBuffer(from, 0, to, 0, to.size);
          const pass = encoder.beginComputePass(i === repeats ? timer?.passDescriptor : undefined);
          sort.encode(pass);
          pass.end();
        }
        timer?.resolve(encoder);
        gpu.submit(encoder);
        if (timer) return timer.readMs();
        await gpu.idle("sorting");
        return performance.now() - begin;
      },
      /** Reads a region of the result. */
      read: async ({ buffer, bytes }: BufferRegion): Promise<Uint8Array<ArrayBuffer>> => {
        const into = new Uint8Array(bytes);
        await staging.readback(buffer, bytes, memorySink(into).write, noClock);
        return into;
      },
      destroy,
    };
  } catch (error) {
    destroy();
    throw error;
  }
}

const noClock = { begin: () => {}, end: () => {} };
