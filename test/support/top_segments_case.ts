import { expect } from "vitest";
import type { ElementType, KeyArray } from "../../src/core/elements.js";
import type { DeviceTraits } from "../../src/core/plan/traits.js";
import { type TopSegmentsOptions, topSegmentsPlan } from "../../src/core/sort/select/top_segments.js";
import { bytesOf, expectSame } from "./keys.js";
import { inputsOf, type Runner } from "./radix_case.js";
import { expectedOrder } from "./segments_case.js";

export interface TopSegmentsCase {
  readonly type: ElementType;
  readonly keys: KeyArray;
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly options: TopSegmentsOptions;
  readonly traits: DeviceTraits;
}

/** Selects the first keys of segments, and expects exactly these with what belongs to them, bit for bit. */
export async function expectTopOfSegments(run: Runner, one: TopSegmentsCase): Promise<void> {
  const { type, keys, offsets, options, traits } = one;
  const { payload = 0, top, unsorted } = options;
  const where = JSON.stringify([type.name, [...offsets.subarray(0, 20)], keys.length, options]);
  const plan = topSegmentsPlan(
    { keyCount: keys.length, segmentCount: offsets.length - 1 },
    type,
    options,
    traits,
  );
  const { valueWords, values, ...given } = inputsOf(keys, payload);
  const inputs = { ...given.inputs, segments: offsets };
  const output = await run(plan, inputs);

  const { order, starts } = expectedFirsts(expectedOrder(keys, type, offsets, options), offsets, top);
  expectSame(output[plan.starts!]!.subarray(0, starts.length), starts, where);
  const input = bytesOf(keys);
  const own = payload === "index" ? new Uint32Array(keys.length).map((_, i) => i) : values;
  const texts = (someKeys: Uint8Array, someValues: Uint32Array, places: Uint32Array) =>
    Array.from(places, (at) => {
      const key = someKeys.subarray(at * type.bytes, (at + 1) * type.bytes);
      return `${key.join(" ")}: ${someValues.subarray(at * valueWords, (at + 1) * valueWords).join(" ")}`;
    });
  const moved = plan.values === undefined ? values : output[plan.values]!;
  const found = texts(
    bytesOf(output[plan.result]!),
    moved,
    order.map((_, i) => i),
  );
  const expected = texts(input, own, order);
  if (unsorted) for (const all of [found, expected]) sortParts(all, starts);
  expect(found.join("\n"), where).toBe(expected.join("\n"));
  expectSame(output.keys!.subarray(0, inputs.keys.length), inputs.keys, `${where}: the input`);
  if (inputs.values) expectSame(output.values!.subarray(0, values.length), values, `${where}: the values`);
}

function sortParts(all: string[], starts: Uint32Array): void {
  for (let s = 0; s + 1 < starts.length; s++) {
    const part = all.slice(starts[s], starts[s + 1]).sort();
    all.splice(starts[s]!, part.length, ...part);
  }
}

/**
 * The first of each sorted segment, one segment after the other, and where those of each begin.
 *
 * @param all the indices of the keys in their order.
 */
export function expectedFirsts(all: Uint32Array, offsets: Uint32Array, top: number) {
  const starts = new Uint32Array(offsets.length);
  const order: number[] = [];
  for (let s = 0; s + 1 < offsets.length; s++) {
    order.push(...all.subarray(offsets[s], Math.min(offsets[s + 1]!, offsets[s]! + top)));
    starts[s + 1] = order.length;
  }
  return { order: Uint32Array.from(order), starts };
}
