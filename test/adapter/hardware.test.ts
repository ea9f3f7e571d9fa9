import { expect, it } from "vitest";
import { GpuEngine } from "../../src/core/engines/gpu.js";
import { createSorter } from "../../src/core/sorter/create.js";
import { sorterOn } from "../../src/core/sorter/create_on_gpu.js";
import { hardwareReport } from "../../src/hardware/measure.js";
import { describeOnDevice, selector } from "./device.js";

describeOnDevice(`the report of ${selector}`, ({ gpu }) => {
  it("has the device's limits and features, what it sorted rightly, and times, as JSON", async () => {
    const tested = gpu.traits;
    const [sorter, cpu] = [await sorterOn(gpu, selector), await createSorter("cpu")];
    const engine = new GpuEngine(gpu, selector, tested);
    const adapter = { name: selector, vendor: "", architecture: "", driver: "", backend: "", software: true };
    const about = { gpusort: "0", runtime: "a test", adapter };
    const steps: string[] = [];
    const report = await hardwareReport(
      { gpu, engine, sorter, cpu, tested, about },
      5000,
      (step) => void steps.push(step),
    );
    const json = JSON.parse(JSON.stringify(report));
    expect(json).toMatchObject({ format: 1, gpusort: "0", adapter, correctness: { wrong: [] } });
    expect(json.reported.limits.maxBufferSize).toBe(gpu.traits.limits.maxBufferSize);
    expect(json.features).toEqual(json.features.toSorted());
    expect(json.correctness.sorted).toBeGreaterThan(0);
    expect(json.times[0]).toMatchObject({ keyCount: 4096, residentMs: expect.any(Number) });
    expect(steps[0]).toBe("sorting u8 keys");
  });
});
