import { expect } from "vitest";
import { mix } from "../../src/core/items/mix.js";
import type { Plan, Words } from "../../src/core/plan/plan.js";
import type { DeviceTraits } from "../../src/core/plan/traits.js";
import { compactionPlan } from "../../src/core/primitives/compaction_plan.js";
import { histogramPlan } from "../../src/core/primitives/histogram_plan.js";
import { type ScanType, scanPlan } from "../../src/core/primitives/scan_plan.js";
import { bindable, FEW_BYTES } from "./compact_case.js";
import { plainHardware } from "./unique_case.js";

type Runner = (
  plan: Plan,
  inputs: Words,
) => Record<string, Uint32Array> | Promise<Record<string, Uint32Array>>;

/** Numbers of elements around the ends of tiles and chunks, and of several windows of few bytes. */
export const primitiveSizes = [0, 1, 2, 255, 257, 1023, 1025, 1279, 1281, 1791, 1793, 8449, 20_011];

/** Kinds of devices on which plans differ: with and without subgroups, and with a low limit of bindings. */
export function primitiveTraits(traits: DeviceTraits): readonly DeviceTraits[] {
  const hardware = { ...traits, software: false };
  return [
    traits,
    hardware,
    plainHardware(traits),
    bindable(traits, FEW_BYTES),
    bindable(hardware, FEW_BYTES),
  ];
}

/** What the device says the number of elements is, in turn; undefined where it is not asked. */
export function counted(size: number, turn: number): number | undefined {
  return [undefined, size, Math.floor(size / 2), 0, size + 7, undefined][turn % 6];
}

/** A count in the third word of its buffer, so that it is read from the right one. */
const countInput = (count: number | undefined) =>
  count === undefined ? {} : { count: Uint32Array.of(9, 9, count) };
const countOptions = (count: number | undefined) => ({
  counted: count !== undefined,
  countAt: 2,
  totalAt: 1,
});
/** Numbers from 0 to 1 that are the same in every run. */
function random(seed: number): () => number {
  let state = seed * 0x9e37_79b1;
  return () => mix(state++) / 2 ** 32;
}

/** What the buffers of results hold before. */
const UNTOUCHED = 0xdead_beef;
const untouched = (length: number) => new Uint32Array(Math.max(1, length)).fill(UNTOUCHED);

/**
 * The error that docs/library.md states: of a sum of f32, in halves of units in the last place of the sum of
 * the absolute values.
 */
function scanErrorBound(count: number, software: boolean): number {
  return (software ? 1000 + count / 2 ** 8 : 200 + count / 2 ** 18) * 2 ** -24;
}

/** Scans random values in place or apart, and compares each sum with the exact one. */
export async function expectScan(
  run: Runner,
  type: ScanType,
  size: number,
  traits: DeviceTraits,
  {
    apart = false,
    count,
    values = valuesOf(type, size),
  }: { apart?: boolean; count?: number | undefined; values?: Words[string] } = {},
): Promise<void> {
  const where = JSON.stringify([type, size, apart, count, traits.software, traits.subgroups]);
  const plan = scanPlan({ capacity: size, type, traits, apart, ...countOptions(count) });
  const found = await run(plan, {
    values: new Uint32Array(values.buffer, values.byteOffset, size),
    ...(apart ? { output: untouched(size) } : {}),
    total: untouched(2),
    ...countInput(count),
  });
  const scanned = Math.min(size, count ?? size);
  const input = asType(type, new Uint32Array(values.buffer, values.byteOffset, size));
  const sums = asType(type, found[plan.result]!);
  const total = asType(type, found.total!);
  expect(found.total![0], where).toBe(UNTOUCHED);
  if (apart)
    expect(found.values!.slice(0, size), where).toEqual(
      new Uint32Array(values.buffer, values.byteOffset, size),
    );
  const wrong: string[] = [];
  let [exact, absolute] = [0, 0];
  const compare = (sum: number, i: number) => {
    const isRight =
      type === "u32"
        ? sum === exact
        : Math.abs(sum - exact) <= scanErrorBound(size, traits.software) * absolute;
    if (!isRight && wrong.length < 3) wrong.push(`${i}: ${sum} instead of ${exact}`);
  };
  for (let i = 0; i < scanned; i++) {
    compare(sums[i]!, i);
    exact = type === "u32" ? (exact + input[i]!) % 2 ** 32 : exact + input[i]!;
    absolute += Math.abs(input[i]!);
  }
  compare(total[1]!, -1);
  expect(wrong, where).toEqual([]);
  const before = apart ? untouched(size) : new Uint32Array(values.buffer, values.byteOffset, size);
  expect(found[plan.result]!.slice(scanned, size), where).toEqual(before.slice(scanned, size));
}

