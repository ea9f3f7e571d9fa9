import { expect, it } from "vitest";
import { runPlan } from "../../src/core/device/run.js";
import { defaultLimits } from "../../src/core/plan/grid.js";
import type { Plan } from "../../src/core/plan/plan.js";
import type { Outcome } from "../../src/demos/demo.js";
import { demos } from "../../src/demos/registry.js";
import { runExperiment } from "../../src/demos/run_experiment.js";
import { buildDemo, noise, smallDemos } from "../support/demos.js";
import { describeOnDevice, selector } from "./device.js";

describeOnDevice(`the demos on ${selector}`, ({ gpu }) => {
  it("all occur in the list of small demos", () => {
    expect(new Set(smallDemos.map(([name]) => name))).toEqual(new Set(demos.map(({ name }) => name)));
  });

  it.each(smallDemos)("%s agrees with its CPU kernels: %o", async (name, texts) => {
    const built = buildDemo(name, gpu.traits, texts);
    const outcomes: Outcome[] = [];
    for (const experiment of built.experiments) {
      const outcome = await runExperiment(gpu, experiment, { timed: false });
      outcomes.push(outcome);
      if (experiment.mayDiffer) continue;
      expect(outcome.differences, experiment.name).toMatchObject({ wrong: 0 });
    }
    built.check?.(outcomes);
    expect(built.show(outcomes)).toMatch(/\n$/);
  });

  it("agree with plans for a hardware device with WebGPU's default limits", async () => {
    const traits = { ...gpu.traits, limits: defaultLimits, software: false };
    for (const name of ["transpose", "blur", "occupancy"]) {
      const texts = smallDemos.find(([one]) => one === name)![1];
      for (const experiment of buildDemo(name, traits, texts).experiments) {
        const { differences } = await runExperiment(gpu, experiment, { timed: false });
        expect(differences, `${name}: ${experiment.name}`).toMatchObject({ wrong: 0 });
      }
    }
  });

  it("add and blur images of any size correctly, up to the last pixel", async () => {
    for (const [width, height] of [
      [1, 1],
      [255, 3],
      [257, 2],
      [6, 300],
    ] as const) {
      const images = [noise(width, height, 1), noise(width, height, 2)];
      for (const [name, taken] of [
        ["texture-add", 2],
        ["blur", 1],
      ] as const) {
        const built = buildDemo(name, gpu.traits, {}, images.slice(0, taken));
        const { differences } = await runExperiment(gpu, built.experiments[0]!, { timed: false });
        expect(differences?.wrong, `${name} of ${width} x ${height}`).toBe(0);
      }
    }
  });

  it("are timed on request", async () => {
    const [experiment] = buildDemo("grid", gpu.traits, { size: "16x16" }).experiments;
    const { timing } = await runExperiment(gpu, experiment!, { timed: true });
    expect(timing!.minMs).toBeGreaterThan(0);
    expect(timing!.medianMs).toBeGreaterThanOrEqual(timing!.minMs);
  });

  it("read back textures of any width and format without the padding between rows", async () => {
    const texture = { width: 5, height: 3, format: "rgba32float" } as const;
    const plan: Plan = { buffers: {}, textures: { texture }, passes: [], result: "texture" };
    const words = new Uint32Array(new Float32Array(60).map((_, i) => i / 7).buffer);
    expect(await runPlan(gpu, plan, { texture: words })).toEqual(words);
  });
});
