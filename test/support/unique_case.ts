import { expect } from "vitest";
import type { ElementType, KeyArray } from "../../src/core/elements.js";
import { bufferBytes } from "../../src/core/plan/plan.js";
import type { DeviceTraits } from "../../src/core/plan/traits.js";
import type { SortOptions } from "../../src/core/sort/key.js";
import type { CompactTuning } from "../../src/core/sort/select/compact_tuning.js";
import { withUnique } from "../../src/core/sort/select/unique.js";
import { wordsOfKeys } from "./keys.js";
import type { Runner } from "./radix_case.js";

/** Traits of hardware whose subgroups have no known size, so that no kernel uses them. */
export function plainHardware(traits: DeviceTraits): DeviceTraits {
  return { ...traits, software: false, subgroups: false };
}

/**
 * Run lengths of `keyCount` keys: short ones, and such as span tiles, chunks and windows, in turn. The last run
 * has one key if there are several.
 */
export const runLengths: Record<string, (keyCount: number) => number[]> = {
  "one run": (keyCount) => [keyCount],
  "short and long runs": (keyCount) => cut(keyCount, [1, 2, 700, 1, 1, 3000, 5, 1791, 1, 12_000, 3]),
  "runs of a tile": (keyCount) => cut(keyCount, [1024, 1792, 1, 768, 256]),
  "two keys, the last alone": (keyCount) => (keyCount > 1 ? [keyCount - 1, 1] : [1]),
  "distinct keys": (keyCount) => Array.from({ length: keyCount }, () => 1),
};

/** The lengths again and again until there are `keyCount` keys. */
function cut(keyCount: number, lengths: readonly number[]): number[] {
  const runs: number[] = [];
  for (let left = keyCount; left > 0; left -= runs.at(-1)!) {
    runs.push(Math.min(left, lengths[runs.length % lengths.length]!));
  }
  return runs;
}

/** Sizes around the ends of tiles and chunks, and one of several windows of few bytes. */
export const uniqueSizes = [
  1, 2, 767, 768, 769, 1023, 1024, 1025, 1791, 1792, 1793, 3583, 3584, 3585, 20_011,
];

/**
 * Finds the runs of sorted keys with these lengths, and expects exactly these.
 *
 * @param count how many of the keys the device says there are; by default it is not asked.
 * @param tuning other than the best known one.
 */
export async function expectRunsOf(
  run: Runner,
  type: ElementType,
  lengths: readonly number[],
  traits: DeviceTraits,
  {
    descending = false,
    count,
    tuning,
  }: { descending?: boolean; count?: number; tuning?: CompactTuning } = {},
): Promise<void> {
  const keyCount = lengths.reduce((sum, length) => sum + length, 0);
  const distinct = new type.array(lengths.length) as KeyArray;
  const top = lengths.length - 1;
  lengths.forEach((_, i) => {
    const value = descending ? top - i : i;
    distinct[i] = (typeof distinct[0] === "bigint" ? BigInt(value) : value) as never;
  });
  const keys = new type.array(keyCount) as KeyArray;
  const kept: number[] = [];
  let at = 0;
  lengths.forEach((length, i) => {
    (keys as Uint32Array).fill(distinct[i] as number, at, at + length);
    const wanted = Math.min(length, (count ?? keyCount) - at);
    if (wanted > 0) kept.push(wanted);
    at += length;
  });
  const options: SortOptions = { descending, counted: count !== undefined, countAt: 2, keepInput: true };
  const sorted = {
    buffers: { keys: { bytes: bufferBytes(keys.byteLength) }, count: { bytes: 12 } },
    passes: [],
    result: "keys",
  };
  const plan = withUnique(sorted, { keyCount, type, options, traits, counts: true, tuning });
  const words = new Uint32Array(bufferBytes(keys.byteLength) / 4);
  words.set(wordsOfKeys(keys));
  const found = await run(plan, { keys: words, count: Uint32Array.of(0, 0, count ?? 0) });
  const where = JSON.stringify([type.name, keyCount, lengths.length, options, count, tuning]);
  expect(found[plan.distinct!]![0], where).toBe(kept.length);
  const foundKeys = new type.array(found[plan.result]!.slice().buffer, 0, kept.length);
  expectEqual(foundKeys as KeyArray, distinct.subarray(0, kept.length) as KeyArray, `${where} keys`);
  expectEqual(found[plan.runLengths!]!.subarray(0, kept.length), Uint32Array.from(kept), `${where} lengths`);
}

/** Compares long arrays without the time that `toEqual` takes. */
function expectEqual(found: KeyArray, expected: KeyArray, where: string): void {
  expect(found.length, where).toBe(expected.length);
  const at = found.findIndex((value: number | bigint, i: number) => value !== expected[i]);
  expect(at < 0 ? "equal" : `${at}: ${found[at]} instead of ${expected[at]}`, where).toBe("equal");
}
