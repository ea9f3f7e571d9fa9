import { constant, type Dispatch } from "../../../src/demos/cpu/cpu_kernel.js";
import { type Bits, keyOps } from "../../../src/demos/cpu/order.js";
import { Status } from "./status.js";

/** The words of wgsl/msd/low_cardinality.wgsl. */
interface DistinctKeys {
  readonly words: Uint32Array;
  readonly keyWords: 1 | 2;
  /** How many values are listed at most. */
  readonly most: number;
  /** How many keys have each value. */
  readonly totals: Uint32Array;
  /** The listed values in their ordered form. */
  keys(): Bits[];
}

/** The distinct values that a dispatch lists, counts or writes; undefined if it has no such list. */
export function distinctKeys(dispatch: Dispatch): DistinctKeys | undefined {
  const { DISTINCT_KEYS, MAX_DISTINCT: most } = dispatch.constants;
  if (DISTINCT_KEYS === undefined || most === undefined) return undefined;
  const words = dispatch.bindings[DISTINCT_KEYS]!;
  const keyWords = dispatch.keyBits === 64 ? 2 : 1;
  const ops = keyOps(32 * keyWords, {});
  const countAt = keyWords * most;
  return {
    words,
    keyWords,
    most,
    totals: words.subarray(countAt + 1, countAt + 1 + most),
    keys: () => Array.from({ length: words[countAt]! }, (_, i) => ops.read(words, i)),
  };
}

/** Whether a dispatch counts or writes the keys of few values. */
export function isLowCardinality(dispatch: Dispatch): boolean {
  if (dispatch.constants.DISTINCT_KEYS === undefined) return false;
  return dispatch.bindings[constant(dispatch, "STATUS")]![0] === Status.LOW_CARDINALITY;
}

/** Lists the distinct values of samples if there are at most as many as can be counted, and returns whether. */
export function listDistinct(
  { words, keyWords, most, totals }: DistinctKeys,
  samples: readonly bigint[],
): boolean {
  const distinct = [...new Set(samples)].sort((a, b) => (a < b ? -1 : 1));
  if (distinct.length > most) return false;
  const ops = keyOps(32 * keyWords, {});
  distinct.forEach((key, i) => {
    ops.write(words, i, keyWords === 2 ? key : Number(key));
  });
  words[keyWords * most] = distinct.length;
  totals.fill(0);
  return true;
}
