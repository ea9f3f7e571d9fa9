import { describe, expect, it } from "vitest";
import { type DeviceTraits, defaultTraits } from "../../src/core/plan/traits.js";
import type { AdapterSummary } from "../../src/dawn/adapter_summary.js";
import { deviceReportText } from "../../src/report/device_report.js";
import { familiesText } from "../../src/report/kernel_families.js";
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

describe("the report of a device", () => {
  it("says what the device is, what the test found, which kernels sort, and how fast", () => {
    const text = deviceReportText({
      versions: "gpusort 1.2.3, webgpu 4.5.6",
      adapter,
      traits,
      tested: { ...traits, foundSubgroupSize: 16 },
      gpuClock: "timestamp queries",
      measured: [{ keyCount: 4096, residentMs: 0.02, keysMs: 0.5, pairsMs: undefined }],
    });
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
      keys per second, checked against the input (resident: by timestamp queries)
        keys   u32, resident           u32   u32 + value
        2^12           205 M        8.19 M             -
      Please paste this into an issue of gpusort, with the name of the computer's model if you like.
      docs/hardware.md tells what is done with it.
      "
    `);
  });
});

describe("the kernels by the number of keys", () => {
  it.each([
    ["no subgroups", { subgroups: false }, "bitonic to 2^12; workgroup"],
    ["one size", { subgroupSize: { min: 32, max: 32 } }, "subgroup, of 32"],
    ["a range", {}, "subgroup, of 32"],
    ["a range, narrow ones found", { foundSubgroupSize: 4 }, "bitonic to 2^12; workgroup"],
    ["a range of wide ones", { subgroupSize: { min: 64, max: 128 } }, "subgroup, of 64"],
    ["software", { software: true }, "bitonic to 2^12; serial"],
  ])("are told for a device with %s", (_, some, expected) => {
    expect(familiesText({ ...traits, ...some })).toBe(expected);
  });
});
