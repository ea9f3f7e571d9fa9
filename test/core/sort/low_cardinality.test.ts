import { describe, expect, it } from "vitest";
import { Execution } from "../../../src/core/device/execute.js";
import { Gpu } from "../../../src/core/device/gpu.js";
import { elementType } from "../../../src/core/elements.js";
import { type DeviceTraits, defaultTraits } from "../../../src/core/plan/traits.js";
import type { SortOptions } from "../../../src/core/sort/key.js";
import { radixPlan } from "../../../src/core/sort/radix/radix.js";
import { segmentsPlan } from "../../../src/core/sort/segments/segments.js";
import { withUnique } from "../../../src/core/sort/select/unique.js";
import { nullAdapter } from "../../support/null_backend.js";

// Dawn's null backend validates the sizes of bindings without a driver, but computes nothing.
const gpu = new Gpu(await (await nullAdapter()).requestDevice({ requiredFeatures: ["subgroups"] }));

const subgroups = { ...defaultTraits, subgroups: true, lockstep: true };
const devices: Record<string, DeviceTraits> = {
  "without subgroups": defaultTraits,
  "of subgroups of 32": { ...subgroups, subgroupSize: { min: 32, max: 32 } },
  "of subgroups whose size the driver chooses": { ...subgroups, subgroupSize: { min: 8, max: 32 } },
  "of software": { ...defaultTraits, software: true, subgroupSize: { min: 4, max: 4 } },
};

const optionSets: readonly Partial<SortOptions>[] = [
  {},
  { keepInput: true },
  { counted: true },
  { bits: { begin: 1, end: 5 } },
  ...([4, 12, "index"] as const).map((payload) => ({ payload })),
  { payload: "index", dropKeys: true },
];

describe("plans of few keys", () => {
  it.each(Object.keys(devices))("bind buffers as short as the keys on a device %s", async (name) => {
    const traits = devices[name]!;
    for (const type of ["u8", "i16", "f32", "u64"].map(elementType)) {
      for (const keyCount of [0, 1, 3]) {
        const plain = radixPlan(keyCount, type, { descending: false }, traits);
        const plans = optionSets.flatMap((set) => {
          const options = { descending: true, ...set };
          const sort = radixPlan(keyCount, type, options, traits);
          expect(sort.buffers.keys!.bytes).toBe(Math.ceil((Math.max(1, keyCount) * type.bytes) / 4) * 4);
          return [
            sort,
            ...(set.counted ? [] : [segmentsPlan({ keyCount, segmentCount: 1 }, type, options, traits)]),
          ];
        });
        plans.push(
          withUnique(plain, { keyCount, type, options: { descending: false }, traits, counts: true }),
        );
        for (const plan of plans) (await Execution.prepare(gpu, plan)).destroy();
      }
    }
  });
});
