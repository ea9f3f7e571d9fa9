import { describe, expect, it } from "vitest";
import { type ElementType, elementType, elementTypes, type KeyArray } from "../../../src/core/elements.js";
import { type DeviceTraits, defaultTraits } from "../../../src/core/plan/traits.js";
import type { SortOptions } from "../../../src/core/sort/key.js";
import { radixPlan } from "../../../src/core/sort/radix/radix.js";
import { withUnique } from "../../../src/core/sort/select/unique.js";
import { bindable, FEW_BYTES } from "../../support/compact_case.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";
import { distributions, expectSame, wordsOfKeys } from "../../support/keys.js";
import { expectedRuns } from "../../support/top_cases.js";
import { expectRunsOf, runLengths, uniqueSizes } from "../../support/unique_case.js";

function expectRuns(
  keys: KeyArray,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
  { counts, count = keys.length }: { counts: boolean; count?: number },
): void {
  const where = JSON.stringify([type.name, keys.length, options, counts, count]);
  const sort = radixPlan(keys.length, type, options, traits);
  const plan = withUnique(sort, { keyCount: keys.length, type, options, traits, counts });
  const words = new Uint32Array((options.countAt ?? 0) + 1).fill(count);
  const output = runOnCpu(plan, { keys: wordsOfKeys(keys), ...(options.counted ? { count: words } : {}) });
  const input = options.counted ? keys.slice(0, count) : keys;
  const expected = expectedRuns(input as KeyArray, options.descending);
  const distinct = output[plan.distinct!]![0]!;
  expect(distinct, where).toBe(expected.keys.length);
  const found = new type.array(output[plan.result]!.buffer, 0, distinct);
  expectSame(found as KeyArray, expected.keys, where);
  if (counts) expectSame(output[plan.runLengths!]!.slice(0, distinct), expected.counts, where);
  else expect(plan.runLengths, where).toBeUndefined();
  if (options.keepInput)
    expectSame(output.keys!.slice(0, wordsOfKeys(keys).length), wordsOfKeys(keys), where);
}

describe("a sort that keeps distinct keys", () => {
  it.each(elementTypes)("finds them and counts them: $name", (type) => {
    let turn = 0;
    // Each type takes every other distribution, the next one the others, and all types take NaNs.
    for (const [d, [name, make]] of Object.entries(distributions).entries()) {
      if ((d + elementTypes.indexOf(type)) % 2 === 1 && name !== "specials") continue;
      for (const size of [0, 1, 2, 2049, ...(name === "few values" ? [5003] : [])]) {
        const descending = turn % 2 === 1;
        const keys = make(type, size);
        for (const keepInput of [false, true]) {
          const traits = { ...defaultTraits, software: turn % 3 === 0 };
          expectRuns(keys, type, { descending, keepInput }, traits, { counts: turn % 5 !== 0 });
          turn++;
        }
        const few = [0, 1, Math.floor(size / 2), size, size + 9];
        for (const count of [few[turn % 5]!, few[(turn + 2) % 5]!]) {
          const options = { descending, counted: true, countAt: turn % 3 };
          expectRuns(keys, type, options, defaultTraits, { counts: true, count });
        }
      }
    }
  });

  it.each(["u8", "f16", "f32", "i64"])("binds them in windows: %s", (typeName) => {
    const type = elementType(typeName);
    for (const name of ["few values", "uniform"]) {
      const keys = distributions[name]!(type, 20_011);
      const options = { descending: false };
      expectRuns(keys, type, options, bindable(defaultTraits, FEW_BYTES), { counts: true });
    }
  });

  it.each(elementTypes)("finds runs in any tiles, chunks and windows: $name", async (type) => {
    const software = { ...defaultTraits, software: true };
    const subgroups = { ...defaultTraits, subgroups: true };
    const kinds = [defaultTraits, software, bindable(subgroups, FEW_BYTES), subgroups];
    // Each size with each run lengths takes all kinds of devices, each by two or three types.
    let turn = elementTypes.indexOf(type);
    for (const lengths of Object.values(runLengths)) {
      for (const size of uniqueSizes) {
        // Keys of 8 bits have so few values.
        const runs = lengths(size).slice(0, 128);
        const traits = kinds[turn++ % kinds.length]!;
        await expectRunsOf(runOnCpu, type, runs, traits, { descending: traits === software });
        await expectRunsOf(runOnCpu, type, runs, traits, { count: Math.floor(size / 2) });
      }
    }
  });
});
