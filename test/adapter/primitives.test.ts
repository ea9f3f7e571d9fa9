import { expect, it } from "vitest";
import { library } from "../../src/core/primitives/kernels.js";
import { scanPlan } from "../../src/core/primitives/scan_plan.js";
import { runFenced } from "../support/fenced.js";
import {
  counted,
  expectCompaction,
  expectHistogram,
  expectScan,
  primitiveSizes,
  primitiveTraits,
  valuesOf,
} from "../support/primitive_cases.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

const sizes = fewerOnLavapipe(primitiveSizes, [0, 1, 257, 1793, 20_011]);

describeOnDevice(`scans, compactions and histograms on ${selector}`, ({ gpu }) => {
  gpu.kernels.add(library);
  const all = primitiveTraits(gpu.traits);
  const kinds = fewerOnLavapipe(all, [all[0]!, all[2]!, all[3]!]);
  const run: Parameters<typeof expectScan>[0] = (plan, inputs) => runFenced(gpu, plan, inputs);

  const types = fewerOnLavapipe(["u32", "f32"], ["f32"]);
  it.each(types)("scan %s, in any tiles, chunks and windows", async (type) => {
    for (const traits of kinds) {
      for (const [turn, size] of sizes.entries()) {
        await expectScan(run, type, size, traits, { apart: turn % 2 === 1, count: counted(size, turn) });
      }
    }
    await expectScan(run, type, 2 ** 20 + 2 ** 16 + 1, gpu.traits);
    await expectScan(run, type, 2 ** 17 + 1, kinds[1]!);
  });

  it("compact values, indices or both, in any tiles, chunks and windows", async () => {
    for (const traits of kinds) {
      for (const [turn, size] of sizes.entries()) {
        const share = [0.5, 0, 0.01, 1, 0.9][turn % 5];
        const valueBytes = [4, 0, 8, 12][turn % 4];
        const options = { share, valueBytes, indices: valueBytes === 0 || turn % 3 === 0 };
        await expectCompaction(run, size, traits, { ...options, count: counted(size, turn) });
      }
    }
    await expectCompaction(run, 2 ** 20 + 12_345, gpu.traits);
    await expectCompaction(run, 2 ** 17 + 1, kinds[1]!, { valueBytes: 20 });
  });

  it("count bins of keys, and leave out keys without a bin", async () => {
    let turn = 0;
    for (const traits of kinds) {
      for (const size of [...sizes, 2 ** 20 + 1]) {
        for (const bins of [1, 255, 4096, 4097, 65_536]) {
          if (turn++ % 3 > 0) continue;
          const bits = [undefined, { begin: 7, end: 24 }, { begin: 28, end: 32 }][turn % 4];
          const limits = size > 2 ** 20 ? gpu.traits.limits : traits.limits;
          await expectHistogram(run, size, bins, { ...traits, limits }, { bits, count: counted(size, turn) });
        }
      }
    }
    const constant = new Uint32Array(300_000).fill(77);
    await expectHistogram(run, constant.length, 100, gpu.traits, { keys: constant });
  });

  it("give the same sums of f32 in each run", async () => {
    const size = 70_001;
    const values = valuesOf("f32", size) as Uint32Array<ArrayBuffer>;
    for (const traits of kinds) {
      const plan = scanPlan({ capacity: size, type: "f32", traits });
      const first = await run(plan, { values });
      for (let round = 0; round < 3; round++) {
        const again = await run(plan, { values });
        expect(again.values).toEqual(first.values);
        expect(again.total).toEqual(first.total);
      }
    }
  });
});
