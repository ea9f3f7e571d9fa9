import type { ElementType, KeyArray } from "../../src/core/elements.js";
import type { Limits } from "../../src/core/plan/grid.js";
import { type DeviceTraits, defaultTraits } from "../../src/core/plan/traits.js";
import { type Compaction, compactFirsts } from "../../src/core/sort/select/compact.js";
import { distinctKeys } from "./expected_output.js";
import { bytesOf, distributions, expectedIndices, expectSame, inOrder, wordsOfKeys } from "./keys.js";
import type { Runner } from "./radix_case.js";
import { runsOf } from "./top_cases.js";

/** So few bytes are bound at a time that 20,000 keys of 32 bits take several windows. */
export const FEW_BYTES = 36 << 10;

/** Sizes around the end of a chunk, of at most 4096 keys for so few, and one of several windows. */
export const compactSizes = [1, 2047, 2048, 2049, 4095, 4096, 4097, 20_011];

/** Traits with a lower binding limit. */
export function bindable(traits: DeviceTraits, maxStorageBufferBindingSize: number): DeviceTraits {
  const { limits } = traits;
  // The limits of a device cannot be spread.
  const copied: unknown = Object.fromEntries(
    Object.keys(defaultTraits.limits).map((name) => [name, limits[name as keyof typeof limits]]),
  );
  return { ...traits, limits: { ...(copied as Limits), maxStorageBufferBindingSize } };
}

/** Compacts sorted keys to the first of equal ones, and expects exactly these and the lengths of their runs. */
export async function expectFirsts(
  run: Runner,
  type: ElementType,
  distribution: string,
  size: number,
  descending: boolean,
  traits: DeviceTraits,
): Promise<void> {
  const keys = (distributions[distribution] ?? distinctKeys)(type, size);
  const order = expectedIndices(keys, type, { descending }, "by their bits");
  const sorted = new type.array(inOrder(keys, type.bytes, order).buffer) as KeyArray;
  const compaction = compactFirsts(sorted.length, type, { descending }, traits, true);
  const { kept, lengths } = await runCompaction(run, compaction, sorted);
  const where = `${type.name} ${distribution} ${size} ${descending}`;
  const expected = runsOf(sorted);
  expectSame(kept.slice(0, expected.keys.byteLength), bytesOf(expected.keys), where);
  expectSame(lengths.slice(0, expected.counts.length), expected.counts, `${where} lengths`);
}

/** @returns the bytes of the kept keys, and those up to the next whole word; and the lengths of their runs. */
async function runCompaction(run: Runner, { count, move }: Compaction, keys: KeyArray) {
  const words = wordsOfKeys(keys);
  const counted = await run(count, { keys: words });
  const plan = move(counted.total![0]!);
  const chunks = counted.chunks! as Uint32Array<ArrayBuffer>;
  const moved = await run(plan, { keys: words, chunks });
  return { kept: new Uint8Array(moved[plan.result]!.slice().buffer), lengths: moved.lengths! };
}
