import { expect } from "vitest";
import type { ElementType, KeyArray } from "../../src/core/elements.js";
import { InputError } from "../../src/core/errors.js";
import type { Sorter } from "../../src/core/sorter/sorter.js";
import {
  bytesOf,
  comparable,
  distributions,
  expectedIndices,
  expectSame,
  inOrder,
  sortedCopy,
} from "./keys.js";

/** Expects the first keys, pairs and indices of typed arrays, in new arrays and in those of the caller. */
export async function expectTop(
  sorter: Sorter,
  type: ElementType,
  distribution: string,
  size: number,
  top: number,
  descending: boolean,
): Promise<void> {
  const keys = distributions[distribution]!(type, size);
  const before = keys.slice();
  const where = `${type.name} ${distribution} ${size} ${top} ${descending}`;
  const order = expectedIndices(keys, type, { descending }).slice(0, top);
  const first = new type.array(inOrder(keys, type.bytes, order).buffer) as KeyArray;

  const found = await sorter.sort(keys, { top, descending });
  expectSame(found, first, where);
  const any = await sorter.sort(keys, { top, descending, sorted: false, into: first.slice() as KeyArray });
  expectSame(sortedCopy(any, descending), first, where);

  expect(await sorter.argsort(keys, { top, descending }), where).toEqual(order);
  const values = new Float32Array(2 * size).map((_, i) => i);
  const into = { keys: first.slice() as KeyArray, values: new Float32Array(2 * order.length) };
  const pairs = await sorter.sortPairs(keys, values, { top, descending, into });
  expect(pairs, where).toBe(into);
  expect(pairs.values, where).toEqual(
    new Float32Array(2 * order.length).map((_, i) => 2 * order[i >> 1]! + (i & 1)),
  );
  expectSame(pairs.keys, first, where);
  expectSame(bytesOf(keys), bytesOf(before), `${where}: the input`);
}

/** Expects the distinct keys, and how often each occurs. */
export async function expectUnique(
  sorter: Sorter,
  type: ElementType,
  distribution: string,
  size: number,
  descending: boolean,
): Promise<void> {
  const keys = distributions[distribution]!(type, size);
  const where = `${type.name} ${distribution} ${size} ${descending}`;
  const expected = expectedRuns(keys, descending);
  const { keys: found, counts } = await sorter.unique(keys, { descending, counts: true });
  expectSame(found, expected.keys, where);
  expect(counts, where).toEqual(expected.counts);
  const plain = await sorter.unique(keys, { descending });
  expect(Object.keys(plain), where).toEqual(["keys"]);
  expectSame(plain.keys, expected.keys, where);
}

/** The runs of equal keys, by plain code. All NaNs are equal, -0 and +0 are not. */
export function expectedRuns(keys: KeyArray, descending: boolean): { keys: KeyArray; counts: Uint32Array } {
  return runsOf(sortedCopy(keys, descending));
}

/** The runs of equal keys of sorted keys: the first key of each, and their lengths. */
export function runsOf(sorted: KeyArray): { keys: KeyArray; counts: Uint32Array } {
  const begins: number[] = [];
  const values = comparable(sorted);
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || !Object.is(values[i - 1], values[i])) begins.push(i);
  }
  const counts = begins.map((begin, i) => (begins[i + 1] ?? sorted.length) - begin);
  const { buffer } = inOrder(sorted, sorted.BYTES_PER_ELEMENT, Uint32Array.from(begins));
  const distinct = new (sorted.constructor as new (buffer: ArrayBuffer) => KeyArray)(buffer);
  return { keys: distinct, counts: new Uint32Array(counts) };
}

/** Calls that must be refused. */
export async function expectRefused(sorter: Sorter): Promise<void> {
  const keys = Uint32Array.of(3, 1, 2);
  for (const top of [-1, 1.5, Number.NaN, "2" as never]) {
    await expect(sorter.sort(keys, { top })).rejects.toThrow(InputError);
  }
  await expect(sorter.sort(keys, { sorted: false })).rejects.toThrow(/sorted is false/);
  await expect(sorter.sort(keys, { top: 2, into: new Uint32Array(3) })).rejects.toThrow(
    /into is Uint32Array/,
  );
  await expect(sorter.argsort(keys, { top: 2, into: new Uint32Array(3) })).rejects.toThrow(InputError);
  const into = { keys: new Uint32Array(2), values: new Uint32Array(3) };
  await expect(sorter.sortPairs(keys, keys, { top: 2, into })).rejects.toThrow(InputError);
  await expect(sorter.unique(keys, { bits: { begin: 0, end: 2 } } as never)).rejects.toThrow(InputError);
}
