import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Gpu } from "../../src/core/device/gpu.js";
import type { DeviceTraits } from "../../src/core/plan/traits.js";
import type { AdapterSummary } from "../../src/dawn/choose_adapter.js";
import { usualLimits } from "../support/limits.js";

/** What the fake test on the device finds, and how often it ran. */
const test = vi.hoisted(() => {
  const finds: { subgroups: boolean; lockstep: boolean; parallelProgress?: boolean } = {
    subgroups: true,
    lockstep: true,
  };
  return { finds, runs: 0, folder: "" };
});

vi.mock("../../src/files/own_files.js", async (original) => ({
  ...(await original<typeof import("../../src/files/own_files.js")>()),
  cacheFolder: () => test.folder,
}));
vi.mock("../../src/core/engines/lockstep.js", () => ({
  provenTraits: async ({ traits }: Gpu) => {
    test.runs++;
    return { ...traits, ...(await test.finds) };
  },
}));

const { testedTraits } = await import("../../src/dawn/tested_traits.js");

const traits: DeviceTraits = {
  subgroups: true,
  lockstep: false,
  software: false,
  subgroupSize: { min: 32, max: 32 },
  limits: usualLimits,
};
const gpu = { traits } as Gpu;
const adapter = { name: "Some GPU", driver: "1.2.3", features: ["subgroups"] } as unknown as AdapterSummary;

const root = mkdtempSync(join(tmpdir(), "gpusort-traits-"));
afterAll(() => rmSync(root, { recursive: true }));

beforeEach(() => {
  test.folder = join(root, `${Math.random()}`);
  test.runs = 0;
  test.finds = { subgroups: true, lockstep: true };
});

describe("the traits that were tested", () => {
  it("are those that the test found, and are found once for a driver", async () => {
    for (const finds of [
      { subgroups: true, lockstep: true, parallelProgress: true },
      { subgroups: true, lockstep: false },
      { subgroups: false, lockstep: false },
    ]) {
      test.folder = join(root, JSON.stringify(finds));
      test.runs = 0;
      test.finds = finds;
      const expected = { ...traits, ...finds };
      expect(await testedTraits(gpu, adapter)).toEqual(expected);
      test.finds = { subgroups: !finds.subgroups, lockstep: !finds.lockstep }; // it is not asked again
      expect(await testedTraits(gpu, adapter)).toEqual(expected);
      expect(test.runs).toBe(1);
      await testedTraits(gpu, { ...adapter, driver: "1.2.4" });
      expect(test.runs).toBe(2);
    }
  });

  it("are not kept where no grid barrier was seen, as the device may have been busy", async () => {
    test.finds = { subgroups: true, lockstep: true, parallelProgress: false };
    for (const runs of [1, 2]) {
      expect(await testedTraits(gpu, adapter)).toEqual({ ...traits, ...test.finds });
      expect(test.runs).toBe(runs);
    }
    test.finds = { ...test.finds, parallelProgress: true };
    for (const _ of [3, 3]) expect(await testedTraits(gpu, adapter)).toEqual({ ...traits, ...test.finds });
    expect(test.runs).toBe(3);
  });

  it("have the size of subgroups that the test found, if the device reports a range", async () => {
    const range = { ...gpu, traits: { ...traits, subgroupSize: { min: 8, max: 32 } } } as Gpu;
    test.finds = { subgroups: true, lockstep: false, testedSubgroupSize: 16 } as typeof test.finds;
    const expected = { ...range.traits, ...test.finds };
    expect(await testedTraits(range, adapter)).toEqual(expected);
    expect(await testedTraits(range, adapter)).toEqual(expected);
    expect(test.runs).toBe(1);
  });

  it("are tested again if what was kept is damaged, or cannot be kept", async () => {
    test.finds = { subgroups: true, lockstep: false };
    await testedTraits(gpu, adapter);
    const [name] = readdirSync(test.folder);
    const path = join(test.folder, name!);
    for (const damaged of ["", "sub", "subgroups\u0000".repeat(100), "toString"]) {
      writeFileSync(path, damaged);
      test.runs = 0;
      expect(await testedTraits(gpu, adapter)).toEqual(traits);
      expect(test.runs).toBe(1);
      expect(readFileSync(path, "utf8")).toBe("subgroups\n");
    }
    test.folder = join(path, "no folder");
    expect(await testedTraits(gpu, adapter)).toEqual(traits);
  });

  it("leave no device open if the test fails", async () => {
    let destroyed = 0;
    test.finds = Promise.reject(new Error("the device is lost")) as never;
    const lost = { traits, destroy: () => destroyed++ } as unknown as Gpu;
    await expect(testedTraits(lost, adapter)).rejects.toThrow("the device is lost");
    expect(destroyed).toBe(1);
  });

  it("need no test on a device whose subgroups no kernel uses", async () => {
    const without = { ...traits, subgroups: false };
    expect(await testedTraits({ traits: without } as Gpu, adapter)).toEqual(without);
    expect(test.runs).toBe(0);
  });
});
