import { describe, expect, it } from "vitest";
import type { Plan } from "../../src/core/plan/plan.js";
import { defaultTraits } from "../../src/core/plan/traits.js";
import { waveParams } from "../../src/demos/waves_plan.js";
import { runOnCpu } from "../support/cpu_kernels/run.js";
import { buildDemo, encodePicture } from "../support/demos.js";

/** The demo's plan of three steps. */
function steps(): Plan {
  const { experiments } = buildDemo("waves", defaultTraits, { size: "33x25" });
  return experiments.find(({ name }) => name === "3 steps, integer indices")!.plan;
}

describe("the waves", () => {
  it("have constants with which no wave grows by itself", () => {
    const { kPrevious: previous, kCurrent: current, kNeighbours: neighbours } = waveParams();
    expect(previous + current + 4 * neighbours).toBeCloseTo(1, 12); // still water stays still
    expect(previous).toBeGreaterThan(-1); // waves are damped
    expect(neighbours).toBeLessThan(0.5);
  });

  it("move a standing wave by its own recurrence", () => {
    const [width, height] = [33, 25];
    const [across, down] = [2, 3];
    const mode = new Float32Array(width * height).map((_, at) => {
      const [x, y] = [at % width, Math.floor(at / width)];
      return Math.sin((Math.PI * across * x) / (width - 1)) * Math.sin((Math.PI * down * y) / (height - 1));
    });
    const words = () => new Uint32Array(mode.slice().buffer);
    const { h1 } = runOnCpu(steps(), { h0: words(), h1: words() });
    // A sine is an eigenvector of the sum over neighbours, so only its amplitude changes.
    const eigenvalue =
      2 * Math.cos((Math.PI * across) / (width - 1)) + 2 * Math.cos((Math.PI * down) / (height - 1));
    const { kPrevious, kCurrent, kNeighbours } = waveParams();
    let [before, now] = [1, 1];
    for (let step = 0; step < 3; step++) {
      [before, now] = [now, kPrevious * before + (kCurrent + kNeighbours * eigenvalue) * now];
    }
    const result = new Float32Array(h1!.buffer);
    for (let y = 1; y < height - 1; y++) {
      for (let x = 1; x < width - 1; x++) {
        const at = y * width + x;
        expect(result[at]).toBeCloseTo(now * mode[at]!, 5);
      }
    }
  });

  it("lose energy while no drop falls", () => {
    const texts = { size: "64x64", steps: "8", frames: "8" };
    const [{ plan, inputs }] = buildDemo("waves", defaultTraits, texts).experiments as [never] as [
      { plan: Plan; inputs: Record<string, Uint32Array> },
    ];
    const energies = new Float32Array(runOnCpu(plan, inputs).energies!.buffer).subarray(0, 8);
    for (let i = 1; i < 8; i++) expect(energies[i]).toBeLessThan(energies[i - 1]!);
    expect(energies[7]).toBeGreaterThan(0);
  });

  it("are drawn as frames of all cells, and their energy as a curve", async () => {
    const built = buildDemo("waves", defaultTraits, { size: "16x8", steps: "10", frames: "4" });
    const { plan, inputs } = built.experiments[0]!;
    const words = runOnCpu(plan, inputs);
    const outcome = { name: "", words, differences: { wrong: 0, of: 0, unit: "" }, timing: undefined };
    const gif = built.draw!(".gif", [outcome]);
    if (gif.kind !== ".gif") throw new Error("no animation");
    expect(gif.animation).toMatchObject({ width: 16, height: 8 });
    expect(gif.animation.palette).toHaveLength(256);
    expect(gif.animation.palette[128]).toEqual([255, 255, 255]);
    expect(gif.animation.frames.map((frame) => frame.length)).toEqual([128, 128, 128, 128]);
    expect(gif.animation.frames[0]).not.toEqual(gif.animation.frames[3]);
    const svg = built.draw!(".svg", [outcome]);
    expect("chart" in svg && svg.chart.points).toHaveLength(4);
    expect(new TextDecoder().decode(await encodePicture(svg))).toContain("Energy of 16 x 8 cells");
  });
});
