import { describe, expect, it } from "vitest";
import { elementType } from "../../../src/core/elements.js";
import { radixPlan } from "../../../src/core/sort/radix/radix.js";
import { nvidiaTraits } from "../../support/limits.js";

/** The different programs of sorts of all sizes below 2^28, as far as 16 sizes per power of two show them. */
function programsOf(type: string): number {
  const sizes = Array.from({ length: 28 * 16 }, (_, i) => Math.floor(2 ** (i / 16)));
  const plans = sizes.map((keyCount) =>
    radixPlan(keyCount, elementType(type), { descending: false }, nvidiaTraits),
  );
  return new Set(plans.flatMap(({ passes }) => passes.map(({ program }) => JSON.stringify(program)))).size;
}

describe("the different programs of all sizes of a type", () => {
  // Each is compiled once by a page that sorts arrays of any length. The ceilings are just above what there is:
  // lower them as programs become fewer.
  it.each([
    ["u32", 38],
    ["f32", 39],
    ["u64", 40],
    ["f64", 39],
  ])("are no more than there are now: %s", (type, most) => {
    const count = programsOf(type);
    expect(count).toBeLessThanOrEqual(most);
    expect(count, "lower the ceiling").toBeGreaterThan(most - 10);
  });
});
