import type { ElementType, KeyArray } from "../elements.js";
import type { Engine, GpuClock } from "../engines/engine.js";

/** The times that a bench row has, in the order of its columns. */
export const columnKeys = ["arraySort", "typedArraySort", "gpuSort", "gpuRoundTrip"] as const;
export type ColumnKey = (typeof columnKeys)[number];

/** Something that sorts, measured from outside. One contender may fill several columns with one run. */
export interface Contender {
  readonly name: string;
  readonly columns: readonly ColumnKey[];
  /** Why it cannot sort so many keys, or undefined if it can. */
  refuses(keyCount: number): string | undefined;
  /**
   * Sorts the keys once, which it must not modify.
   * @returns the sorted keys, and the seconds by column.
   */
  run(keys: KeyArray): Promise<{ sorted: KeyArray; seconds: Partial<Record<ColumnKey, number>> }>;
}

/** The clock may be replaced, in tests. */
export type Now = () => number;

/** Past this many elements V8 makes a sparse array of `new Array(n)`, which would time something else. */
const LONGEST_FAST_ARRAY = 2 ** 25;

/** `Array.prototype.sort` with a numeric comparator, which is how most JavaScript sorts numbers. */
export function arrayContender(type: ElementType, now: Now = () => performance.now()): Contender {
  const compare = (
    type.bytes === 4 && type.order !== "float" ? compareIntegers : compareAscending
  ) as typeof compareAscending;
  return {
    name: "Array.prototype.sort",
    columns: ["arraySort"],
    refuses: (keyCount) => (keyCount > LONGEST_FAST_ARRAY ? "too many elements for a fast array" : undefined),
    run: async (keys) => {
      const array = Array.from<number | bigint>(keys as Iterable<number | bigint>);
      const begin = now();
      array.sort(compare);
      const seconds = (now() - begin) / 1000;
      const sorted = keys.slice();
      array.forEach((key, i) => {
        sorted[i] = key;
      });
      return { sorted, seconds: { arraySort: seconds } };
    },
  };
}

function compareIntegers(a: number, b: number): number {
  return a - b;
}

/** Orders bigints, which cannot be told by a difference, and floats as typed arrays do: -0 before +0, NaNs last. */
function compareAscending(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return a === 0 ? Number(Object.is(b, -0)) - Number(Object.is(a, -0)) : 0;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

export function typedArrayContender(now: Now = () => performance.now()): Contender {
  return {
    name: "TypedArray.prototype.sort",
    columns: ["typedArraySort"],
    refuses: () => undefined,
    run: async (keys) => {
      const sorted = keys.slice();
      const begin = now();
      sorted.sort();
      return { sorted, seconds: { typedArraySort: (now() - begin) / 1000 } };
    },
  };
}

/** An engine's sort: on the GPU alone, and as its caller waits for it, from keys in memory to keys in memory. */
export function gpuContender(
  engine: Engine,
  type: ElementType,
  algorithm: string,
): Contender & { clock: GpuClock } {
  const job = (keyCount: number) => ({ type, keyCount, descending: false, algorithm, verify: false });
  return {
    name: engine.device,
    clock: engine.gpuClock ?? "wall clock",
    columns: ["gpuSort", "gpuRoundTrip"],
    refuses: (keyCount) => {
      if (engine.gpuClock === undefined) return "no adapter";
      return keyCount > engine.capacity(job(keyCount)) ? "more than the adapter holds" : undefined;
    },
    run: async (keys) => {
      const sorted = keys.slice();
      const from = new Uint8Array(keys.buffer);
      const to = new Uint8Array(sorted.buffer);
      const report = await engine.sort(
        job(keys.length),
        { read: async (into, offset) => into.set(from.subarray(offset, offset + into.length)) },
        { write: async (window, offset) => to.set(window, offset) },
      );
      const gpuMs = report.gpuMs ?? report.totalMs;
      return { sorted, seconds: { gpuSort: gpuMs / 1000, gpuRoundTrip: report.totalMs / 1000 } };
    },
  };
}
