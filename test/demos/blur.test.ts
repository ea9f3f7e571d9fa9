import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { defaultTraits } from "../../src/core/plan/traits.js";
import { gaussWeights } from "../../src/demos/blur_plan.js";
import { runOnCpu } from "../support/cpu_kernels/run.js";
import { buildDemo, encodePicture, noise } from "../support/demos.js";
import { needs } from "../support/needs.js";

const hasMagick = spawnSync("convert", ["-version"], { encoding: "utf8" }).stdout?.includes("ImageMagick");
const withMagick = needs(hasMagick, "ImageMagick");

function blurred(image: ReturnType<typeof noise>, texts: Record<string, string>): Uint8Array {
  const { plan, inputs } = buildDemo("blur", defaultTraits, texts, [image]).experiments[0]!;
  return new Uint8Array(runOnCpu(plan, inputs)[plan.result]!.buffer);
}

describe("the blur's weights", () => {
  it("are those of a Gaussian: symmetric, in the right proportions, and with a sum of 1", () => {
    for (const sigma of [0.3, 0.5, 1, 1.7, 2.5]) {
      const weights = gaussWeights(sigma);
      const radius = Math.ceil(2 * sigma);
      expect(weights).toHaveLength(2 * radius + 1);
      expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
      for (let k = 0; k <= radius; k++) {
        expect(weights[radius - k]).toBe(weights[radius + k]);
        expect(Math.log(weights[radius]! / weights[radius + k]!)).toBeCloseTo(
          (k * k) / (2 * sigma * sigma),
          9,
        );
      }
    }
  });
});

describe("the blur on the CPU", () => {
  it("does not change an image of one colour, not even at its edges", () => {
    const image = noise(20, 11);
    image.rgba.set(image.rgba.map((_, i) => [200, 3, 77, 255][i % 4]!));
    expect(blurred(image, { count: "3" })).toEqual(image.rgba);
  });

  it("spreads one white pixel by the product of the weights", () => {
    const image = noise(15, 15);
    image.rgba.set(image.rgba.map((_, i) => (i % 4 === 3 || i >> 2 === 7 * 15 + 7 ? 255 : 0)));
    const weights = gaussWeights(1);
    const result = blurred(image, { sigma: "1" });
    for (let y = -2; y <= 2; y++) {
      for (let x = -2; x <= 2; x++) {
        const across = Math.round(255 * weights[x + 2]!);
        expect(result[4 * ((7 + y) * 15 + 7 + x)]).toBe(Math.round(across * weights[y + 2]!));
      }
    }
  });
});

withMagick.describe("ImageMagick's convolution by the same weights", () => {
  it.each([0.4, 1, 2.5])("agrees within one 8-bit step: sigma %d", async (sigma) => {
    const image = noise(61, 43);
    const weights = gaussWeights(sigma).map((weight) => weight.toFixed(12));
    const kernel = (size: string) => ["-morphology", "Convolve", `${size}:${weights.join(",")}`];
    const input = await encodePicture({ kind: ".png", image });
    const passes = [`${weights.length}x1`, `1x${weights.length}`].flatMap(kernel);
    // 16 bits per channel, since ImageMagick rounds down to 8 bits.
    const args = ["-", "-virtual-pixel", "Edge", ...passes, "-depth", "16", "rgba:-"];
    const output = new Uint8Array(execFileSync("convert", args, { input }));
    const theirs = new Uint16Array(output.buffer);
    const ours = blurred(image, { sigma: String(sigma) });
    const apart = ours.map((channel, i) => Math.abs(channel - Math.round(theirs[i]! / 257)));
    expect(apart.length).toBe(theirs.length);
    expect(apart.reduce((most, one) => Math.max(most, one), 0)).toBeLessThanOrEqual(1);
  });
});
