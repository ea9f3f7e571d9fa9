import { afterAll, describe, expect, it } from "vitest";
import { create } from "webgpu";
import { requireAgreement, runExperiment } from "../src/commands/experiment.js";
import type { Experiment } from "../src/demos/demo.js";
import { Gpu } from "../src/device/gpu.js";
import { elementTypes } from "../src/elements.js";
import { GpuEngine } from "../src/engines/gpu.js";
import { VerifyError } from "../src/errors.js";
import { deviceCopyPlan } from "../src/plan/device_copy.js";
import type { Plan, Program } from "../src/plan/plan.js";
import { type DeviceTraits, defaultTraits } from "../src/plan/traits.js";
import { algorithms } from "../src/sort/algorithms.js";
import { inspectPlan } from "../src/sort/inspect.js";
import { isPlain, type SortOptions } from "../src/sort/key.js";
import { kernelSources, moduleSources } from "../src/wgsl.generated.js";
import { buildDemo, smallDemos } from "./support/demos.js";

// Dawn's null backend validates WGSL and bindings without any driver; what it would compute is not asked.
const dawn = create(["backend=null"]);
const adapter = (await dawn.requestAdapter())!;
const device = await adapter.requestDevice({
  requiredFeatures: ["subgroups"],
  requiredLimits: {
    maxComputeInvocationsPerWorkgroup: adapter.limits.maxComputeInvocationsPerWorkgroup,
    maxComputeWorkgroupSizeX: adapter.limits.maxComputeWorkgroupSizeX,
    maxComputeWorkgroupStorageSize: adapter.limits.maxComputeWorkgroupStorageSize,
  },
});
const gpu = new Gpu(device);
afterAll(() => {
  expect(dawn).toBeDefined(); // and so kept from being collected while its device lives
});

/** Devices unlike each other in all that plans look at. */
const traits: Record<string, DeviceTraits> = {
  "the default limits": defaultTraits,
  "a GPU": {
    limits: adapter.limits,
    subgroupSize: { min: 32, max: 32 },
    software: false,
    subgroups: true,
    lockstep: true,
  },
  "a GPU of wide subgroups": {
    limits: adapter.limits,
    subgroupSize: { min: 64, max: 64 },
    software: false,
    subgroups: true,
    lockstep: false,
  },
  "a GPU of narrow subgroups": {
    limits: adapter.limits,
    subgroupSize: { min: 8, max: 8 },
    software: false,
    subgroups: true,
    lockstep: false,
  },
  "a software adapter": { ...defaultTraits, subgroupSize: { min: 4, max: 4 }, software: true },
};

/** Everything that a sort may be asked for. */
const wishes: Record<string, Omit<SortOptions, "descending">> = {
  "keys alone": {},
  "keys alone, once": { once: true },
  "some bits": { bits: { begin: 3, end: 7 } },
  "values of a word": { payload: 4 },
  "values of three words": { payload: 12 },
  indices: { payload: "index" },
  "keys that are kept": { keepInput: true },
  "keys that the device counts": { counted: true },
};

function plansFor(device: DeviceTraits): Plan[] {
  const sorts = elementTypes.flatMap((type) =>
    [false, true].flatMap((descending) =>
      Object.values(wishes).flatMap((wish) => {
        const options = { ...wish, descending };
        const able = algorithms.filter(
          ({ plainOnly }) => !plainOnly || (isPlain(options) && type.bytes >= 4),
        );
        return [
          ...able.flatMap(({ plan }) => [1000, 2 ** 16, 2 ** 21].map((n) => plan(n, type, options, device))),
          inspectPlan(1000, type, options, device, "input"),
          inspectPlan(1000, type, options, device, "result"),
        ];
      }),
    ),
  );
  const shown = smallDemos.flatMap(([name, texts]) => buildDemo(name, device, texts).experiments);
  return [...sorts, deviceCopyPlan(2 ** 20, device), ...shown.map(({ plan }) => plan)];
}

describe("a device that computes nothing", () => {
  it("is found out, and the sink is not touched", async () => {
    const engine = new GpuEngine(gpu, "null");
    let written = 0;
    const job = {
      type: elementTypes[0]!,
      keyCount: 1000,
      descending: false,
      algorithm: "auto",
      verify: true,
    };
    const sink = {
      write: async (from: Uint8Array) => {
        written += from.length;
      },
    };
    await expect(engine.sort(job, { read: async (into) => void into.fill(7) }, sink)).rejects.toThrow(
      VerifyError,
    );
    expect(written).toBe(0);
  });

  it("is found out by the demos too, but for differences that one is to show", async () => {
    const [right, racy] = buildDemo("barrier", defaultTraits, { count: "1000" }).experiments;
    const found = async (experiment: Experiment) => {
      const outcome = await runExperiment(gpu, experiment, { timed: false });
      expect(outcome.differences.wrong).toBeGreaterThan(0);
      return () => requireAgreement("demo barrier", experiment, outcome);
    };
    expect(await found(right!)).toThrow(VerifyError);
    expect(await found(right!)).toThrow(
      /^demo barrier, with the barrier: .* words are wrong; output: word 0 is /,
    );
    expect(await found(racy!)).not.toThrow();
  });
});

describe("every kernel compiles without a driver", () => {
  for (const [name, device] of Object.entries(traits)) {
    it(`as planned for ${name}`, async () => {
      for (const { passes } of plansFor(device)) {
        for (const { program } of passes) expect(await gpu.kernels.pipeline(program)).toBeDefined();
      }
    });
  }

  it("and no file of wgsl/ is left out", () => {
    const programs: Program[] = Object.values(traits)
      .flatMap(plansFor)
      .flatMap((plan) => plan.passes.map((pass) => pass.program));
    expect(new Set(programs.map((program) => program.kernel))).toEqual(new Set(Object.keys(kernelSources)));
    expect(new Set(programs.flatMap((program) => program.uses))).toEqual(new Set(Object.keys(moduleSources)));
  });
});
