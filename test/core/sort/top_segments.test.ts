import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { elementType, elementTypes } from "../../../src/core/elements.js";
import { defaultTraits } from "../../../src/core/plan/traits.js";
import { inspectFirstPlan } from "../../../src/core/sort/inspect.js";
import { topSegmentsPlan } from "../../../src/core/sort/select/top_segments.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";
import { distributions, wordsOfKeys } from "../../support/keys.js";
import { offsetsOf } from "../../support/segments_case.js";
import { expectTopOfSegments } from "../../support/top_segments_case.js";

// So small that some hundred keys are cut into parts, and some ten do not fit a workgroup's memory.
vi.mock("../../../src/core/sort/select/select_tuning.js", async (original) => ({
  ...(await original<object>()),
  LEAST_PART: 32,
  PARTS_PER_TOP: 2,
  MOST_ROOM: 16,
  LEAST_SEGMENT: 8,
  LEAST_COPIED_RATIO: 1,
  FIRST_GROUPS: { hardware: 12, software: 5 },
}));

const traits = defaultTraits;

describe("the first keys of segments", () => {
  it.each(elementTypes)("are those of each sorted segment: $name", async (type) => {
    const lengths = fc.oneof(
      fc.array(fc.constantFrom(0, 0, 1, 2, 15, 16, 17, 31, 32, 33, 64, 100, 300), { maxLength: 20 }),
      fc.array(fc.constantFrom(0, 90, 400), { maxLength: 4 }),
      fc.array(fc.nat(5), { maxLength: 60 }),
    );
    const cases = fc.record({
      lengths,
      before: fc.constantFrom(0, 0, 1, 20),
      after: fc.constantFrom(0, 0, 1, 20),
      top: fc.constantFrom(0, 1, 2, 8, 15, 16, 17, 40, 1000),
      distribution: fc.constantFrom("uniform", "few values", "specials", "constant"),
      descending: fc.boolean(),
      unsorted: fc.boolean(),
      knows: fc.boolean(),
      payload: fc.constantFrom(0, "index" as const, 4, 12),
      bits: fc.constantFrom(undefined, undefined, { begin: 1, end: 7 }, { begin: 3, end: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ lengths, before, after, distribution, knows, ...options }) => {
        const offsets = offsetsOf(lengths, before);
        const keys = distributions[distribution]!(type, offsets.at(-1)! + after);
        const longest = knows ? Math.max(0, ...lengths) : undefined;
        const run = async (...[plan, inputs]: Parameters<typeof runOnCpu>) => runOnCpu(plan, inputs);
        await expectTopOfSegments(run, { type, keys, offsets, options: { ...options, longest }, traits });
      }),
      { numRuns: 40 },
    );
  });

  it("take as many dispatches for many segments as for few", () => {
    const type = elementType("f32");
    const dispatches = (segments: number, length: number, top: number) =>
      topSegmentsPlan(
        { keyCount: segments * length, segmentCount: segments },
        type,
        { descending: true, top, longest: length },
        traits,
      ).passes.length;
    expect([1, 12, 5000].map((segments) => dispatches(segments, 64, 8))).toEqual([3, 2, 2]);
    expect(dispatches(5000, 64, 16)).toBe(2);
    expect(dispatches(5000, 200, 20)).toBe(dispatches(500, 200, 20));
  });

  it("are checked: missing ones, others, and ties that are not the first", () => {
    const type = elementType("f32");
    const keys = Float32Array.of(5, 1, 3, 3, 3, 9, Number.NaN, 2, 2, 2);
    const segments = Uint32Array.of(0, 6, 6, 7, 10);
    const starts = Uint32Array.of(0, 3, 3, 4, 6);
    const wrongOf = (firsts: number[], indices: number[] | undefined) => {
      const options = { descending: false, payload: indices ? ("index" as const) : 0 };
      const plan = inspectFirstPlan({ keyCount: 10, segmentCount: 4, firstCount: 6 }, type, options, traits);
      const { findings } = runOnCpu(plan, {
        ...{ keys: wordsOfKeys(keys), segments, starts },
        first_keys: wordsOfKeys(Float32Array.from(firsts)),
        ...(indices ? { first_values: Uint32Array.from(indices) } : {}),
      });
      expect(findings![1]).toBe(4);
      return findings![0];
    };
    expect(wrongOf([1, 3, 3, Number.NaN, 2, 2], undefined)).toBe(0);
    expect(wrongOf([3, 1, 3, Number.NaN, 2, 2], [3, 1, 2, 6, 8, 7])).toBe(0);
    expect(wrongOf([1, 3, 5, Number.NaN, 2, 2], undefined)).toBe(1);
    expect(wrongOf([3, 3, 3, Number.NaN, 2, 9], undefined)).toBe(2);
    expect(wrongOf([1, 3, 3, Number.NaN, 2, 2], [1, 2, 4, 6, 8, 9])).toBe(2);
    expect(wrongOf([1, 3, 3, Number.NaN, 2, 2], [1, 2, 2, 6, 7, 7])).toBe(2);
  });
});
