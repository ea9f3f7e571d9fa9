import { InputError } from "../core/errors.js";
import { formatCount, formatPerSecond } from "../report/units.js";
import { blurPlan, gaussWeights, MAX_RADIUS } from "./blur_plan.js";
import { withinSteps } from "./compare.js";
import { defineDemo } from "./demo.js";
import { requireTexture } from "./limits.js";
import { positiveNumber, wholeNumber } from "./options.js";
import { imageOf, imageWords } from "./pictures/images.js";
import { copyExperiment, ratesTable } from "./rates.js";

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
    // In each pass, a sum halfway between two 8-bit steps may be rounded up or down. The weights add up to 1,
    // so the next pass passes on at most as many steps as it received, and adds one of its own.
    const steps = 2 * count;
    return {
      experiments: [
        {
          name: `blur, ${count === 1 ? "once" : `${count} times`}`,
          plan: blurPlan(image, weights, count, traits),
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
        const { differences } = outcomes[0]!;
        return [
          `${width} x ${height} pixels, sigma ${sigma}, radius ${radius} pixels, ${2 * count} passes\n`,
          `weights from -${radius} to +${radius}: ${weights.map((weight) => weight.toFixed(4)).join(" ")}\n`,
          differences
            ? [
                `${formatCount(differences.wrong)} colour channels differ from the CPU's by more than`,
                ` ${steps} steps of 1/255, one per pass; the largest difference is ${differences.largest}\n`,
              ].join("")
            : "",
          rates === "" ? "" : `\n${rates}`,
        ].join("");
      },
      draw: (_, [outcome]) => ({ kind: ".png", image: imageOf(outcome!.words.a!, width, height) }),
    };
  },
});
