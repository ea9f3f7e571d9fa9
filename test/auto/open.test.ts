import { describe, expect, it } from "vitest";
import { autoChoice, FEW_KEYS, type OpenFastestOptions, openFastest } from "../../src/auto/open.js";
import { elementType } from "../../src/core/elements.js";
import { DeviceError } from "../../src/core/errors.js";

const many = { type: elementType("u32"), keyCount: FEW_KEYS, algorithm: "auto" };
const withGpu: OpenFastestOptions = {
  mayHaveGpu: () => true,
  openDevice: async (selector: string) => {
    if (selector !== "cpu") throw new DeviceError("none works");
    return undefined;
  },
};

describe("--device auto", () => {
  it.each<[string, object, OpenFastestOptions, object]>([
    ["few keys", { keyCount: FEW_KEYS - 1 }, withGpu, { reason: "few keys", keyCount: FEW_KEYS - 1 }],
    ["an unknown number of keys", { keyCount: undefined }, withGpu, { reason: "unknown" }],
    ["a machine without a GPU", {}, { mayHaveGpu: () => false }, { reason: "no GPU" }],
    ["an estimate for the CPU", {}, withGpu, { reason: "estimate", type: "u32" }],
    ["records, as keys of 64 bits", { type: undefined }, withGpu, { reason: "estimate", type: "u64" }],
    ["a GPU that does not open", { keyCount: 1e12 }, withGpu, { reason: "no GPU", problem: "none works" }],
  ])("does not need a GPU for %s", async (_, task, options, choice) => {
    const opened = await openFastest("auto", { ...many, ...task }, options);
    expect(opened).toMatchObject({ choice, engine: { device: "CPU" } });
    opened.engine.close();
  });

  it("is not asked if the caller names a device", async () => {
    const asked = await openFastest("cpu", many);
    expect(asked).toMatchObject({ choice: { reason: "asked" }, engine: { device: "CPU" } });
    asked.engine.close();
  });

  it("reports each step that takes a while, before it begins", async () => {
    const steps: string[] = [];
    const options = { ...withGpu, onStep: (step: string) => steps.push(step) };
    for (const keyCount of [100, undefined, 1e12]) await openFastest("auto", { ...many, keyCount }, options);
    expect(steps).toEqual(["opening a GPU"]);
    await openFastest("gpu", many, options).catch(() => {});
    await openFastest("llvmpipe", many, options).catch(() => {});
    expect(steps.slice(1)).toEqual(["opening a GPU", "opening llvmpipe"]);
  });

  it("takes a GPU for enough keys with any number of threads", () => {
    for (const threads of [1, 2, 16, 109, 1024]) {
      expect(autoChoice(() => true, threads).gpuFromBytes, `${threads}`).toBeGreaterThan(50e6);
      expect(autoChoice(() => true, threads).gpuFromBytes, `${threads}`).toBeLessThan(1e9);
    }
  });

  it("says from how many bytes on it takes a GPU, and takes one from there on", async () => {
    const { gpuFromBytes } = autoChoice(() => true, 16);
    expect(autoChoice(() => false, 16)).toEqual({ mayHaveGpu: false, cpuBelowKeys: FEW_KEYS, gpuFromBytes });
    const from = Math.ceil(gpuFromBytes / 4);
    for (const [keyCount, reason] of [
      [from - 1, "estimate"],
      [from + 1, "no GPU"], // none opens
    ] as const) {
      const { engine, choice } = await openFastest(
        "auto",
        { ...many, keyCount },
        { ...withGpu, threads: 16 },
      );
      expect(choice.reason).toBe(reason);
      engine.close();
    }
  });
});
