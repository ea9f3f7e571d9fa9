import type { Gpu } from "../core/device/gpu.js";
import type { KeyArray } from "../core/elements.js";
import type { Engine } from "../core/engines/engine.js";
import type { BufferRegion } from "../core/sorter/buffers.js";
import type { Sorter } from "../core/sorter/sorter.js";
import { type Contender, Rotation } from "./contender.js";
import { indexValues, indicesIn, keptBusy, overCapacity, sortJobOf } from "./engine_contenders.js";
import { descriptionOf, residentTask, type SorterInput } from "./resident_task.js";
import type { Input } from "./run.js";
import type { SorterTask } from "./tasks.js";

/** A sorter and the engine that it sorts arrays by. */
export interface SorterOnCpu {
  readonly engine: Engine;
  readonly sorter: Sorter;
}

export interface SorterOnGpu extends SorterOnCpu {
  readonly gpu: Gpu;
}

/** The calls of a sorter on the CPU, from keys in memory to the result in memory, as its caller waits. */
export function cpuTaskContender({ engine, sorter }: SorterOnCpu, input: SorterInput): Contender {
  const { task, type, payloadBytes, gpusort } = input;
  return {
    name: `gpusort on the CPU, ${task.name}`,
    metrics: ["cpu"],
    processor: "cpu",
    reference: "sort",
    algorithm: undefined,
    refuses: refusal(input, overCapacity(engine, sortJobOf(type, 0, "auto", payloadBytes))),
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
      const resident = await residentTask(on!, input, keys);
      return {
        run: keptBusy(engine.gpuClock, resident.run),
        result: async () => {
          const { distinct, counts, keys: region } = resident.sort;
          const [count] = distinct ? new Uint32Array((await resident.read(distinct)).buffer) : [];
          const read = async (from: BufferRegion, bytes: number) =>
            resident.read({ ...from, bytes: count === undefined ? from.bytes : count * bytes });
          const bytes = await read(region, type.bytes);
          return {
            keys: new type.array(bytes.buffer),
            ...(counts ? { counts: new Uint32Array((await read(counts, 4)).buffer) } : {}),
          };
        },
        ...(payloadBytes > 0
          ? {
              indices: async () =>
                indicesIn(new Uint32Array((await resident.read(resident.sort.values!)).buffer), payloadBytes),
            }
          : {}),
        end: resident.destroy,
      };
    },
  };
}

/** Calls that a sorter runs again and again on the same arrays. */
function callsOf(sorter: Sorter, { onArrays }: SorterTask, keys: KeyArray, values: Uint32Array) {
  const once = onArrays(keys, values);
  let last: Awaited<ReturnType<typeof once>> | undefined;
  return {
    /** @returns the milliseconds that the caller waited. */
    call: async () => {
      const begin = performance.now();
      last = await once(sorter, keys, values);
      return performance.now() - begin;
    },
    trial: {
      result: async () => last!,
      ...(values.length > 0
        ? { indices: async () => indicesIn(last!.values!, (4 * values.length) / keys.length) }
        : {}),
      end: () => {},
    },
  };
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
