import { describe, expect, it } from "vitest";
import {
  autoChoice,
  FEW_KEYS,
  KeptEngines,
  type OpenFastestOptions,
  openFastest,
} from "../../src/auto/open.js";
import { elementType } from "../../src/core/elements.js";
import type { Engine } from "../../src/core/engines/engine.js";
import { DeviceError } from "../../src/core/errors.js";
import { memorySource } from "../../src/core/streams/item_stream.js";
import type { OpenDevice } from "../../src/dawn/adapter.js";

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
    ["records", { type: undefined }, withGpu, { reason: "records" }],
    ["a GPU that does not open", { keyCount: 1e12 }, withGpu, { reason: "no GPU", problem: "none works" }],
  ])("does not need a GPU for %s", async (_, task, options, choice) => {
    const opened = await openFastest("auto", { ...many, ...task }, options);
    expect(opened).toMatchObject({ choice, engine: { device: "CPU" } });
    opened.engine.close();
  });

  it("is not asked for records, and says so if the caller names a device", async () => {
    const records = { ...many, type: undefined };
    const notice = "records are sorted on the CPU, not on gpu";
    for (const [device, said] of [
      ["cpu", undefined],
      ["gpu", notice],
    ] as const) {
      const opened = await openFastest(device, records, withGpu);
      expect(opened).toMatchObject({ choice: { reason: "records" }, engine: { device: "CPU" } });
      expect(opened.notice).toBe(said);
      opened.engine.close();
    }
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

const few = { type: elementType("u32"), keyCount: 4, algorithm: "auto" };

async function sortOn(engine: Engine): Promise<number[]> {
  const sorted = new Uint32Array(4);
  const sink = {
    write: async (from: Uint8Array, offset: number) => new Uint8Array(sorted.buffer).set(from, offset),
    end: async () => {},
  };
  const keys = new Uint8Array(Uint32Array.of(3, 1, 2, 0).buffer);
  const job = { keyCount: 4, type: few.type, descending: false, verify: true, algorithm: "auto" };
  await engine.sort(job, memorySource(keys), sink);
  return [...sorted];
}

describe("engines that are kept", () => {
  it("are opened once, chosen or named, and sort until all are closed", async () => {
    const kept = new KeptEngines();
    const named = await openFastest("cpu", few, { open: kept.open, threads: 1 });
    const chosen = await openFastest("auto", few, { open: kept.open, threads: 1 });
    expect([named.choice.reason, chosen.choice.reason]).toEqual(["asked", "few keys"]);
    expect(chosen.engine).toBe(named.engine);
    for (let i = 0; i < 2; i++) expect(await sortOn(named.engine)).toEqual([0, 1, 2, 3]);
    await kept.close();
    await expect(sortOn(named.engine)).rejects.toThrow(/closed/);
  });

  it("do not keep a device that could not be opened", async () => {
    const kept = new KeptEngines();
    const opened: string[] = [];
    const openDevice: OpenDevice = async (selector) => {
      opened.push(selector!);
      throw new DeviceError("it does not start");
    };
    for (let i = 0; i < 2; i++) {
      await expect(kept.open("gpu", { openDevice })).rejects.toThrow("it does not start");
    }
    expect(opened).toEqual(["gpu", "gpu"]);
    await kept.close();
  });
});
