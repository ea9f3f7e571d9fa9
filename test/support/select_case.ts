import { expect } from "vitest";
import type { ElementType, KeyArray } from "../../src/core/elements.js";
import { mix } from "../../src/core/items/mix.js";
import type { DeviceTraits } from "../../src/core/plan/traits.js";
import type { TopOptions } from "../../src/core/sort/key.js";
import { readSelected, type Selected, selectPlan } from "../../src/core/sort/select/select.js";
import { samplePlace } from "./cpu_kernels/select.js";
import { expectedIndices, expectSame, inOrder } from "./keys.js";
import { inputsOf, type Runner } from "./radix_case.js";

export interface SelectCase {
  readonly type: ElementType;
  readonly keys: KeyArray;
  readonly options: TopOptions;
  readonly traits: DeviceTraits;
  /** The content of the buffer "count", which is used if the options say `counted`. */
  readonly count?: number;
}

/** Selects the first keys, and expects exactly these with what belongs to them, bit for bit. */
export async function expectSelected(run: Runner, one: SelectCase): Promise<Selected> {
  const { type, keys, options, traits, count = keys.length } = one;
  const { descending, bits, payload = 0, counted, countAt = 0, unsorted, top } = options;
  const where = JSON.stringify([
    type.name,
    keys.length,
    options,
    counted ? count : "all",
    [...keys.slice(0, 3)].map(String),
  ]);
  const plan = selectPlan(keys.length, type, options, traits);
  const { valueWords, values, ...given } = inputsOf(keys, payload);
  const inputs = {
    ...given.inputs,
    ...(counted ? { count: new Uint32Array(countAt + 1).fill(count, countAt) } : {}),
  };
  const output = await run(plan, inputs);
  const input = keys.slice(0, counted ? Math.min(count, keys.length) : keys.length) as KeyArray;
  const isAlone = payload === 0 && bits === undefined;
  const order = expectedIndices(input, type, { descending, bits }, isAlone ? "by their bits" : "equal");
  const first = order.slice(0, top);
  const own = payload === "index" ? new Uint32Array(keys.length).map((_, i) => i) : values;
  const valuesFound = plan.values === undefined ? values : output[plan.values]!;
  const all = first.map((_, i) => i);
  if (unsorted) {
    const row = (i: number, someKeys: Uint32Array, someValues: Uint32Array) =>
      `${wordsAt(someKeys, i, type.words)}: ${wordsAt(someValues, i, valueWords)}`;
    const found = Array.from(all, (i) => row(i, output[plan.result]!, valuesFound)).sort();
    expect(found.join("\n"), where).toBe(
      Array.from(first, (index) => row(index, inputs.keys, own))
        .sort()
        .join("\n"),
    );
  } else {
    const keysFound = output[plan.result]!;
    expectSame(
      inOrder(keysFound, type.bytes, all),
      inOrder(inputs.keys, type.bytes, first),
      `${where}: keys`,
    );
    expectSame(inOrder(valuesFound, 4 * valueWords, all), inOrder(own, 4 * valueWords, first), where);
  }
  expectSame(output.keys!.subarray(0, inputs.keys.length), inputs.keys, `${where}: the input`);
  return readSelected(output[plan.selection!]!);
}

/** Item `i` of `size` words. */
function wordsAt(words: Uint32Array, i: number, size: number): string {
  return words.subarray(i * size, (i + 1) * size).join(" ");
}

/** Whether all samples of a selection are before all other keys of an input, or after them. */
export type Misled = "before" | "after";

/**
 * Keys at the positions of the samples that mislead a selection: fewer keys than are wanted go up to any
 * sample, or nearly all keys do.
 */
export function misleadingKeys(
  type: ElementType,
  size: number,
  top: number,
  traits: DeviceTraits,
  misled: Misled,
) {
  const options = { descending: false, top };
  const [first] = selectPlan(size, type, options, traits).passes;
  const samples = first!.program.constants.SAMPLES!;
  const seen = new Set(Array.from({ length: samples }, (_, i) => samplePlace(i, samples, size)));
  const other = misled === "before" ? 1000 : -1000;
  const numbers = Array.from(
    { length: size },
    (_, i) => (seen.has(i) ? 5000 : 5000 + other) + (mix(i) % 777),
  );
  return type.words === 2 && type.order !== "float"
    ? (new type.array(size) as BigUint64Array).map((_, i) => BigInt(numbers[i]!))
    : (new type.array(size) as Uint32Array).map((_, i) => numbers[i]!);
}
