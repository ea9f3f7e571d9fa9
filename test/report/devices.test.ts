import { describe, expect, it } from "vitest";
import { defaultLimits } from "../../src/core/plan/grid.js";
import type { AdapterSummary } from "../../src/dawn/adapter.js";
import { devicesTable } from "../../src/report/devices.js";

const hardware: AdapterSummary = {
  name: "Some GPU",
  backend: "Vulkan",
  vendor: "acme",
  architecture: "roadrunner",
  driver: "Acme driver 1.2.3",
  origin: "system",
  features: ["float32-filterable", "subgroups", "timestamp-query"],
  software: false,
  subgroups: true,
  subgroupSize: { min: 32, max: 32 },
  limits: {
    maxComputeInvocationsPerWorkgroup: 1024,
    maxComputeWorkgroupSizeX: 1024,
    maxComputeWorkgroupSizeY: 1024,
    maxComputeWorkgroupSizeZ: 64,
    maxComputeWorkgroupsPerDimension: 65_535,
    maxComputeWorkgroupStorageSize: 49_152,
    maxStorageBufferBindingSize: 2 ** 31 - 4,
    maxBufferSize: 2 ** 40,
    maxTextureDimension2D: 8192,
  },
};

const software: AdapterSummary = {
  ...hardware,
  name: "A program that has a very long name (and a version, 1.0)",
  driver: "",
  vendor: "",
  architecture: "",
  origin: "embedded",
  features: [],
  software: true,
  subgroupSize: { min: 4, max: 128 },
  limits: { ...defaultLimits, maxComputeWorkgroupsPerDimension: 1000 },
};

describe("the table of devices", () => {
  it("shows adapters side by side and says which one is chosen", () => {
    expect(`\n${devicesTable([hardware, software], "auto", hardware)}`).toMatchInlineSnapshot(`
      "
      ┌────────────────────────┬────────────────────────────────┬────────────────────────────────┐
      │                        │ Some GPU                       │ A program that has a very long │
      │                        │                                │ name (and a version, 1.0)      │
      ├────────────────────────┼────────────────────────────────┼────────────────────────────────┤
      │ type                   │ hardware, system               │ software, embedded             │
      │ driver                 │ Acme driver 1.2.3              │                                │
      │ vendor, architecture   │ acme, roadrunner               │                                │
      │ subgroup size          │ 32                             │ 4 to 128                       │
      │ invocations a          │ 1,024                          │ 256                            │
      │ workgroup              │                                │                                │
      │ workgroup memory       │ 48 KiB                         │ 16 KiB                         │
      │ workgroups a dimension │ 65,535                         │ 1,000                          │
      │ largest binding        │ 2 GiB - 4                      │ 128 MiB                        │
      │ largest buffer         │ 1 TiB                          │ 256 MiB                        │
      │ features               │ timestamp-query, subgroups     │ none                           │
      │ 2-D workgroup          │ 32 x 32                        │ 4 x 64                         │
      │ … for 1024 x 768       │ 32 x 24 workgroups             │ 256 x 12 workgroups            │
      │ bitonic workgroup      │ 512 invocations, 4,096 u32     │ 8 invocations, 4,096 u32 keys  │
      │                        │ keys                           │                                │
      │ most u32 keys at once  │ 2,147,483,648                  │ 67,108,864                     │
      └────────────────────────┴────────────────────────────────┴────────────────────────────────┘
      --device auto chooses Some GPU
      "
    `);
  });

  it("says when the selector chooses none of them", () => {
    expect(devicesTable([hardware], "other", undefined)).toMatch(
      /\n--device other chooses none of these adapters\n$/,
    );
    expect(devicesTable([hardware], "cpu", undefined)).toMatch(
      /\n--device cpu uses none of these adapters\n$/,
    );
  });

  it("of no adapters says what happens then, and what to do", () => {
    expect(devicesTable([], "auto", undefined)).toBe(
      "no adapter was found, so gpusort sorts on the CPU\n" +
        "  to get an adapter, install a GPU driver or the npm package @sparticuz/chromium (linux-x64)\n",
    );
  });
});
