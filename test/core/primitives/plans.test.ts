import { describe, expect, it } from "vitest";
import { defaultTraits } from "../../../src/core/plan/traits.js";
import { compactionPlan } from "../../../src/core/primitives/compaction_plan.js";
import { scanPlan } from "../../../src/core/primitives/scan_plan.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";
import {
  counted,
  expectCompaction,
  expectHistogram,
  expectScan,
  primitiveSizes,
  primitiveTraits,
} from "../../support/primitive_cases.js";

const software = { ...defaultTraits, subgroups: true, subgroupSize: { min: 4, max: 4 }, software: true };

describe("plans by their kernels in TypeScript", () => {
  it.each(["u32", "f32"] as const)("scan %s, in any tiles, chunks and windows", async (type) => {
    let turn = 0;
    for (const traits of primitiveTraits(software)) {
      for (const size of primitiveSizes) {
        await expectScan(runOnCpu, type, size, traits, {
          apart: turn % 2 === 1,
          count: counted(size, turn++),
        });
      }
    }
  });

  it("compact values, indices or both, in any tiles, chunks and windows", async () => {
    let turn = 0;
    for (const traits of primitiveTraits(software)) {
      for (const size of primitiveSizes) {
        const share = [0.5, 0, 0.01, 1, 0.9][turn % 5];
        const valueBytes = [4, 0, 8, 12][turn % 4];
        const options = { share, valueBytes, indices: valueBytes === 0 || turn % 3 === 0 };
        await expectCompaction(runOnCpu, size, traits, { ...options, count: counted(size, turn++) });
      }
    }
  });

  it("count bins of keys, and leave out keys without a bin", async () => {
    let turn = 0;
    for (const traits of primitiveTraits(software)) {
      for (const size of primitiveSizes) {
        for (const bins of [1, 2, 255, 4096, 4097, 65_536]) {
          const bits = [undefined, { begin: 0, end: 32 }, { begin: 7, end: 24 }, { begin: 28, end: 32 }][
            turn % 4
          ];
          await expectHistogram(runOnCpu, size, bins, traits, { bits, count: counted(size, turn++) });
        }
      }
    }
  });

  it("have as many dispatches for any number of elements that one binding holds", () => {
    const traits = defaultTraits;
    for (const capacity of [3000, 2 ** 20, 2 ** 25]) {
      expect(scanPlan({ capacity, type: "u32", traits }).passes).toHaveLength(2);
      expect(compactionPlan({ capacity, traits, valueBytes: 4, indices: true }).passes).toHaveLength(2);
    }
    expect(scanPlan({ capacity: 1000, type: "u32", traits }).passes).toHaveLength(1);
    expect(scanPlan({ capacity: 40_000_000, type: "u32", traits }).passes).toHaveLength(4);
  });
});
