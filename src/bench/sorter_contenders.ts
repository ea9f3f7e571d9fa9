import type { Gpu } from "../core/device/gpu.js";
import { Staging } from "../core/device/staging.js";
import { Timer } from "../core/device/timer.js";
import { BufferUsage } from "../core/device/usage.js";
import type { KeyArray } from "../core/elements.js";
import type { Engine } from "../core/engines/engine.js";
import type { BufferRegion } from "../core/sorter/buffers.js";
import type { BufferRequirement, SortDescription } from "../core/sorter/description.js";
import type { Sorter } from "../core/sorter/sorter.js";
import { memorySink, memorySource } from "../core/streams/memory.js";
import type { Contender } from "./contender.js";
import { indexValues, indicesIn, jobOf, keptBusy, overCapacity } from "./engine_contenders.js";
import { Rotation } from "./rotation.js";
import type { Input } from "./run.js";
import type { SorterTask } from "./task.js";

/** A task that a sorter does, and its input. */
export interface SorterInput extends Input {
  readonly gpusort: SorterTask;
}

/** A sorter and the engine that it sorts arrays by. */
export interface SorterOnCpu {
  readonly engine: Engine;
  readonly sorter: Sorter;
}

export interface SorterOnGpu extends SorterOnCpu {
  readonly gpu: Gpu;
}

/** The calls of a sorter on the CPU, from keys in memory to the result in memory, as its caller waits for it. */
export function cpuTaskContender({ engine, sorter }: SorterOnCpu, input: SorterInput): Contender {
  const { task, type, payloadBytes, gpusort } = input;
  return {
    name: `gpusort on the CPU, ${task.name}`,
    metrics: ["cpu"],
    processor: "cpu",
    reference: "sort",
    algorithm: undefined,
    refuses: refusal(input, overCapacity(engine, jobOf(type, 0, "auto", payloadBytes))),
    start: async (keys) => {
      const values = indexValues(keys.length, payloadBytes);
      const [rotation, nextKeys, nextValues] = [new Rotation(keys), keys.slice(), values.slice()];
      const runs = callsOf(sorter, gpusort, nextKeys, nextValues);
      return {
        ...runs.trial,
        run: async () => {
          rotation.next();
          rotation.copy(keys, nextKeys);
          rotation.copy(values, nextValues);
          return { cpu: (await runs.call()) / 1000 };
        },
        input: () => nextKeys,
      };
    },
  };
}

/** The calls of a sorter on a GPU, from keys in memory to the result in memory. */
export function roundTripTaskContender(
  on: SorterOnGpu | undefined,
  input: SorterInput,
  algorithm: string,
): Contender {
  const { task, payloadBytes, gpusort } = input;
  return {
    name: `${on?.engine.device}, ${task.name}, with upload and readback`,
    metrics: ["round-trip"],
    processor: "gpu",
    reference: "answer",
    algorithm,
    dropsFirstRun: true,
    refuses: deviceRefusal(on, input, algorithm),
    start: async (keys) => {
      const { trial, call } = callsOf(on!.sorter, gpusort, keys, indexValues(keys.length, payloadBytes));
      return { ...trial, run: async () => ({ "round-trip": (await call()) / 1000 }) };
    },
  };
}

/** The cells of the transfers, which a sorter does not time. */
export function transfersOfTask(
  on: SorterOnGpu | undefined,
  input: SorterInput,
  algorithm: string,
): Contender {
  return {
    ...roundTripTaskContender(on, input, algorithm),
    metrics: ["upload", "readback"],
    refuses: () => "sort only",
  };
}

/** A sort that a sorter has prepared, alone: the keys are already on the device. */
export function gpuTaskContender(
  on: SorterOnGpu | undefined,
  input: SorterInput,
  algorithm: string,
): Contender {
  const { task, type, payloadBytes } = input;
  return {
    name: `${on?.engine.device}, ${task.name}, alone`,
    metrics: ["gpu"],
    processor: "gpu",
    reference: "copy",
    algorithm,
    refuses: deviceRefusal(on, input, algorithm),
    start: async (keys) => {
      const { engine } = on!;
      const resident = await ResidentTask.upload(on!, input, keys);
      return {
        run: keptBusy(engine.gpuClock, (repeats) => resident.run(repeats)),
        result: async () => {
          const { distinct, counts, keys: region } = resident.regions;
          const [count] = distinct ? new Uint32Array((await resident.read(distinct)).buffer) : [];
          const read = async (from: BufferRegion, bytes: number) =>
            resident.read({ ...from, bytes: count === undefined ? from.bytes : count * bytes });
          const found = await read(region, type.bytes);
          return {
            keys: new type.array(found.buffer),
            ...(counts ? { counts: new Uint32Array((await read(counts, 4)).buffer) } : {}),
          };
        },
        ...(payloadBytes > 0
          ? {
              indices: async () =>
                indicesIn(
                  new Uint32Array((await resident.read(resident.regions.values!)).buffer),
                  payloadBytes,
                ),
            }
          : {}),
        end: () => resident.destroy(),
      };
    },
  };
}

/** A prepared sort with its input, which is restored from a copy before each run. */
class ResidentTask {
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
    { gpu, sorter }: SorterOnGpu,
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

/** Calls that a sorter runs again and again on the same arrays. */
function callsOf(sorter: Sorter, { onArrays }: SorterTask, keys: KeyArray, values: Uint32Array) {
  const once = onArrays(keys, values);
  let found: Awaited<ReturnType<typeof once>> | undefined;
  return {
    /** @returns the milliseconds that the caller waited. */
    call: async () => {
      const begin = performance.now();
      found = await once(sorter, keys, values);
      return performance.now() - begin;
    },
    trial: {
      result: async () => found!,
      ...(values.length > 0
        ? { indices: async () => indicesIn(found!.values!, (4 * values.length) / keys.length) }
        : {}),
      end: () => {},
    },
  };
}

function descriptionOf({ type, payloadBytes, gpusort }: SorterInput, keyCount: number): SortDescription {
  const payload = payloadBytes > 0 ? { payload: payloadBytes } : {};
  return { type: type.name, capacity: keyCount, ...payload, ...gpusort.onDevice(keyCount) };
}

function refusal({ task, payloadBytes }: Input, other: Contender["refuses"]): Contender["refuses"] {
  return payloadBytes > 0 && task.keysOnly ? () => "keys only" : other;
}

function deviceRefusal(
  on: SorterOnGpu | undefined,
  input: SorterInput,
  algorithm: string,
): Contender["refuses"] {
  if (!on) return () => "no adapter";
  if (algorithm !== "auto") return () => "auto only";
  return refusal(input, (keyCount) => {
    try {
      on.sorter.requirements(descriptionOf(input, keyCount));
      return undefined;
    } catch {
      return "too many";
    }
  });
}
