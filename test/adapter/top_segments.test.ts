import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { elementType, type TypeName } from "../../src/core/elements.js";
import { topSegmentsPlan } from "../../src/core/sort/top_segments.js";
import { runFenced } from "../support/fenced.js";
import { distributions, wordsOfKeys } from "../support/keys.js";
import type { Runner } from "../support/radix_case.js";
import { offsetsOf } from "../support/segments_case.js";
import { expectTopOfSegments } from "../support/top_segments_case.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

// So small that some hundred keys are cut into parts, and some ten do not fit a workgroup's memory.
vi.mock("../../src/core/sort/select_tuning.js", async (original) => ({
  ...(await original<object>()),
  LEAST_PART: 64,
  PARTS_PER_TOP: 2,
  LEAST_ROOM: 8,
  MOST_ROOM: 32,
  LEAST_SEGMENT: 16,
  FIRST_GROUPS: { hardware: 12, software: 12 },
}));

describeOnDevice(`the first keys of segments on ${selector}`, ({ gpu }) => {
  const run: Runner = (plan, inputs) => runFenced(gpu, plan, inputs);
  const software = gpu.traits;
  /** The workgroups of hardware without subgroups, which these kernels never need. */
  const hardware = { ...software, software: false, subgroups: false, lockstep: false };

  const types: readonly TypeName[] = ["u8", "i16", "f16", "u32", "i32", "f32", "u64", "f64"];
  it.each(fewerOnLavapipe(types, ["f16", "f32"]))("are those of each sorted segment: %s", async (name) => {
    const type = elementType(name);
    const shapes = [[1000, 0, 65, 64, 1, 33], Array.from({ length: 60 }, (_, i) => (i * i) % 47), [3000]];
    const some = [
      { top: 20, payload: 0 },
      { top: 1, payload: "index" },
      { top: 45, payload: 4 },
      { top: 45, payload: "index", unsorted: true },
      { top: 7, payload: 12, bits: { begin: 1, end: 7 } },
    ] as const;
    for (const [s, lengths] of shapes.entries()) {
      for (const [o, options] of fewerOnLavapipe(some, some.slice(1, 4)).entries()) {
        for (const distribution of fewerOnLavapipe(["specials", "few values"], ["specials"])) {
          const offsets = offsetsOf(lengths, 3 * s);
          const keys = distributions[distribution]!(type, offsets.at(-1)! + 2);
          const descending = (s + o) % 2 === 1;
          // SwiftShader takes long to compile what sorts more than fits the memory.
          const traits = options.top === 45 ? software : o === 0 ? software : hardware;
          await expectTopOfSegments(run, {
            type,
            keys,
            offsets,
            options: { ...options, descending },
            traits,
          });
        }
      }
    }
  });

  it("are right for any lengths, with ties", async () => {
    const type = elementType("f32");
    const cases = fc.record({
      lengths: fc.array(fc.constantFrom(0, 1, 2, 31, 32, 33, 63, 64, 65, 200, 900), { maxLength: 15 }),
      outside: fc.nat(30),
      top: fc.constantFrom(0, 1, 16, 31, 32),
      distribution: fc.constantFrom("uniform", "few values", "specials", "constant"),
      payload: fc.constantFrom(0, "index" as const),
      traits: fc.constantFrom(software, hardware),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ lengths, outside, top, distribution, payload, traits }) => {
        const offsets = offsetsOf(lengths, outside);
        const keys = distributions[distribution]!(type, offsets.at(-1)! + outside);
        const options = { descending: true, top, payload };
        await expectTopOfSegments(run, { type, keys, offsets, options, traits });
      }),
      { numRuns: 40 },
    );
  });

  it("are stored nowhere else if offsets do not ascend or are past the keys", async () => {
    const type = elementType("u32");
    const keyCount = 700;
    const keys = wordsOfKeys(distributions.uniform!(type, keyCount));
    const offset = fc.oneof(
      fc.nat(keyCount + 50),
      fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1),
      fc.nat(2 ** 32 - 1),
    );
    const cases = fc.record({
      offsets: fc.array(offset, { minLength: 1, maxLength: 40 }),
      top: fc.constantFrom(1, 20, 40),
      longest: fc.constantFrom(undefined, 0, 64, 700),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ offsets, top, longest }) => {
        const options = { descending: false, payload: 4, top, longest };
        const plan = topSegmentsPlan(keyCount, offsets.length - 1, type, options, software);
        // It throws if a word before or after any buffer has changed.
        const output = await runFenced(gpu, plan, {
          keys,
          values: keys,
          segments: Uint32Array.from(offsets),
        });
        expect(output.keys!.subarray(0, keyCount)).toEqual(keys);
      }),
      { numRuns: 40 },
    );
  });
});
