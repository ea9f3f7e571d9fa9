import { expect } from "vitest";
import type { ElementType, KeyArray } from "../../src/core/elements.js";
import type { DeviceTraits } from "../../src/core/plan/traits.js";
import { allBits, type Payload, type SortOptions, type SortPlan } from "../../src/core/sort/key.js";
import { radixPlan } from "../../src/core/sort/radix/radix.js";
import type { RadixTuning } from "../../src/core/sort/radix/radix_tuning.js";
import { bytesOf, difference, expectedIndices, expectSame, inOrder, wordsOfKeys } from "./keys.js";

/** Runs a plan, on the CPU kernels or on a device, and returns every buffer. */
export type Runner = (
  plan: SortPlan,
  inputs: Record<string, Uint32Array<ArrayBuffer>>,
) => Promise<Record<string, Uint32Array>> | Record<string, Uint32Array>;

export interface RadixCase {
  readonly type: ElementType;
  readonly keys: KeyArray;
  readonly options: SortOptions;
  readonly traits: DeviceTraits;
  readonly tuning: RadixTuning;
  /** The content of the buffer "count", which is used if the options say `counted`. */
  readonly count?: number;
}

/** Values for keys, of `valueWords` words each, and what a plan takes of both. Indices are no input. */
export function inputsOf(keys: KeyArray, payload: Payload = 0) {
  const valueWords = payload === "index" ? 1 : payload / 4;
  const values = new Uint32Array(keys.length * valueWords).map((_, i) => i ^ 0x5a00_0000);
  const isGiven = typeof payload === "number" && payload > 0;
  return { valueWords, values, inputs: { keys: wordsOfKeys(keys), ...(isGiven ? { values } : {}) } };
}

/**
 * Runs a radix sort and checks its result: the keys are in order unless they are dropped, the values have moved
 * with them stably, and the input is unchanged if the options ask for that.
 *
 * @returns every buffer.
 */
export async function expectSorted(run: Runner, one: RadixCase): Promise<Record<string, Uint32Array>> {
  const { type, keys, options, traits, tuning, count = keys.length } = one;
  const { descending, bits, payload = 0, keepInput, counted, dropKeys } = options;
  const where = JSON.stringify([type.name, keys.length, options, counted ? count : "all", tuning]);
  const plan = radixPlan(keys.length, type, options, traits, tuning);
  const { valueWords, values, ...given } = inputsOf(keys, payload);
  const inputs = { ...given.inputs, ...(counted ? { count: countWords(count, options.countAt) } : {}) };
  const output = await run(plan, inputs);

  const most = counted ? Math.min(count, keys.length) : keys.length;
  const input = keys.slice(0, most);
  const isAlone = payload === 0 && bits === undefined;
  const order = expectedIndices(input, type, { descending, bits }, isAlone ? "by their bits" : "equal");
  if (dropKeys) {
    expect(plan.result, where).toBe(plan.values);
  } else {
    const sorted = new type.array(output[plan.result]!.buffer as ArrayBuffer, 0, most) as KeyArray;
    const all = allBits(type);
    if (!bits || (bits.begin === all.begin && bits.end === all.end)) {
      expect(difference(input, sorted, descending), where).toBeUndefined();
    }
    // Compares bit for bit, to check stability: NaNs with different bits are equal above.
    expectSame(bytesOf(sorted), inOrder(input, type.bytes, order), where);
  }
  if (payload === "index") {
    expectSame(output[plan.values!]!.subarray(0, most), order, where);
  } else if (payload > 0) {
    const moved = output[plan.values!]!.subarray(0, most * valueWords);
    expectSame(bytesOf(moved), inOrder(values, 4 * valueWords, order), where);
  }
  if (keepInput) {
    const kept = new type.array(output.keys!.buffer as ArrayBuffer, 0, keys.length) as KeyArray;
    expectSame(bytesOf(kept), bytesOf(keys), where);
    if (inputs.values) expectSame(output.values!.subarray(0, values.length), values, where);
  }
  return output;
}

/** The count, after other words. */
function countWords(count: number, at = 0): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(at + 1).fill(7);
  words[at] = count;
  return words;
}
