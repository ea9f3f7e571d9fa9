import type { ElementType, KeyArray, KeyArrayConstructor } from "../core/elements.js";
import { Float16Bits, keyElement, keyValue } from "../core/float16.js";
import type { Now } from "./budget.js";
import { type Contender, Rotation } from "./contender.js";
import { type Comparator, type Numbers, type Result, sortTask, type Task } from "./tasks.js";

/** V8 stores a longer `new Array(n)` as a sparse array. Sorting that would be a different measurement. */
const LONGEST_FAST_ARRAY = 2 ** 25;

/** `Array.prototype.sort` with a numeric comparator, as most JavaScript code sorts numbers. */
export function arrayContender(
  type: ElementType,
  payloadBytes = 0,
  task: Task = sortTask,
  now: Now = () => performance.now(),
): Contender {
  const byDifference = (a: number, b: number) => a - b;
  const canSubtract = type.bytes <= 4 && type.order !== "float";
  const compare = (canSubtract ? byDifference : compareAscending) as Comparator;
  return {
    name: "Array.prototype.sort",
    metrics: ["array"],
    processor: "cpu",
    reference: "sort",
    algorithm: undefined,
    refuses: (keyCount) =>
      payloadBytes > 0 ? "keys only" : keyCount > LONGEST_FAST_ARRAY ? "too long" : undefined,
    start: async (keys) => {
      const [rotation, next] = [new Rotation(keys), keys.slice()];
      let result: Result<Numbers> = { keys: [] };
      return {
        run: async () => {
          rotation.next();
          rotation.copy(keys, next);
          const array = Array.from(next as Iterable<number | bigint>, (key) => keyValue(key, type));
          const begin = now();
          result = task.array(array, compare);
          return { array: (now() - begin) / 1000 };
        },
        result: async () => {
          const typed = new type.array(result.keys.length);
          for (let i = 0; i < typed.length; i++) typed[i] = keyElement(result.keys[i]!, type);
          return { ...result, keys: typed };
        },
        input: () => next,
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

/** The keys as an array that JavaScript sorts at its fastest: f16 keys as a Float16Array, if it has that. */
function nativeArray(keys: KeyArray): KeyArray {
  const { Float16Array: native } = globalThis as { Float16Array?: KeyArrayConstructor };
  if (!(keys instanceof Float16Bits) || !native) return keys;
  return new native(keys.buffer, keys.byteOffset, keys.length);
}

/** `TypedArray.prototype.sort`, the fastest sort of numbers that JavaScript itself has. */
export function typedArrayContender(
  payloadBytes = 0,
  task: Task = sortTask,
  now: Now = () => performance.now(),
): Contender {
  return {
    name: "TypedArray.prototype.sort",
    metrics: ["typed"],
    processor: "cpu",
    reference: "sort",
    algorithm: undefined,
    refuses: () => (payloadBytes > 0 ? "keys only" : undefined),
    start: async (keys) => {
      const [rotation, next] = [new Rotation(keys), keys.slice()];
      let result: Result<KeyArray> = { keys: next };
      const native = nativeArray(next);
      const asKeys = ({ buffer, byteOffset, length }: KeyArray) =>
        new (keys.constructor as KeyArrayConstructor)(buffer, byteOffset, length);
      return {
        run: async () => {
          rotation.next();
          rotation.copy(keys, next);
          const begin = now();
          result = task.typed(native);
          return { typed: (now() - begin) / 1000 };
        },
        result: async () => ({ ...result, keys: asKeys(result.keys) }),
        input: () => {
          const input = keys.slice();
          rotation.copy(keys, input);
          return input;
        },
        end: () => {},
      };
    },
  };
}