function asType(type: ScanType, words: Uint32Array): Uint32Array | Float32Array {
  return type === "u32" ? words : new Float32Array(words.buffer, words.byteOffset, words.length);
}

/** u32 of all sizes, so that sums wrap; f32 of both signs and of several magnitudes. */
export function valuesOf(type: ScanType, size: number): Words[string] {
  const next = random(size + 1);
  if (type === "u32") return new Uint32Array(size).map(() => next() * 2 ** 32);
  const floats = new Float32Array(size).map(() => (next() - 0.4) * 10 ** Math.floor(next() * 4));
  return new Uint32Array(floats.buffer);
}

/** Flags of which none, some or all are set; a flag that is set is any number but 0. */
export function flagsOf(size: number, share: number): Uint32Array<ArrayBuffer> {
  const next = random(size + 7);
  return new Uint32Array(size).map(() => (next() < share ? 1 + Math.floor(next() * (2 ** 32 - 1)) : 0));
}

/** Compacts values, indices or both, and expects exactly those whose flag is set. */
export async function expectCompaction(
  run: Runner,
  size: number,
  traits: DeviceTraits,
  {
    share = 0.5,
    valueBytes = 4,
    indices = true,
    count,
  }: {
    share?: number | undefined;
    valueBytes?: number | undefined;
    indices?: boolean;
    count?: number | undefined;
  } = {},
): Promise<void> {
  const where = JSON.stringify([size, share, valueBytes, indices, count, traits.software, traits.subgroups]);
  const flags = flagsOf(size, share);
  const words = valueBytes / 4;
  const values = valuesOf("u32", size * words);
  const plan = compactionPlan({ capacity: size, traits, valueBytes, indices, ...countOptions(count) });
  const found = await run(plan, {
    flags,
    ...(words > 0 ? { values, output: untouched(size * words) } : {}),
    ...(indices ? { indices: untouched(size) } : {}),
    total: untouched(2),
    ...countInput(count),
  });
  const kept = [...flags.subarray(0, count ?? size).entries()].flatMap(([i, flag]) =>
    flag === 0 ? [] : [i],
  );
  expect(found.total, where).toEqual(Uint32Array.of(UNTOUCHED, kept.length));
  const filled = (expected: readonly number[], length: number) => {
    const all = untouched(length).subarray(0, length);
    all.set(expected);
    return all;
  };
  if (indices) expect(same(found.indices!.subarray(0, size), filled(kept, size)), where).toBe("equal");
  if (words === 0) return;
  const moved = kept.flatMap((i) => [...values.subarray(i * words, (i + 1) * words)]);
  expect(same(found.output!.subarray(0, size * words), filled(moved, size * words)), where).toBe("equal");
}

/** Counts random keys, some of which have no bin. */
export async function expectHistogram(
  run: Runner,
  size: number,
  bins: number,
  traits: DeviceTraits,
  {
    bits = { begin: 0, end: 32 },
    count,
    keys,
  }: {
    bits?: { begin: number; end: number } | undefined;
    count?: number | undefined;
    keys?: Uint32Array<ArrayBuffer>;
  } = {},
): Promise<void> {
  const where = JSON.stringify([size, bins, bits, count, traits.software]);
  const next = random(size + bins);
  const range = Math.min(2 ** 32, 1.5 * bins * 2 ** bits.begin);
  const counted = keys ?? new Uint32Array(size).map(() => next() * range);
  const plan = histogramPlan({ capacity: size, traits, bins, bits, ...countOptions(count) });
  const found = await run(plan, { keys: counted, counts: untouched(bins), ...countInput(count) });
  const expected = new Uint32Array(bins);
  for (const key of counted.subarray(0, count ?? size)) {
    const bin = Math.floor(key / 2 ** bits.begin) % 2 ** (bits.end - bits.begin);
    if (bin < bins) expected[bin]!++;
  }
  expect(same(found.counts!, expected), where).toBe("equal");
}

/** Compares long arrays without the time that `toEqual` takes. */
function same(found: Uint32Array, expected: Uint32Array): string {
  if (found.length !== expected.length) return `${found.length} words instead of ${expected.length}`;
  const at = found.findIndex((word, i) => word !== expected[i]);
  return at < 0 ? "equal" : `${at}: ${found[at]} instead of ${expected[at]}`;
}
