import type { ElementType, KeyArray } from "../core/elements.js";
import type { Engine, SortJob, SortReport } from "../core/engines/engine.js";
import { algorithm, requireSupported } from "../core/sort/algorithms.js";
import { memorySink, memorySource } from "../core/streams/memory.js";
import { type PhaseName, unionMs } from "../core/streams/phase_clock.js";
import type { Now } from "./clock.js";
import type { ReferenceWork } from "./machine.js";
import type { Metric } from "./metric.js";

/** One of the sorts that a benchmark compares. */
export interface Contender {
  readonly name: string;
  /** The metrics that each of its runs times. The first one decides when the times are known well enough. */
  readonly metrics: readonly Metric[];
  /** The processor that it mainly uses. A GPU is warmed up before its turn. */
  readonly processor: "cpu" | "gpu";
  /** The reference work that resembles it most, so that a slower machine slows both down alike. */
  readonly reference: ReferenceWork;
  /** The value of the algorithm option that it sorts with; undefined if it does not depend on that option. */
  readonly algorithm: string | undefined;
  /**
   * Whether the first run of its turn is distorted by the contender before it. Its turns then have at least
   * two runs, and the first is not counted.
   */
  readonly dropsFirstRun?: boolean;
  /** Says why it cannot sort this many keys; undefined if it can. */
  refuses(keyCount: number): string | undefined;
  /** Prepares to sort these keys any number of times. It must not modify them. */
  start(keys: KeyArray): Promise<Trial>;
}

export interface Trial {
  /** Sorts the keys once. @returns the seconds of each of the contender's metrics. */
  run(): Promise<Seconds>;
  /** The sorted keys of the last run. */
  result(): Promise<KeyArray>;
  /**
   * The values after the last run, each of which was its key's index before. Absent if keys have no values.
   */
  indices?(): Promise<Uint32Array>;
  end(): void;
}

export type Seconds = Readonly<Partial<Record<Metric, number>>>;

/** V8 stores a longer `new Array(n)` as a sparse array. Sorting that would be a different measurement. */
const LONGEST_FAST_ARRAY = 2 ** 25;

/** `Array.prototype.sort` with a numeric comparator, as most JavaScript code sorts numbers. */
export function arrayContender(
  type: ElementType,
  payloadBytes = 0,
  now: Now = () => performance.now(),
): Contender {
  const byDifference = (a: number, b: number) => a - b;
  const canSubtract = type.bytes <= 4 && type.order !== "float";
  const compare = (canSubtract ? byDifference : compareAscending) as typeof compareAscending;
  return {
    name: "Array.prototype.sort",
    metrics: ["array"],
    processor: "cpu",
    reference: "sort",
    algorithm: undefined,
    refuses: (keyCount) =>
      payloadBytes > 0 ? "keys only" : keyCount > LONGEST_FAST_ARRAY ? "too long" : undefined,
    start: async (keys) => {
      const nextKeys = rotation(keys);
      let array: (number | bigint)[] = [];
      return {
        run: async () => {
          array = Array.from<number | bigint>(nextKeys() as Iterable<number | bigint>);
          const begin = now();
          array.sort(compare);
          return { array: (now() - begin) / 1000 };
        },
        result: async () => {
          const sorted = keys.slice();
          for (let i = 0; i < array.length; i++) sorted[i] = array[i]!;
          return sorted;
        },
        end: () => {},
      };
    },
  };
}

/**
 * Compares keys for which `a - b` is no valid comparator: bigints, and floats. It orders floats as typed
 * arrays do, -0 before +0 and NaNs last.
 */
