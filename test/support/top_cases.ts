import { expect } from "vitest";
import type { ElementType, KeyArray } from "../../src/core/elements.js";
import { InputError } from "../../src/core/errors.js";
import type { Sorter } from "../../src/core/sorter/sorter.js";
import { comparable, difference, distributions, expectedIndices, sortedCopy, valueAt } from "./keys.js";

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
  const { order, first } = expectedFirsts(keys, type, `${distribution} ${size}`, top, descending);

  const found = await sorter.sort(keys, { top, descending });
  expect(found.length, where).toBe(first.length);
  expect(comparable(found), where).toEqual(comparable(first));
  const any = await sorter.sort(keys, { top, descending, sorted: false, into: first.slice() as KeyArray });
  expect(comparable(sortedCopy(any, descending)), where).toEqual(comparable(first));

  expect(await sorter.argsort(keys, { top, descending }), where).toEqual(order);
  const values = Float32Array.from({ length: 2 * size }, (_, i) => i);
  const into = { keys: first.slice() as KeyArray, values: new Float32Array(2 * order.length) };
  const pairs = await sorter.sortPairs(keys, values, { top, descending, into });
  expect(pairs, where).toBe(into);
  expect(pairs.values, where).toEqual(Float32Array.from([...order].flatMap((i) => [2 * i, 2 * i + 1])));
  expect(comparable(pairs.keys), where).toEqual(comparable(first));
  expect(difference(before, sortedCopy(keys, false), false), `${where}: the input`).toBeUndefined();
}

const known = new Map<string, { readonly order: Uint32Array; readonly sorted: KeyArray }>();

/** The first keys and their indices. All keys with one name, of a type and a direction, are sorted once. */
function expectedFirsts(keys: KeyArray, type: ElementType, name: string, top: number, descending: boolean) {
  const key = `${type.name} ${name} ${descending}`;
  const all = known.get(key) ?? {
    order: expectedIndices(keys, type, { descending }),
    sorted: sortedCopy(keys, descending),
  };
  known.set(key, all);
  return { order: all.order.slice(0, top), first: all.sorted.slice(0, top) as KeyArray };
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
  expect(comparable(found), where).toEqual(comparable(expected.keys));
  expect(counts, where).toEqual(expected.counts);
  const plain = await sorter.unique(keys, { descending });
  expect(Object.keys(plain), where).toEqual(["keys"]);
  expect(comparable(plain.keys), where).toEqual(comparable(expected.keys));
}

/** The runs of equal keys, by plain code. All NaNs are equal, -0 and +0 are not. */
export function expectedRuns(keys: KeyArray, descending: boolean): { keys: KeyArray; counts: Uint32Array } {
  const sorted = sortedCopy(keys, descending);
  const begins = Array.from({ length: sorted.length }, (_, i) => i).filter(
    (i) => i === 0 || !Object.is(valueAt(sorted, i - 1), valueAt(sorted, i)),
  );
  const counts = begins.map((begin, i) => (begins[i + 1] ?? sorted.length) - begin);
  const distinct = sorted.slice(0, begins.length) as KeyArray;
  begins.forEach((begin, i) => {
    distinct[i] = sorted[begin]!;
  });
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
