import { describe, expect, it } from "vitest";
import { Gpu } from "../../../src/core/device/gpu.js";
import { mix } from "../../../src/core/items/mix.js";
import { defaultTraits } from "../../../src/core/plan/traits.js";
import { GpuEngineLater } from "../../../src/core/sorter/gpu_engine_later.js";
import { Planner } from "../../../src/core/sorter/planner.js";
import { Sorter, type SorterParts } from "../../../src/core/sorter/sorter.js";
import { data } from "../../support/device_buffers.js";
import { deviceWithSubgroups, nullAdapter } from "../../support/null_backend.js";

// Dawn's null backend compiles kernels without a driver, but computes nothing, so the traits are made up.
const device = await deviceWithSubgroups(await nullAdapter());
const compile = device.createComputePipelineAsync;
let compiled = 0;
device.createComputePipelineAsync = (descriptor) => {
  compiled++;
  return compile.call(device, descriptor);
};

/** A sorter whose device has compiled nothing yet. */
async function sorterWith(traits: Partial<Gpu["traits"]>): Promise<Sorter> {
  const gpu = new Gpu(device, { shared: true });
  const own = { ...gpu.traits, ...traits };
  const planner = await Planner.open(own);
  const engine: SorterParts["engine"] = new GpuEngineLater(gpu, "a device", own);
  return new Sorter({ engine, gpu, planner });
}

const buffer = (size: number) => device.createBuffer({ size, usage: data });

describe.each([
  ["with subgroups in lockstep", { subgroups: true, lockstep: true, subgroupSize: { min: 32, max: 32 } }],
  ["without subgroups", { subgroups: false }],
])("what is warm %s", (_, traits) => {
  const capacity = 200_000;
  const keys = buffer(8 * capacity);

  it.each([
    ["keys", {}, {}],
    ["keys of 64 bits", { type: "f64" }, {}],
    ["a part of their bits", { bits: { begin: 3, end: 20 } }, {}],
    ["indices", { payload: "index", output: "values" }, {}],
    ["values", { payload: 8, input: "keep" }, { values: buffer(8 * capacity) }],
    ["first keys", { top: 100 }, {}],
    ["distinct keys", { unique: "counts" }, {}],
    ["segments", { segments: { capacity: 9, longest: 5000 } }, {}],
    ["first keys of segments", { top: 3, segments: { capacity: 9 } }, {}],
    ["a number of keys on the device", { count: "gpu" }, { count: { buffer: buffer(1024), offset: 300 } }],
  ] as const)("is prepared without a compilation: a sort of %s", async (_, part, buffers) => {
    const sorter = await sorterWith(traits);
    const description = { type: "u32", capacity, ...part } as const;
    compiled = 0;
    await sorter.warm(description);
    expect(compiled).toBeGreaterThan(0);
    compiled = 0;
    const segments = "segments" in part ? { segments: { ...part.segments, offsets: buffer(40) } } : {};
    await sorter.prepare({ ...description, ...segments, keys, ...buffers });
    expect(compiled).toBe(0);
    sorter.destroy();
  });
});

describe("200 sorts of one description and of random lengths", () => {
  it.each([
    ["u32", undefined],
    ["f32", undefined],
    ["u64", undefined],
    ["f64", undefined],
    ["u32", "index"],
    ["u64", 8],
  ] as const)("leave room for other kernels in the cache: %s with %s", async (type, payload) => {
    const sizes = { maxBufferSize: 2 ** 32, maxStorageBufferBindingSize: 2 ** 31 - 4 };
    const workgroups = { maxComputeWorkgroupStorageSize: 49_152, maxComputeWorkgroupSizeX: 1024 };
    const invocations = { maxComputeInvocationsPerWorkgroup: 1024 };
    const limits = { ...defaultTraits.limits, ...sizes, ...workgroups, ...invocations };
    const subgroupSize = { min: 32, max: 32 };
    const subgroups = { subgroups: true, lockstep: true, parallelProgress: true, subgroupSize };
    const planner = await Planner.open({ ...defaultTraits, ...subgroups, limits });
    const programs = new Set<string>();
    for (let i = 1; i <= 200; i++) {
      const random = mix(i) / 2 ** 32;
      const { plan } = planner.plan({ type, payload, capacity: Math.floor(2 ** (27 * random)) });
      const own = new Set(plan.passes.map(({ program }) => JSON.stringify(program)));
      expect(own.size).toBeLessThan(30);
      for (const program of own) programs.add(program);
    }
    expect(programs.size).toBeLessThan(128);
  });
});
