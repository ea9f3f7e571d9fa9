import type { ElementType } from "../core/elements.js";
import type { Now } from "./clock.js";
import type { Contender } from "./contender.js";
import { Rotation } from "./rotation.js";

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
      const [rotation, next] = [new Rotation(keys), keys.slice()];
      let array: (number | bigint)[] = [];
      return {
        run: async () => {
          rotation.next();
          rotation.copy(keys, next);
          array = Array.from<number | bigint>(next as Iterable<number | bigint>);
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

/** `TypedArray.prototype.sort`, the fastest sort of numbers that JavaScript itself has. */
export function typedArrayContender(payloadBytes = 0, now: Now = () => performance.now()): Contender {
  return {
    name: "TypedArray.prototype.sort",
    metrics: ["typed"],
    processor: "cpu",
    reference: "sort",
    algorithm: undefined,
    refuses: () => (payloadBytes > 0 ? "keys only" : undefined),
    start: async (keys) => {
      const [rotation, sorted] = [new Rotation(keys), keys.slice()];
      return {
        run: async () => {
          rotation.next();
          rotation.copy(keys, sorted);
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
