import { bytesOf } from "../core/bytes.js";
import type { ElementType, KeyArray } from "../core/elements.js";
import type { Engine, SortJob, SortReport } from "../core/engines/engine.js";
import { algorithm, requireSupported } from "../core/sort/algorithms.js";
import { memorySink, memorySource } from "../core/streams/item_stream.js";
import { type PhaseName, unionMs } from "../core/streams/phase_clock.js";
import { type Contender, Rotation, type Seconds } from "./contender.js";

/**
 * The CPU engine's whole sort, from keys in memory to keys in memory, timed as its caller waits for it, like
 * the round trip of a GPU.
 */
export function cpuContender(cpu: Engine, type: ElementType, payloadBytes = 0): Contender {
  return {
    name: "gpusort on the CPU",
    metrics: ["cpu"],
    processor: "cpu",
    reference: "sort",
    algorithm: undefined,
    refuses: overCapacity(cpu, sortJobOf(type, 0, "auto", payloadBytes)),
    start: async (keys) => {
      // As `Sorter.sort` does it for a result in another array.
      const job = { ...sortJobOf(type, keys.length, "auto", payloadBytes), writesParts: true };
      const { values, sort, sortSync, trial } = inMemory(cpu, job, keys);
      const [rotation, nextKeys, nextValues] = [new Rotation(keys), keys.slice(), values.slice()];
      return {
        ...trial,
        run: async () => {
          rotation.next();
          rotation.copy(keys, nextKeys);
          rotation.copy(values, nextValues);
          const begin = performance.now();
          const isDone = sortSync(nextKeys, nextValues);
          const ms = isDone ? performance.now() - begin : (await sort(nextKeys, nextValues)).totalMs;
          return { cpu: ms / 1000 };
        },
      };
    },
  };
}

/** Milliseconds of sorts per submission: enough to keep a GPU awake, but far below a driver's time limit. */
const BUSY_MS = 20;
const MAX_REPEATS = 200;

/**
 * Repeats the work of a GPU before each timed run, so that the GPU stays awake. A wall clock would time the
 * repeats too, so there are none with it.
 *
 * @param work does it `repeats` times untimed and then once timed, and returns the milliseconds of that.
 */
export function keptBusy(
  clock: Engine["gpuClock"],
  work: (repeats: number) => Promise<number>,
): () => Promise<Seconds> {
  let repeats = 0;
  return async () => {
    const ms = await work(repeats);
    if (clock === "timestamp queries") repeats = Math.min(MAX_REPEATS, Math.floor(BUSY_MS / ms));
    return { gpu: ms / 1000 };
  };
}

/** An engine's sort alone: the keys are already on the device. */
export function gpuSortContender(
  engine: Engine,
  type: ElementType,
  algorithm: string,
  payloadBytes = 0,
): Contender {
  return {
    name: `${engine.device}, ${algorithm}, sort alone`,
    metrics: ["gpu"],
    processor: "gpu",
    reference: "copy",
    algorithm,
    refuses: gpuRefusal(engine, type, algorithm, payloadBytes),
    start: async (keys) => {
      const job = sortJobOf(type, keys.length, algorithm, payloadBytes);
      const resident = await engine.resident!(job, memorySource(keys));
      return {
        run: keptBusy(engine.gpuClock, (repeats) => resident.run(repeats)),
        result: async () => {
          const sorted = keys.slice();
          await resident.read(memorySink(sorted));
          return { keys: sorted };
        },
        end: () => resident.destroy(),
      };
    },
  };
}

const UPLOAD: readonly PhaseName[] = ["read", "upload"];
const READBACK: readonly PhaseName[] = ["readback", "write"];

/**
 * An engine's whole sort, from keys in memory to keys in memory, timed as its caller waits for it. The
 * metrics "upload" and "readback" are the time in which keys were on their way to the device, and on their
 * way back.
 */
export function gpuRoundTripContender(
  engine: Engine,
  type: ElementType,
  algorithm: string,
  payloadBytes = 0,
): Contender {
  const seconds = ({ totalMs, phases }: SortReport): Seconds => ({
    "round-trip": totalMs / 1000,
    upload: unionMs(phases, UPLOAD) / 1000,
    readback: unionMs(phases, READBACK) / 1000,
  });
  return {
    name: `${engine.device}, ${algorithm}, with upload and readback`,
    metrics: ["round-trip", "upload", "readback"],
    processor: "gpu",
    reference: "answer",
    algorithm,
    dropsFirstRun: true,
    refuses: gpuRefusal(engine, type, algorithm, payloadBytes),
    start: async (keys) => {
      const job = sortJobOf(type, keys.length, algorithm, payloadBytes);
      const { values, sort, trial } = inMemory(engine, job, keys);
      return { ...trial, run: async () => seconds(await sort(keys, values)) };
    },
  };
}

/** An engine's sort from memory to memory. With a payload, every word of a value is the index of its key. */
function inMemory(engine: Engine, job: SortJob, keys: KeyArray) {
  const sorted = keys.slice();
  const { payloadBytes = 0 } = job;
  const words = payloadBytes / 4;
  const values = indexValues(keys.length, payloadBytes);
  const moved = new Uint32Array(values.length);
  const sort = (from: KeyArray, valuesFrom: Uint32Array) =>
    engine.sort(
      job,
      memorySource(from),
      memorySink(sorted),
      words > 0 ? { source: memorySource(valuesFrom), sink: memorySink(moved) } : undefined,
    );
  const sortSync = (from: KeyArray, valuesFrom: Uint32Array) => {
    const values = { from: bytesOf(valuesFrom), into: bytesOf(moved) };
    const arrays = { keys: bytesOf(from), into: bytesOf(sorted), values: words > 0 ? values : undefined };
    return engine.sortSync?.(job, arrays, false);
  };
  return {
    values,
    sort,
    sortSync,
    trial: {
      result: async () => ({ keys: sorted }),
      ...(words > 0 ? { indices: async () => indicesIn(moved, payloadBytes) } : {}),
      end: () => {},
    },
  };
}

/** Values of which every word is the index of its key. */
export function indexValues(keyCount: number, payloadBytes: number): Uint32Array<ArrayBuffer> {
  const words = payloadBytes / 4;
  return Uint32Array.from({ length: keyCount * words }, (_, i) => Math.floor(i / words));
}

/** The first word of each value. */
export function indicesIn(values: Uint32Array, payloadBytes: number): Uint32Array {
  return values.filter((_, i) => i % (payloadBytes / 4) === 0);
}

export function sortJobOf(
  type: ElementType,
  keyCount: number,
  algorithm: string,
  payloadBytes: number,
): SortJob {
  const payload = payloadBytes > 0 ? { payloadBytes } : {};
  return { type, keyCount, descending: false, algorithm, verify: false, ...payload };
}

function gpuRefusal(
  engine: Engine,
  type: ElementType,
  name: string,
  payloadBytes: number,
): Contender["refuses"] {
  if (!engine.resident) return () => "no adapter";
  const payload = payloadBytes > 0 ? payloadBytes : undefined;
  try {
    requireSupported(algorithm(name), type, { descending: false, payload });
  } catch {
    return () => "not able";
  }
  return overCapacity(engine, sortJobOf(type, 0, name, payloadBytes));
}

export function overCapacity(engine: Engine, job: SortJob): Contender["refuses"] {
  const capacity = engine.capacity(job);
  return (keyCount) => (keyCount > capacity ? "too many" : undefined);
}
