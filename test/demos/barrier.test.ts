import { expect, it } from "vitest";
import { defaultTraits } from "../../src/core/plan/traits.js";
import { barrier } from "../../src/demos/barrier.js";

/** What the demo shows if no sum is wrong. */
function shown(workgroup: number): string {
  const { experiments, show } = barrier.build({
    values: { count: 64, workgroup },
    images: [],
    traits: defaultTraits,
  });
  const differences = { wrong: 0, of: 64, unit: "words" };
  return show(experiments.map(({ name }) => ({ name, words: {}, differences, timing: undefined })));
}

it("calls right sums without a barrier chance only if some invocations have neighbours", () => {
  expect(shown(8)).toContain("workgroups of 8 invocations,");
  expect(shown(8)).toContain("without the barrier: every sum is right in this run, but only by chance\n");
  expect(shown(1)).toContain("workgroups of 1 invocation,");
  expect(shown(1)).toContain("without the barrier: every sum is right: an invocation alone waits for none\n");
});
