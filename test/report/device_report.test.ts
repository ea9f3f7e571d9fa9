import { describe, expect, it } from "vitest";
import { type DeviceTraits, defaultTraits } from "../../src/core/plan/traits.js";
import type { AdapterSummary } from "../../src/dawn/choose_adapter.js";
import type { HardwareReport } from "../../src/hardware/report.js";
import { deviceReportText } from "../../src/report/device_report.js";
import { familiesText } from "../../src/report/devices.js";
import { usualLimits } from "../support/limits.js";

const traits: DeviceTraits = {
  ...defaultTraits,
  limits: usualLimits,
  subgroups: true,
  subgroupSize: { min: 8, max: 32 },
};

const adapter: AdapterSummary = {
  ...traits,
  name: "Some GPU",
  backend: "d3d12",
  vendor: "acme",
  architecture: "roadrunner",
  driver: "Acme driver 1.2.3",
  origin: "system",
  features: ["float32-filterable", "subgroups", "timestamp-query"],
};

const report: HardwareReport = {
  format: 1,
  date: "2026-11-27",
  gpusort: "1.2.3",
  runtime: "webgpu 4.5.6",
  adapter: { ...adapter, software: false },
  features: adapter.features,
  reported: traits,
  tested: { ...traits, testedSubgroupSize: 16 },
  correctness: {
    types: ["u8", "u32"],
    sizes: [1, 4096],
    sorted: 3,
    planned: 4,
    wrong: [{ type: "u32", size: 4096, call: "argsort", what: "in another order" }],
  },
  gpuClock: "timestamp queries",
  times: [
    {
      keyCount: 4096,
      residentMs: 0.02,
      keysMs: 0.5,
      pairsMs: 1,
      bitonicMs: 0.04,
      platformMs: 0.2,
      cpuMs: 0.1,
    },
  ],
};

describe("the report of a device", () => {
  it("says what the device is, what the test found, which kernels sort, and how fast", () => {
    const text = deviceReportText(report);
    expect(`\n${text}`).toMatchInlineSnapshot(`
      "
      gpusort report: gpusort 1.2.3, webgpu 4.5.6
      adapter: Some GPU, acme roadrunner
      driver: Acme driver 1.2.3, d3d12
      invocations a workgroup: 1024
      workgroup memory: 49152 bytes
      largest binding: 2147483644 bytes; largest buffer: 1099511627776 bytes
      subgroups: 8 to 32; 16 found; lockstep not relied on
      features: subgroups, timestamp-query
      kernels for u32 keys: subgroup, of 16
      kernels for u32 keys with values: subgroup, of 16
      arrays sorted: 3 of 4, as time ran out (2 types, up to 4,096 keys); wrong: 1
        argsort of 4,096 u32 keys: in another order
      u32 keys per second (resident and bitonic: keys on the device, by timestamp queries)
        keys     resident    bitonic      array    + value        CPU JavaScript
        2^12        205 M      102 M     8.19 M     4.10 M     41.0 M     20.5 M
      With --json, this is a file to attach to an issue of gpusort: see docs/hardware.md.
      "
    `);
  });

  it("says whether workgroups may wait for each other, where subgroups run in lockstep", () => {
    const found = { ...traits, lockstep: true, subgroupSize: { min: 32, max: 32 } };
    const of = (parallelProgress: boolean) =>
      deviceReportText({ ...report, reported: found, tested: { ...found, parallelProgress } });
    expect(of(true)).toContain("\nsubgroups: 32 to 32; 32 used; in lockstep, with a grid barrier\n");
    expect(of(false)).toContain("\nsubgroups: 32 to 32; 32 used; in lockstep, without a grid barrier\n");
  });
});

describe("the kernels by the number of keys", () => {
  it.each([
    ["no subgroups", { subgroups: false }, "bitonic to 2^12; workgroup"],
    ["one size", { subgroupSize: { min: 32, max: 32 } }, "subgroup, of 32"],
    ["a range", {}, "subgroup, of 32"],
    ["a range, narrow ones found", { testedSubgroupSize: 4 }, "bitonic to 2^12; workgroup"],
    ["a range of wide ones", { subgroupSize: { min: 64, max: 128 } }, "subgroup, of 64"],
    ["software", { software: true }, "bitonic to 2^12; serial"],
  ])("are told for a device with %s", (_, some, expected) => {
    expect(familiesText({ ...traits, ...some })).toBe(expected);
  });
});
