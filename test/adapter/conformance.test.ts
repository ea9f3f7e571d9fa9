import fc from "fast-check";
import { expect, it } from "vitest";
import { runPlan } from "../../src/core/device/run.js";
import { elementType, elementTypes } from "../../src/core/elements.js";
import { GpuEngine } from "../../src/core/engines/gpu.js";
import { algorithms } from "../../src/core/sort/algorithms.js";
import { bitonicPlan, bitonicTuning } from "../../src/core/sort/bitonic.js";
import { describeConformance, wholeWordTypes } from "../support/conformance.js";
import { engineSort } from "../support/engine.js";
import { difference, distributions } from "../support/keys.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

describeOnDevice(`on ${selector}`, ({ gpu }) => {
  const engine = new GpuEngine(gpu, selector);
  const tile = 2 ** bitonicTuning(elementType("u32"), gpu.traits).tileBits;
  const sizes = [
    0,
    1,
    2,
    3,
    7,
    8,
    9,
    255,
    257,
    997,
    4095,
    4096,
    4097,
    tile - 1,
    tile,
    tile + 1,
    2 * tile + 3,
  ];

  // Each width and each order once: both adapters run the same kernels, which differ in numbers for these.
  const types = fewerOnLavapipe(elementTypes, ["u8", "i16", "f32", "i64"].map(elementType));

  for (const { name, plainOnly } of algorithms) {
    const able = plainOnly ? types.filter((type) => wholeWordTypes.includes(type)) : types;
    describeConformance(name, engineSort(engine, name), sizes, able);

    it(`${name} sorts more than 2^18 keys, where the original tutorial's method failed`, async () => {
      const sort = engineSort(engine, name);
      for (const type of [elementType("u32"), elementType("f64")]) {
        const keys = distributions.uniform!(type, 2 ** 18 + 3);
        expect(difference(keys, await sort(keys, type, false), false)).toBeUndefined();
      }
    });
  }

  it("bitonic sorts correctly with any window of index bits", async () => {
    const tuned = bitonicTuning(elementType("u64"), gpu.traits);
    const cases = fc.record({
      type: fc.constantFrom(...fewerOnLavapipe(wholeWordTypes, ["f32", "u64"].map(elementType))),
      keyCount: fc.integer({ min: 1, max: 3000 }),
      tileBits: fc.integer({ min: 3, max: 6 }),
      descending: fc.boolean(),
      distribution: fc.constantFrom(...Object.keys(distributions)),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ type, keyCount, tileBits, descending, distribution }) => {
        const keys = distributions[distribution]!(type, keyCount);
        const words = new Uint32Array(keys.buffer as ArrayBuffer);
        const plan = bitonicPlan(keyCount, type, { descending }, gpu.traits, { ...tuned, tileBits });
        const output = await runPlan(gpu, plan, { keys: words });
        const sorted = new type.array(output.buffer, 0, keyCount);
        expect(difference(keys, sorted, descending)).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });
});
