import fc from "fast-check";
import type { ElementType, KeyArray } from "../../src/core/elements.js";
import type { DeviceTraits } from "../../src/core/plan/traits.js";
import type { SortOptions } from "../../src/core/sort/key.js";
import {
  type SegmentsOptions,
  type SegmentsTuning,
  segmentsPlan,
} from "../../src/core/sort/segments/segments.js";
import { bytesOf, expectedIndices, expectSame, inOrder } from "./keys.js";
import { inputsOf, type Runner } from "./radix_case.js";

export interface SegmentsCase {
  readonly type: ElementType;
  readonly keys: KeyArray;
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly options: SegmentsOptions;
  readonly traits: DeviceTraits;
  readonly tuning?: SegmentsTuning;
}

/** Runs a segmented sort and checks its result bit for bit, and the input if it must be kept. */
export async function expectSegmentsSorted(run: Runner, one: SegmentsCase): Promise<void> {
  const { type, keys, offsets, options, traits, tuning } = one;
  const { payload = 0, keepInput } = options;
  const where = JSON.stringify([type.name, [...offsets.subarray(0, 20)], keys.length, options, tuning]);
  const plan = segmentsPlan(
    { keyCount: keys.length, segmentCount: offsets.length - 1 },
    type,
    options,
    traits,
    tuning,
  );
  const { valueWords, values, ...given } = inputsOf(keys, payload);
  const inputs = { ...given.inputs, segments: offsets };
  const output = await run(plan, inputs);

  const order = expectedOrder(keys, type, offsets, options);
  const sorted = bytesOf(output[plan.result]!).subarray(0, keys.byteLength);
  expectSame(sorted, inOrder(keys, type.bytes, order), where);
  if (payload !== 0) {
    const moved = output[plan.values!]!.subarray(0, keys.length * valueWords);
    const wanted = payload === "index" ? order : inOrder(values, payload, order);
    expectSame(bytesOf(moved), bytesOf(wanted), where);
  }
  if (keepInput) {
    expectSame(output.keys!.subarray(0, inputs.keys.length), inputs.keys, where);
    if (inputs.values) expectSame(output.values!.subarray(0, values.length), values, where);
  }
}

/** The indices that sort each segment. Keys outside of all segments keep their places. */
export function expectedOrder(
  keys: KeyArray,
  type: ElementType,
  offsets: Uint32Array,
  { descending, bits, payload = 0 }: SortOptions,
): Uint32Array {
  const isAlone = payload === 0 && bits === undefined;
  const all = expectedIndices(keys, type, { descending, bits }, isAlone ? "by their bits" : "equal");
  const segmentOf = new Uint32Array(keys.length);
  for (let s = 0; s + 1 < offsets.length; s++) segmentOf.fill(s + 1, offsets[s], offsets[s + 1]);
  const next = [...offsets];
  const order = new Uint32Array(keys.length).map((_, i) => i);
  for (const i of all) {
    const segment = segmentOf[i]!;
    if (segment > 0) order[next[segment - 1]!++] = i;
  }
  return order;
}

/** The offsets of segments with these numbers of keys, after `begin` keys. */
export function offsetsOf(lengths: readonly number[], begin = 0): Uint32Array<ArrayBuffer> {
  const offsets = new Uint32Array(lengths.length + 1);
  offsets[0] = begin;
  lengths.forEach((length, i) => {
    offsets[i + 1] = offsets[i]! + length;
  });
  return offsets;
}

/** Offsets in any order, some of which are past the keys. */
export function anyOffsets(keyCount: number): fc.Arbitrary<number[]> {
  const far = [fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1), fc.nat(2 ** 32 - 1)];
  return fc.array(fc.oneof(fc.nat(keyCount + 50), ...far), { minLength: 1, maxLength: 40 });
}
