import { describe, expect, it, vi } from "vitest";
import type { Gpu } from "../../../src/core/device/gpu.js";
import { elementType } from "../../../src/core/elements.js";
import type { SortJob } from "../../../src/core/engines/engine.js";
import { defaultTraits } from "../../../src/core/plan/traits.js";
import { GpuEngineLater } from "../../../src/core/sorter/gpu_engine_later.js";

const job: SortJob = {
  type: elementType("u32"),
  keyCount: 4,
  descending: false,
  algorithm: "auto",
  verify: true,
};
const source = { read: async () => {} };
const sink = { write: async () => {}, end: async () => {} };

describe("an engine whose code is loaded later", () => {
  it("frees its device once, whether it was loaded or not", async () => {
    const destroy = vi.fn();
    const gpu = { destroy } as unknown as Gpu;
    new GpuEngineLater(gpu, "a device", defaultTraits).close();
    expect(destroy).toHaveBeenCalledTimes(1);

    const engine = new GpuEngineLater(gpu, "a device", defaultTraits);
    await engine.sort(job, source, sink).catch(() => {}); // this device can do nothing
    engine.close();
    expect(destroy).toHaveBeenCalledTimes(2);
  });

  it("sorts nothing if it is closed while its code is loaded", async () => {
    const gpu = { destroy: () => {} } as unknown as Gpu;
    const engine = new GpuEngineLater(gpu, "a device", defaultTraits);
    const calls = [engine.sort(job, source, sink), engine.argsort(job, source, sink)];
    engine.close();
    for (const call of calls) await expect(call).rejects.toThrow("the sorter was destroyed");
  });
});
