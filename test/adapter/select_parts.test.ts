import { expect, it, vi } from "vitest";
import { elementType, type TypeName } from "../../src/core/elements.js";
import { GpuEngine } from "../../src/core/engines/gpu.js";
import type { TopOptions } from "../../src/core/sort/key.js";
import { distinctKeys, expectFirstIndices, expectOutput } from "../support/expected_output.js";
import { runFenced } from "../support/fenced.js";
import { distributions } from "../support/keys.js";
import type { Runner } from "../support/radix_case.js";
import { expectSelected } from "../support/select_case.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

// So small that a few thousand keys are cut into parts, as some hundred thousand are.
vi.mock("../../src/core/sort/select/select_tuning.js", async (original) => ({
  ...(await original<object>()),
  FIRST_KEYS: { least: 1000, most: 20_000 },
  LEAST_PART: 256,
  PARTS_PER_TOP: 2,
  FIRST_GROUPS: { hardware: 8, software: 8 },
}));

describeOnDevice(`the first of keys that are selected from in parts on ${selector}`, ({ gpu }) => {
  const run: Runner = (plan, inputs) => runFenced(gpu, plan, inputs);
  const traits = { ...gpu.traits, software: false, subgroups: false, lockstep: false };
  const types: readonly TypeName[] = ["u32", "f32", "i64", "f64"];

  it.each(fewerOnLavapipe(types, ["f32"]))("are those of all %s keys", async (name) => {
    const type = elementType(name);
    const some: Partial<TopOptions>[] = [
      {},
      { payload: "index" },
      { payload: 12, unsorted: true, bits: { begin: 1, end: 20 } },
      { counted: true, countAt: 1 },
    ];
    for (const [o, more] of fewerOnLavapipe(some, some.slice(1, 2)).entries()) {
      for (const distribution of ["uniform", "few values", "specials", "constant"]) {
        for (const [size, top, count] of [
          [1000, 50, 0],
          [7001, 1, 4000],
          [7001, 500, 9000],
        ] as const) {
          const keys = distributions[distribution]!(type, size);
          const options = { ...more, top, descending: o % 2 === 1 };
          await expectSelected(run, { type, keys, options, traits, count });
        }
      }
    }
  });

  it("are checked in arrays; if more keys equal the last one, all are sorted", async () => {
    const engine = new GpuEngine(gpu, selector, traits);
    const type = elementType("f64"); // sorts of fewer bytes hold more keys, and take 20 s to compile
    const cases = [
      ["distinct", true],
      ["few values", false],
    ] as const;
    for (const [distribution, selects] of fewerOnLavapipe(cases, cases.slice(0, 1))) {
      const keys = selects ? distinctKeys(type, 5000) : distributions[distribution]!(type, 5000);
      for (const head of selects ? fewerOnLavapipe([1, 300], [1]) : [300]) {
        const job = { algorithm: "radix", head, descending: head === 1 };
        const { algorithm } = await expectOutput(engine, type, keys, job, distribution);
        expect(algorithm === "radix select").toBe(selects);
        // Sorts of all keys as on hardware take long to compile.
        if (selects) await expectFirstIndices(engine, type, keys, job, distribution);
        const unchecked = await expectOutput(engine, type, keys, { ...job, verify: false }, distribution);
        expect(unchecked.algorithm).toBe("radix select");
      }
    }
  });
});
