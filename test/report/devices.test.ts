import { describe, expect, it } from "vitest";
import type { AutoChoice } from "../../src/auto/open.js";
import { defaultLimits } from "../../src/core/plan/grid.js";
import type { AdapterSummary } from "../../src/dawn/choose_adapter.js";
import { devicesList, devicesTable } from "../../src/report/devices.js";
import { usualLimits } from "../support/limits.js";

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
  limits: usualLimits,
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

const auto: AutoChoice = { mayHaveGpu: true, cpuBelowKeys: 16_384, gpuFromBytes: 512e6 };

const none = { selector: "other", chosen: undefined, auto };

describe("the table of devices", () => {
  it("shows adapters side by side and says which one is chosen", () => {
    expect(
      `\n${devicesTable([hardware, software], { selector: "auto", chosen: hardware, auto }, 100)}`,
    ).toMatchInlineSnapshot(`
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
      │ kernels for u32 keys   │ subgroup, of 32                │ bitonic to 2^12; serial        │
      │ most u32 keys at once  │ 2,147,483,648                  │ 67,108,864                     │
      └────────────────────────┴────────────────────────────────┴────────────────────────────────┘
      --device auto takes
        the CPU for fewer than 16,384 keys, and for pipes
        the GPU from 512 MB of keys on, by an estimate
      "
    `);
  });

  it("says when the selector chooses none of them", () => {
    expect(devicesTable([hardware], none)).toMatch(/\n--device other chooses none of these adapters\n$/);
    expect(devicesTable([hardware], { ...none, selector: "cpu" })).toMatch(
      /\n--device cpu uses none of these adapters\n$/,
    );
    expect(devicesTable([hardware], { ...none, isVariable: true })).toMatch(
      /\nGPUSORT_DEVICE=other chooses none of these adapters\n$/,
    );
  });

  it("of no adapters says what happens then, and what to do", () => {
    expect(devicesTable([], { ...none, selector: "auto" })).toBe(
      "no adapter was found, so gpusort sorts on the CPU\n" +
        "  to get an adapter, install a GPU driver or, on linux-x64,\n" +
        "  the npm package @sparticuz/chromium@143.0.4\n",
    );
  });

  it.each([40, 60, 80, 92, 200])("fits in %i columns, with every adapter in it", (columns) => {
    const three = [hardware, software, { ...software, name: "A third adapter" }];
    const text = devicesTable(three, { selector: "auto", chosen: hardware, auto }, columns);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
    for (const { name } of three) expect(text).toContain(name.slice(0, 15));
    const tables = text.match(/^┌/gm)!.length;
    expect(tables).toBe({ 40: 3, 60: 3, 80: 2, 92: 2, 200: 1 }[columns]);
  });

  it("says that auto takes the CPU where there is no GPU, or none opens", () => {
    const software = ", and no software adapter sorts faster\n";
    expect(
      devicesTable([{ ...hardware, software: true }], { selector: "auto", chosen: hardware, auto }, 200),
    ).toContain(`: no GPU could be opened${software}`);
    const without = { ...auto, mayHaveGpu: false };
    expect(devicesTable([hardware], { selector: "auto", chosen: hardware, auto: without }, 200)).toContain(
      `: there is no GPU${software}`,
    );
  });

  it("has one column for equal adapters, and says which of them is chosen", () => {
    const equal = [0, 1].map((number) => ({
      ...hardware,
      number,
      uuid: `GPU-${number}`,
      pciAddress: `0000:0${number}:00.0`,
    }));
    const text = devicesTable([...equal, software], { selector: "uuid:GPU-1", chosen: equal[1], auto }, 200);
    expect(text.match(/Some GPU/g)).toHaveLength(2);
    expect(text).toMatch(/\n--device uuid:GPU-1 chooses 1, Some GPU\n$/);
  });
});

describe("the list of devices", () => {
  const uuid = (digit: string) =>
    `GPU-${["xxxxxxxx", "xxxx", "xxxx", "xxxx", "xxxxxxxxxxxx"].join("-")}`.replaceAll("x", digit);
  const devices = [
    { number: 2, name: "llvmpipe (LLVM 15.0.6, 256 bits)" },
    { number: 0, name: "NVIDIA H200", uuid: uuid("a"), pciAddress: "0000:19:00.0" },
    { number: 1, model: "NVIDIA T4", uuid: uuid("b"), pciAddress: "0000:3b:00.0" },
    { number: 3, pciAddress: "0000:05:00.0" },
  ];

  it("has each on a line, by their numbers", () => {
    expect(`\n${devicesList(devices, 120)}`).toMatchInlineSnapshot(`
      "
      0  NVIDIA H200  0000:19:00.0  GPU-aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa
      1  NVIDIA T4    0000:3b:00.0  GPU-bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb (no Vulkan driver offers it)
      2  llvmpipe (LLVM 15.0.6, 256 bits)
      3  a GPU        0000:05:00.0  (no Vulkan driver offers it)
      "
    `);
  });

  it("folds long lines", () => {
    expect(devicesList(devices, 80)).toBe(devicesList(devices, 120).replace("(no ", "(no\n  "));
    expect(devicesList([])).toBe("");
  });
});
