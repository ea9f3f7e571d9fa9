import { describe, expect, it, vi } from "vitest";
import { elementType } from "../../../src/core/elements.js";
import { defaultTraits } from "../../../src/core/plan/traits.js";
import type { TopOptions } from "../../../src/core/sort/key.js";
import { selects } from "../../../src/core/sort/select/select.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";
import { distributions } from "../../support/keys.js";
import { expectSelected } from "../../support/select_case.js";

// So small that some hundred keys are cut into parts.
vi.mock("../../../src/core/sort/select/select_tuning.js", async (original) => ({
  ...(await original<object>()),
  LEAST_PART: 32,
  PARTS_PER_TOP: 2,
  MOST_ROOM: 16,
  FIRST_GROUPS: { hardware: 12, software: 5 },
  FIRST_KEYS: { least: 20, most: 1000 },
}));

describe("the first of some thousand keys", () => {
  const hardware = [
    defaultTraits,
    { ...defaultTraits, subgroups: true, subgroupSize: { min: 32, max: 32 }, lockstep: true },
  ];

  it.each(["u32", "f32", "i64", "f64"])("are selected from parts of them: %s", async (name) => {
    const type = elementType(name);
    const some: Partial<TopOptions>[] = [
      {},
      { payload: "index" },
      { payload: 4, unsorted: true },
      { payload: 12, bits: { begin: 5, end: 29 } },
      { bits: { begin: 2, end: 9 } },
      { counted: true, countAt: 2 },
    ];
    for (const traits of hardware) {
      for (const [o, more] of some.entries()) {
        for (const distribution of ["uniform", "few values", "specials", "constant"]) {
          for (const [size, top, count] of [
            [1000, 16, 700],
            [30, 1, 0],
            [999, 3, 2000],
          ] as const) {
            const keys = distributions[distribution]!(type, size);
            const options = { ...more, top, descending: o % 2 === 1 };
            expect(selects(size, type, options, traits)).toBe(true);
            const run = async (...[plan, inputs]: Parameters<typeof runOnCpu>) => {
              const kernels = plan.passes.map(({ program }) => program.kernel);
              expect(new Set(kernels)).toEqual(
                new Set(["select_segments", ...(options.payload === 12 ? ["gather"] : [])]),
              );
              return runOnCpu(plan, inputs);
            };
            const {
              isWhole,
              bound,
              count: found,
            } = await expectSelected(run, { type, keys, options, traits, count });
            if (more.counted) continue;
            expect([found, isWhole]).toEqual([top, undefined]);
            if (name !== "u32" || options.descending || options.bits) continue;
            const last = keys.slice().sort()[top - 1]!;
            expect(bound).toEqual([last, expect.any(Number)]);
          }
        }
      }
    }
  });
});
