import { InputError } from "../core/errors.js";
import type { Pass } from "../core/plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../core/plan/traits.js";
import { params, program } from "../demo_kernels/kernels.js";
import { formatCount, formatPerSecond } from "../report/units.js";
import { withinSteps } from "./compare.js";
import { defineDemo } from "./demo.js";
import { imageOf, imageWords } from "./images.js";
import { requireTexture } from "./limits.js";
import { positiveNumber, wholeNumber } from "./options.js";
import { copyExperiment, ratesTable } from "./rates.js";

const MAX_RADIUS = 5;

/** Pixels that a workgroup blurs: the book's number. */
const LINE = 256;

/**
 * The weights of a Gaussian with a standard deviation of `sigma` pixels, cut off at ceil(2 sigma) pixels and
 * scaled so that their sum is 1. The book's name for this function is CalcGaussWeights.
 */
export function gaussWeights(sigma: number): number[] {
  const radius = Math.ceil(2 * sigma);
  const weights = Array.from({ length: 2 * radius + 1 }, (_, i) =>
    Math.exp(-((i - radius) ** 2) / (2 * sigma * sigma)),
  );
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}

/**
 * "Blur" of the D3D12 chapter: a Gaussian blur with a radius of at most 5 pixels. A horizontal and a vertical
 * pass between two textures are repeated --count times. Each pass rounds to 8 bits, as the book's textures
 * do.
 */
export const blur = defineDemo({
  name: "blur",
  summary: "a Gaussian blur of an image: a horizontal and a vertical pass through workgroup memory",
  images: [{ name: "image", required: true }],
  options: {
    sigma: positiveNumber("standard deviation of the Gaussian in pixels, at most 2.5", 2.5),
    count: wholeNumber("how many times the image is blurred", { default: 1, least: 1, most: 1000 }),
  },
  pictures: [".png"],
  build: ({ values: { sigma, count }, images, traits }) => {
    const image = images[0]!;
    const { width, height } = image;
    const pixels = width * height;
    requireTexture(width, height, traits.limits, "the image");
    const weights = gaussWeights(sigma);
    const radius = (weights.length - 1) / 2;
    if (radius > MAX_RADIUS) {
      throw new InputError(
        `--sigma ${sigma} needs a radius of ${radius} pixels, but the kernel's maximum is ${MAX_RADIUS}`,
        {
          hint: "use a --sigma of at most 2.5 and a larger --count: n blurs are one blur of sqrt(n) sigma",
        },
      );
    }
    const texture = { width, height, format: "rgba8unorm" } as const;
    // In each pass, a sum halfway between two 8-bit steps may be rounded up or down. The weights add up to 1,
    // so the next pass passes on at most as many steps as it received, and adds one of its own.
    const steps = 2 * count;
    const once = [
      pass(false, ["a", "b"], [width, height], weights, traits),
      pass(true, ["b", "a"], [height, width], weights, traits),
    ];
    return {
      experiments: [
        {
          name: `blur, ${count === 1 ? "once" : `${count} times`}`,
          plan: {
            buffers: {},
            textures: { a: texture, b: texture },
            passes: Array.from({ length: count }, () => once).flat(),
            result: "a",
          },
          inputs: { a: imageWords(image) },
          compare: withinSteps(steps),
          timed: true,
        },
        copyExperiment(imageWords(image), traits),
      ],
      show: (outcomes) => {
        const rates = ratesTable(
          outcomes,
          // A blur is two passes, and each reads and writes four bytes per pixel.
          ({ name }) => (name.startsWith("blur") ? count * 16 * pixels : 8 * pixels),
          [{ heading: "pixels/s", cell: (ms) => formatPerSecond(count * pixels, ms) }],
        );
        const { wrong, largest } = outcomes[0]!.differences;
        return [
          `${width} x ${height} pixels, sigma ${sigma}, radius ${radius} pixels, ${2 * count} passes\n`,
          `weights from -${radius} to +${radius}: ${weights.map((weight) => weight.toFixed(4)).join(" ")}\n`,
          `${formatCount(wrong)} colour channels differ from the CPU's by more than ${steps} steps of 1/255,`,
          ` one per pass; the largest difference is ${largest}\n`,
          rates === "" ? "" : `\n${rates}`,
        ].join("");
      },
      draw: (_, [outcome]) => ({ kind: ".png", image: imageOf(outcome!.words.a!, width, height) }),
    };
  },
});

/** One pass over `lines` rows or columns of `length` pixels each. */
function pass(
  vertical: boolean,
  bindings: readonly string[],
  [length, lines]: readonly [number, number],
  weights: readonly number[],
  traits: DeviceTraits,
): Pass {
  const WORKGROUP_SIZE = cooperativeWorkgroupSize(LINE, traits);
  return {
    program: program("blur", { constants: { LINE, WORKGROUP_SIZE, VERTICAL: vertical ? 1 : 0 } }),
    bindings,
    params: params("blur", { radius: (weights.length - 1) / 2, weights }),
    grid: [Math.ceil(length / LINE), lines, 1],
  };
}
