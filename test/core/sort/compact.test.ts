import { describe, expect, it } from "vitest";
import { elementType } from "../../../src/core/elements.js";
import { BINDING_ALIGNMENT, rangeOf } from "../../../src/core/plan/plan.js";
import { defaultTraits } from "../../../src/core/plan/traits.js";
import { compactFirsts } from "../../../src/core/sort/select/compact.js";
import { bindable, compactSizes, expectFirsts, FEW_BYTES } from "../../support/compact_case.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";

const software = { ...defaultTraits, software: true };

describe("a compaction", () => {
  // Signed keys are equal as unsigned ones are.
  const types = ["i8", "u16", "f16", "i32", "f32", "u64", "f64"].map(elementType);
  it.each(types)("keeps the first of equal keys, in any chunks and windows: $name", async (type) => {
    const devices = [defaultTraits, bindable(defaultTraits, FEW_BYTES), bindable(software, FEW_BYTES)];
    for (const distribution of ["few values", "specials", "constant", "distinct", "uniform"]) {
      for (const size of compactSizes) {
        for (const traits of devices) {
          const descending = size % 2 === 1;
          await expectFirsts(runOnCpu, type, distribution, size, descending, traits);
        }
      }
    }
  });

  it("binds no more than the device can, at offsets that it can bind, within its buffers", () => {
    for (const name of ["u8", "u32", "u64"]) {
      for (const maxBytes of [FEW_BYTES, 2 ** 27]) {
        for (const keyCount of [0, 1, 20_011, 2 ** 26 + 1]) {
          const traits = bindable(defaultTraits, maxBytes);
          if (keyCount > 2 ** 20 && maxBytes < 2 ** 20) continue;
          const { count, move } = compactFirsts(keyCount, elementType(name), { descending: false }, traits);
          for (const { passes, buffers } of [count, move(keyCount)]) {
            for (const range of passes.flatMap(({ bindings }) =>
              bindings.map((one) => rangeOf(one, buffers)),
            )) {
              expect(range.bytes).toBeLessThanOrEqual(maxBytes);
              expect(range.offset % BINDING_ALIGNMENT).toBe(0);
              expect(range.offset + range.bytes).toBeLessThanOrEqual(buffers[range.buffer]!.bytes);
            }
          }
        }
      }
    }
  });
});
