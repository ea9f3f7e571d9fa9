import { type ElementType, elementTypes, type KeyArray } from "../core/elements.js";
import { keyValue } from "../core/float16.js";
import type { Sorter } from "../core/sorter/sorter.js";
import { distribution, generateKeys } from "../testdata/distributions.js";
import type { Correctness, WrongArray } from "./report.js";

/** On both sides of what one workgroup, one tile and one binding of few keys take. */
const SIZES = [0, 1, 2, 255, 256, 257, 1023, 1024, 1025, 4097, 65_537, 1_000_003];
/** The stable order of more keys takes JavaScript seconds. */
const MOST_INDICES = 65_537;

interface Case {
  readonly type: ElementType;
  readonly size: number;
  readonly call: WrongArray["call"];
}

const cases: readonly Case[] = elementTypes.flatMap((type) =>
  SIZES.flatMap((size): Case[] => [
    { type, size, call: "sort" },
    ...(size <= MOST_INDICES ? [{ type, size, call: "argsort" } as const] : []),
  ]),
);

/**
 * Sorts arrays of all types and sizes, and compares each with what JavaScript's own sort makes of it: keys of
 * any bits, ascending, and the indices of keys with few values, descending and stable.
 *
 * @param mostMs no further array is sorted after this time.
 * @param onType is told the type that comes next.
 */
export async function checkAll(
  sorter: Sorter,
  mostMs: number,
  onType: (name: string) => Promise<void> | void,
): Promise<Correctness> {
  const begin = performance.now();
  const wrong: WrongArray[] = [];
  let sorted = 0;
  let last: ElementType | undefined;
  for (const one of cases) {
    if (performance.now() - begin > mostMs) break;
    if (one.type !== last) await onType(one.type.name);
    last = one.type;
    const what = await outcome(sorter, one).catch(({ name, message }: Error) => `${name}: ${message}`);
    if (what !== undefined) wrong.push({ type: one.type.name, size: one.size, call: one.call, what });
    sorted++;
  }
  const types = elementTypes.map(({ name }) => name);
  return { types, sizes: SIZES, sorted, planned: cases.length, wrong };
}

/** @returns what is wrong; undefined if nothing is. */
async function outcome(sorter: Sorter, { type, size, call }: Case): Promise<string | undefined> {
  const isSame =
    call === "sort"
      ? isSorted(sorter, type, keysOf(type, "uniform", size))
      : isOrder(sorter, type, keysOf(type, "few", size));
  return (await isSame) ? undefined : "in another order";
}

const keysOf = (type: ElementType, name: string, size: number) =>
  generateKeys(distribution(name), type, size, size);

async function isSorted(sorter: Sorter, type: ElementType, keys: KeyArray): Promise<boolean> {
  const expected = keys.slice().sort() as KeyArray;
  const sorted = await sorter.sort(keys);
  const isSameKey = (key: number | bigint, i: number) =>
    Object.is(keyValue(key, type), keyValue(sorted[i]!, type));
  return sorted.length === expected.length && (expected as Uint32Array).every(isSameKey);
}

async function isOrder(sorter: Sorter, type: ElementType, keys: KeyArray): Promise<boolean> {
  const values = [...(keys as Iterable<number | bigint>)].map((key) => keyValue(key, type));
  const expected = Uint32Array.from(values.keys()).sort((a, b) => compare(values[b]!, values[a]!) || a - b);
  const order = await sorter.argsort(keys, { descending: true });
  return order.length === expected.length && order.every((index, i) => index === expected[i]);
}

/** Keys with few values: none is a NaN, but -0 may be one, and comes before 0. */
function compare(a: number | bigint, b: number | bigint): number {
  if (a !== b) return a < b ? -1 : 1;
  return Object.is(a, b) ? 0 : Object.is(a, -0) ? -1 : 1;
}
