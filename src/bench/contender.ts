import type { ElementType, KeyArray } from "../elements.js";
import type { Engine, KeySink, KeySource, SortJob, SortReport } from "../engines/engine.js";
import { type PhaseName, unionMs } from "../engines/phases.js";
import { algorithm, requireAble } from "../sort/algorithms.js";
import type { ReferenceWork } from "./machine.js";
import type { Way } from "./way.js";

/** A way to sort: what is timed. */
export interface Contender {
  readonly name: string;
  /** What its runs tell the times of; the first decides when it is measured well enough. */
  readonly ways: readonly Way[];
  /** What it keeps busy, and so what must be awake for it. */
  readonly processor: "cpu" | "gpu";
  /** The fixed work that is most like it: what slows that down slows it down. */
  readonly reference: ReferenceWork;
  /** The algorithm that it is one of several for; undefined where there is but one. */
  readonly algorithm: string | undefined;
  /** Whether a run that follows another contender's pays for what that one left behind, and so cannot be counted. */
  readonly unsettled?: boolean;
  /** Why it cannot sort so many keys, or undefined if it can. */
  refuses(keyCount: number): string | undefined;
  /** Gets ready to sort these keys, which it must not modify, any number of times. */
  start(keys: KeyArray): Promise<Trial>;
}

export interface Trial {
  /** Sorts the keys once more. @returns the seconds of each of the contender's ways. */
  run(): Promise<Seconds>;
  /** What the last run made of the keys. */
  result(): Promise<KeyArray>;
  /** What it made of the values that went along, which were the keys' indices before; absent where none can be told. */
  indices?(): Promise<Uint32Array>;
  end(): void;
}

export type Seconds = Readonly<Partial<Record<Way, number>>>;

/** Milliseconds on a steady clock; replaced in tests. */
export type Now = () => number;

/** Past this many elements V8 makes a sparse array of `new Array(n)`, which would time something else. */
const LONGEST_FAST_ARRAY = 2 ** 25;

/** `Array.prototype.sort` with a numeric comparator, which is how most JavaScript sorts numbers. */
export function arrayContender(
  type: ElementType,
  payloadBytes = 0,
  now: Now = () => performance.now(),
): Contender {
  const byDifference = (a: number, b: number) => a - b;
  const differenceTells = type.bytes <= 4 && type.order !== "float";
  const compare = (differenceTells ? byDifference : compareAscending) as typeof compareAscending;
  return {
    name: "Array.prototype.sort",
    ways: ["array"],
    processor: "cpu",
    reference: "sort",
    algorithm: undefined,
    refuses: (keyCount) =>
      payloadBytes > 0 ? "keys only" : keyCount > LONGEST_FAST_ARRAY ? "too long" : undefined,
    start: async (keys) => {
      const fresh = rotation(keys);
      let array: (number | bigint)[] = [];
      return {
        run: async () => {
          array = Array.from<number | bigint>(fresh() as Iterable<number | bigint>);
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

/** Orders bigints, which no difference tells, and floats as typed arrays do: -0 before +0, NaNs last. */
function compareAscending(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return a === 0 ? Number(Object.is(b, -0)) - Number(Object.is(a, -0)) : 0;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

export function typedArrayContender(now: Now = () => performance.now()): Contender {
  return {
    name: "TypedArray.prototype.sort",
    ways: ["typed"],
    processor: "cpu",
    reference: "sort",
    algorithm: undefined,
    refuses: () => undefined,
    start: async (keys) => {
      const fresh = rotation(keys);
      let sorted = keys;
      return {
        run: async () => {
          sorted = fresh();
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
 * The keys afresh for each run, in one array. Of keys in no order they are turned round by the golden ratio of their
 * number, since a CPU that sorts a few thousand keys in the same order again learns their branches by heart, and
 * takes a tenth of the time. What the distribution says of the keys must hold for every run, so keys in order are not.
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

/** Whether nine neighbours in ten are in order, or nine in the reverse, as far as the first thousand tell. */
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
 * JavaScript's fastest sort of keys with values, as the CPU's engine does it, since `TypedArray.prototype.sort` moves no
 * values: keys and indices together as 64-bit integers, or indices by a comparison, and then the values to their places.
 */
export function valuesContender(cpu: Engine, type: ElementType, payloadBytes: number): Contender {
  return {
    name: "TypedArray.prototype.sort, with values",
    ways: ["typed"],
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

/** Milliseconds of sorts in one submission: enough to keep a GPU awake, too little to upset its driver. */
const BUSY_MS = 20;
const MOST_REPEATS = 200;

/** An engine's sort alone, of keys that are on the device already. */
export function gpuSortContender(
  engine: Engine,
  type: ElementType,
  algorithm: string,
  payloadBytes = 0,
): Contender {
  return {
    name: `${engine.device}, ${algorithm}, sort alone`,
    ways: ["gpu"],
    processor: "gpu",
    reference: "copy",
    algorithm,
    refuses: gpuRefusal(engine, type, algorithm, payloadBytes),
    start: async (keys) => {
      const job = gpuJob(type, keys.length, algorithm, payloadBytes);
      const resident = await engine.resident!(job, sourceOf(keys));
      let repeats = 0;
      return {
        run: async () => {
          const ms = await resident.run(repeats);
          if (engine.gpuClock === "timestamp queries")
            repeats = Math.min(MOST_REPEATS, Math.floor(BUSY_MS / ms));
          return { gpu: ms / 1000 };
        },
        result: async () => {
          const sorted = keys.slice();
          await resident.read(sinkOf(sorted));
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
 * An engine's sort as its caller waits for it, from keys in memory to keys in memory; and apart, the time in which
 * keys were on their way to the device, and that in which they were on their way back.
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
    ways: ["round-trip", "upload", "readback"],
    processor: "gpu",
    reference: "answer",
    algorithm,
    unsettled: true,
    refuses: gpuRefusal(engine, type, algorithm, payloadBytes),
    start: async (keys) => {
      const trial = inMemory(engine, gpuJob(type, keys.length, algorithm, payloadBytes), keys);
      return { ...trial, run: async () => seconds(await trial.sort()) };
    },
  };
}

/** An engine's sort from memory to memory, of keys and of values that begin as the keys' indices. */
function inMemory(engine: Engine, job: SortJob, keys: KeyArray) {
  const sorted = keys.slice();
  const { payloadBytes = 0 } = job;
  const result = async () => sorted;
  if (payloadBytes === 0) {
    return { sort: () => engine.sort(job, sourceOf(keys), sinkOf(sorted)), result, end: () => {} };
  }
  const words = payloadBytes / 4;
  const values = Uint32Array.from({ length: keys.length * words }, (_, i) => Math.floor(i / words));
  const moved = new Uint32Array(values.length);
  const streams = { source: sourceOf(values), sink: sinkOf(moved) };
  return {
    sort: () => engine.sort(job, sourceOf(keys), sinkOf(sorted), streams),
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
    requireAble(algorithm(name), type, { descending: false, payload });
  } catch {
    return () => "not able";
  }
  const most = engine.capacity(gpuJob(type, 0, name, payloadBytes));
  return (keyCount) => (keyCount > most ? "too many" : undefined);
}

function sourceOf(keys: KeyArray): KeySource {
  const bytes = new Uint8Array(keys.buffer);
  return { read: async (into, offset) => into.set(bytes.subarray(offset, offset + into.length)) };
}

function sinkOf(keys: KeyArray): KeySink {
  const bytes = new Uint8Array(keys.buffer);
  return { write: async (from, offset) => bytes.set(from, offset) };
}
