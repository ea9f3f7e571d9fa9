import { expect, it } from "vitest";
import { elementType, type KeyArray, type TypeName } from "../../src/core/elements.js";
import { Float16Bits, float16Rank } from "../../src/core/float16.js";
import type { Sorter } from "../../src/core/sorter/sorter.js";
import { distributions, expectSame, inOrder, wordsOfKeys } from "./keys.js";
import { expectedOrder, offsetsOf } from "./segments_case.js";
import { expectedFirsts } from "./top_segments_case.js";

/** Tests a sorter with segments of arrays, against a plain reference. */
export function itSortsSegments(
  sorter: Sorter,
  types: readonly TypeName[],
  cases: Readonly<Record<string, readonly number[]>>,
): void {
  it.each(types)("sorts segments of %s, with values and indices", async (name) => {
    const type = elementType(name);
    for (const [where, lengths] of Object.entries(cases)) {
      const segments = offsetsOf(lengths);
      for (const [distribution, descending, bits] of [
        ["specials", false, undefined],
        ["few values", true, { begin: 1, end: 7 }],
      ] as const) {
        const keys = distributions[distribution]!(type, segments.at(-1)!);
        const before = keys.slice();
        const call = { segments, descending, bits };
        const order = expectedOrder(keys, type, segments, { ...call, payload: "index" });
        expectSame(await sorter.argsort(keys, call), order, where);

        const values = Float64Array.from({ length: keys.length }, (_, i) => i);
        const moved = await sorter.sortPairs(keys, values, call);
        expectSame(moved.values, Float64Array.from(order), where);
        expectSame(wordsOfKeys(moved.keys), wordsOfKeys(permuted(keys, order)), where);

        expectSame(wordsOfKeys(keys), wordsOfKeys(before), "the input");
        const into = keys.slice();
        expect(await sorter.sort(into, { ...call, into })).toBe(into);
        // Keys alone: a sorter may leave NaNs in any order among themselves.
        expectSame(numbered(into), numbered(permuted(keys, order)), where);
      }
    }
  });
}

/**
 * Tests a sorter with the first keys of segments of arrays, against a plain reference. Each type takes cases of
 * many keys in one way of four.
 */
export function itSelectsOfSegments(
  sorter: Sorter,
  types: readonly TypeName[],
  cases: Readonly<Record<string, readonly number[]>>,
): void {
  const ways = [
    ["specials", true, undefined, 1],
    ["specials", false, undefined, 40],
    ["few values", true, { begin: 1, end: 7 }, 40],
    ["uniform", true, undefined, 0],
  ] as const;
  it.each(types)("selects the first keys of segments of %s, with values and indices", async (name) => {
    const type = elementType(name);
    for (const [where, lengths] of Object.entries(cases)) {
      const segments = offsetsOf(lengths);
      const way = types.indexOf(name) % ways.length;
      const taken = segments.at(-1)! > 100_000 ? ways.slice(way, way + 1) : ways;
      for (const [distribution, descending, bits, top] of taken) {
        const keys = distributions[distribution]!(type, segments.at(-1)!);
        const before = keys.slice();
        const call = { segments, descending, bits, top };
        const all = expectedOrder(keys, type, segments, { ...call, payload: "index" });
        const { order } = expectedFirsts(all, segments, top);
        expectSame(await sorter.argsort(keys, call), order, where);
        const unsorted = await sorter.argsort(keys, { ...call, sorted: false });
        expectSame(unsorted.slice().sort(), order.slice().sort(), where);

        const values = Float64Array.from({ length: keys.length }, (_, i) => i);
        const moved = await sorter.sortPairs(keys, values, call);
        expectSame(moved.values, Float64Array.from(order), where);
        expectSame(wordsOfKeys(moved.keys), wordsOfKeys(permuted(keys, order)), where);

        const into = keys.slice(0, order.length) as KeyArray;
        expect(await sorter.sort(keys, { ...call, into })).toBe(into);
        // Keys alone: a sorter may leave NaNs in any order among themselves.
        expectSame(numbered(into), numbered(permuted(keys, order)), where);
        expectSame(wordsOfKeys(keys), wordsOfKeys(before), "the input");
      }
    }
  });
}

/** Keys as bits, all NaNs alike. */
function numbered(keys: KeyArray): KeyArray {
  if (keys instanceof Float16Bits) return keys.map((_, i) => float16Rank(keys[i]!));
  const plain = (keys as Float64Array).map((key) => (Number.isNaN(key) ? Number.NaN : key));
  return wordsOfKeys(plain as KeyArray);
}

function permuted(keys: KeyArray, order: Uint32Array): KeyArray {
  const { buffer } = inOrder(keys, keys.BYTES_PER_ELEMENT, order);
  return new (keys.constructor as new (buffer: ArrayBuffer) => KeyArray)(buffer);
}
