import { describe, expect, it } from "vitest";
import { KeptEngines } from "../../src/auto/kept_engines.js";
import { openFastest } from "../../src/auto/open.js";
import { elementType } from "../../src/core/elements.js";
import type { Engine } from "../../src/core/engines/engine.js";
import { DeviceError } from "../../src/core/errors.js";
import { memorySource } from "../../src/core/streams/memory.js";
import type { OpenDevice } from "../../src/dawn/adapter.js";

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