function compareAscending(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return a === 0 ? Number(Object.is(b, -0)) - Number(Object.is(a, -0)) : 0;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

export function typedArrayContender(now: Now = () => performance.now()): Contender {
  return {
    name: "TypedArray.prototype.sort",
    metrics: ["typed"],
    processor: "cpu",
    reference: "sort",
    algorithm: undefined,
    refuses: () => undefined,
    start: async (keys) => {
      const nextKeys = rotation(keys);
      let sorted = keys;
      return {
        run: async () => {
          sorted = nextKeys();
          const begin = now();
          sorted.sort();
          return { typed: (now() - begin) / 1000 };
        },
        result: async () => sorted,
        end: () => {},
      };
    },
  };
}

/**
 * Returns a function that gives the unsorted keys for the next run, always in the same array. Keys in random
 * order are rotated by 0.618 of their number (the golden ratio) before each run: a CPU that sorts a few
 * thousand keys in the same order again and again learns to predict the branches, and takes a tenth of the
 * time. Keys that are mostly in order are not rotated, because every run must have the order that the
 * distribution promises.
 */
function rotation(keys: KeyArray): () => KeyArray {
  const rotated = keys.slice();
  if (mostlyInOrder(keys)) {
    return () => {
      rotated.set(keys as never);
      return rotated;
    };
  }
  let start = 0;
  return () => {
    start = (start + Math.ceil(keys.length * 0.618)) % keys.length;
    rotated.set(keys.subarray(start) as never);
    rotated.set(keys.subarray(0, start) as never, keys.length - start);
    return rotated;
  };
}

/** Whether over 90% of the first thousand pairs of neighbours are ascending, or over 90% are descending. */
function mostlyInOrder(keys: KeyArray): boolean {
  const last = Math.min(keys.length - 1, 1000);
  let [up, down] = [0, 0];
  for (let i = 0; i < last; i++) {
    if (keys[i]! <= keys[i + 1]!) up++;
    if (keys[i]! >= keys[i + 1]!) down++;
  }
  return Math.max(up, down) > 0.9 * last;
}

/**
 * JavaScript's fastest sort of keys with values, which is the CPU engine's, since `TypedArray.prototype.sort`
 * moves no values. It sorts keys and indices together as 64-bit integers, or sorts indices with a comparator,
 * and then moves the values to their places.
 */
export function valuesContender(cpu: Engine, type: ElementType, payloadBytes: number): Contender {
  return {
    name: "TypedArray.prototype.sort, with values",
    metrics: ["typed"],
    processor: "cpu",
    reference: "sort",
    algorithm: undefined,
    refuses: () => undefined,
    start: async (keys) => {
      const trial = inMemory(cpu, gpuJob(type, keys.length, "auto", payloadBytes), keys);
      return { ...trial, run: async () => ({ typed: (await trial.sort()).totalMs / 1000 }) };
    },
  };
}

/** Milliseconds of sorts per submission: enough to keep a GPU awake, but far below a driver's time limit. */
const BUSY_MS = 20;
const MAX_REPEATS = 200;

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
      const job = gpuJob(type, keys.length, algorithm, payloadBytes);
      const resident = await engine.resident!(job, memorySource(keys));
      let repeats = 0;
      return {
        run: async () => {
          const ms = await resident.run(repeats);
          if (engine.gpuClock === "timestamp queries")
            repeats = Math.min(MAX_REPEATS, Math.floor(BUSY_MS / ms));
          return { gpu: ms / 1000 };
        },
        result: async () => {
          const sorted = keys.slice();
          await resident.read(memorySink(sorted));
          return sorted;
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
      const trial = inMemory(engine, gpuJob(type, keys.length, algorithm, payloadBytes), keys);
      return { ...trial, run: async () => seconds(await trial.sort()) };
    },
  };
}

/** An engine's sort from memory to memory. With a payload, every word of a value is the index of its key. */
function inMemory(engine: Engine, job: SortJob, keys: KeyArray) {
  const sorted = keys.slice();
  const { payloadBytes = 0 } = job;
  const result = async () => sorted;
  if (payloadBytes === 0) {
    return { sort: () => engine.sort(job, memorySource(keys), memorySink(sorted)), result, end: () => {} };
  }
  const words = payloadBytes / 4;
  const values = Uint32Array.from({ length: keys.length * words }, (_, i) => Math.floor(i / words));
  const moved = new Uint32Array(values.length);
  const streams = { source: memorySource(values), sink: memorySink(moved) };
  return {
    sort: () => engine.sort(job, memorySource(keys), memorySink(sorted), streams),
    result,
    indices: async () => moved.filter((_, i) => i % words === 0),
    end: () => {},
  };
}

function gpuJob(type: ElementType, keyCount: number, algorithm: string, payloadBytes: number): SortJob {
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
  const capacity = engine.capacity(gpuJob(type, 0, name, payloadBytes));
  return (keyCount) => (keyCount > capacity ? "too many" : undefined);
}
