import { InputError } from "../errors.js";
import { floatBits, type Pass } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { formatCount, formatPerSecond } from "../report/units.js";
import { withinSteps } from "./compare.js";
import { defineDemo } from "./demo.js";
import { imageOf, imageWords } from "./images.js";
import { requireTexture } from "./limits.js";
import { positiveNumber, wholeNumber } from "./options.js";
import { copyExperiment, ratesTable } from "./rates.js";

const MAX_RADIUS = 5;

/** Pixels that a workgroup blurs, as in the book. */
const LINE = 256;

/**
 * The weights of a Gaussian of standard deviation `sigma` pixels, cut off at ceil(2 sigma) and scaled to add up to
 * 1: the book's CalcGaussWeights.
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
 * "Blur" of the D3D12 chapter: a Gaussian blur of radius 5 or less as a horizontal and a vertical pass, between two
 * textures and as often as asked. Each pass rounds to 8 bits, as the book's textures do.
 */
export const blur = defineDemo({
  name: "blur",
  summary: "an image blurred by a separable Gaussian through workgroup memory, horizontally and vertically",
  images: [{ name: "image", required: true }],
  options: {
    sigma: positiveNumber("standard deviation of the Gaussian in pixels, at most 2.5", 2.5),
    count: wholeNumber("times that the image is blurred", { default: 1, least: 1, most: 1000 }),
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
        `--sigma ${sigma} needs a radius of ${radius} pixels, and the kernel has ${MAX_RADIUS}`,
        {
          hint: "take a --sigma of at most 2.5, and blur several times with --count: n times is sqrt(n) sigma",
        },
      );
    }
    const texture = { width, height, format: "rgba8unorm" } as const;
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
          // A sum at the border between two steps may be rounded either way.
          compare: withinSteps(1),
          timed: true,
        },
        copyExperiment(imageWords(image), traits),
      ],
      show: (outcomes) => {
        const rates = ratesTable(
          outcomes,
          // Two passes, each of which reads and writes four bytes a pixel.
          ({ name }) => (name.startsWith("blur") ? count * 16 * pixels : 8 * pixels),
          [{ heading: "pixels/s", cell: (ms) => formatPerSecond(count * pixels, ms) }],
        );
        const { wrong, largest } = outcomes[0]!.differences;
        return [
          `${width} x ${height} pixels, sigma ${sigma}, radius ${radius}, ${2 * count} passes\n`,
          `weights ${weights.map((weight) => weight.toFixed(4)).join(" ")}\n`,
          `${formatCount(wrong)} channels more than one 8-bit step off the CPU twin; the farthest ${largest}\n`,
          rates === "" ? "" : `\n${rates}`,
        ].join("");
      },
      draw: (_, [outcome]) => ({ kind: ".png", image: imageOf(outcome!.words.a!, width, height) }),
    };
  },
});

/** @param extent pixels along the pass, and lines of them. */
function pass(
  vertical: boolean,
  bindings: readonly string[],
  [length, lines]: readonly [number, number],
  weights: readonly number[],
  traits: DeviceTraits,
): Pass {
  const WORKGROUP_SIZE = cooperativeWorkgroupSize(LINE, traits);
  return {
    program: {
      kernel: "blur",
      uses: [],
      constants: { LINE, WORKGROUP_SIZE, VERTICAL: vertical ? 1 : 0 },
    },
    bindings,
    params: [
      (weights.length - 1) / 2,
      0,
      0,
      0,
      ...floatBits([...weights, ...new Array(12).fill(0)].slice(0, 12)),
    ],
    grid: [Math.ceil(length / LINE), lines, 1],
  };
}
