import { expect } from "vitest";
import type { ElementType, KeyArray } from "../../src/elements.js";
import type { DeviceTraits } from "../../src/plan/traits.js";
import { allBits, type SortOptions, type SortPlan } from "../../src/sort/key.js";
import { radixPlan } from "../../src/sort/radix.js";
import type { RadixTuning } from "../../src/sort/radix_tuning.js";
import { difference, expectedIndices, wordsOfKeys } from "./keys.js";

/** What runs a plan: the twins, or a device. Returns every buffer. */
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
  /** What the buffer "count" holds, where the options say that it is looked at. */
  readonly count?: number;
}

/**
 * Sorts by radix and expects what was asked for: keys in order, values with them and stably, input kept, and no key
 * touched past the count.
 *
 * @returns every buffer.
 */
export async function expectSorted(run: Runner, one: RadixCase): Promise<Record<string, Uint32Array>> {
  const { type, keys, options, traits, tuning, count = keys.length } = one;
  const { descending, bits, payload = 0, keepInput, counted } = options;
  const where = JSON.stringify([type.name, keys.length, options, counted ? count : "all", tuning]);
  const plan = radixPlan(keys.length, type, options, traits, tuning);
  const valueWords = payload === "index" ? 1 : payload / 4;
  const values = new Uint32Array(keys.length * valueWords).map((_, i) => i ^ 0x5a00_0000);
  const inputs = {
    keys: wordsOfKeys(keys),
    ...(typeof payload === "number" && payload > 0 ? { values } : {}),
    ...(counted ? { count: new Uint32Array([count]) } : {}),
  };
  const output = await run(plan, inputs);

  const most = counted ? Math.min(count, keys.length) : keys.length;
  const input = keys.slice(0, most);
  const sorted = new type.array(output[plan.result]!.buffer as ArrayBuffer, 0, most);
  const order = expectedIndices(input, type, { descending, bits });
  const all = allBits(type);
  if (!bits || (bits.begin === all.begin && bits.end === all.end)) {
    expect(difference(input, sorted as KeyArray, descending), where).toBeUndefined();
  }
  const moved = (words: Uint32Array, size: number) =>
    Array.from({ length: most * size }, (_, i) => words[order[Math.floor(i / size)]! * size + (i % size)]);
  // Stable, bit for bit: NaNs of other bits are other keys to the sort, but not to the oracle above.
  expect(bytesOf(sorted as KeyArray), where).toEqual(bytesOf(inOrder(input, type, order)));
  if (payload === "index") {
    expect([...output[plan.values!]!.subarray(0, most)], where).toEqual([...order]);
  } else if (payload > 0) {
    expect([...output[plan.values!]!.subarray(0, most * valueWords)], where).toEqual(
      moved(values, valueWords),
    );
  }
  if (keepInput) {
    const kept = new type.array(output.keys!.buffer as ArrayBuffer, 0, keys.length) as KeyArray;
    expect(bytesOf(kept), where).toEqual(bytesOf(keys));
    if (inputs.values) expect(output.values!.subarray(0, values.length), where).toEqual(values);
  }
  return output;
}

function inOrder(keys: KeyArray, type: ElementType, order: Uint32Array): KeyArray {
  const from = bytesOf(keys);
  const bytes = new Uint8Array(from.length);
  order.forEach((index, i) => {
    bytes.set(from.subarray(index * type.bytes, (index + 1) * type.bytes), i * type.bytes);
  });
  return new type.array(bytes.buffer) as KeyArray;
}

function bytesOf({ buffer, byteOffset, byteLength }: KeyArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength).slice();
}
