import { InputError } from "../core/errors.js";
import { gridToCover } from "../core/plan/grid.js";
import { program } from "../demo_kernels/kernels.js";
import { defineDemo } from "./demo.js";
import { requireTexture } from "./limits.js";
import { extent } from "./options.js";
import { imageOf, imageWords, type RgbaImage, ramp } from "./pictures/images.js";

/** The chapter's workgroup is 16 x 16, which is 256 invocations. Every WebGPU device allows that many. */
const SIDE = 16;

/** The D3D12 chapter's "simple compute shader": gOutput = gInputA + gInputB. */
export const textureAdd = defineDemo({
  name: "texture-add",
  summary: "add two textures, pixel by pixel: your own images, or two colour ramps",
  images: [
    { name: "a", required: false },
    { name: "b", required: false },
  ],
  options: { size: extent("size in pixels of the ramps, which are used without images", "256x192", 2) },
  pictures: [".png"],
  build: ({ values, images, traits }) => {
    const [width, height] = values.size as [number, number];
    const [a, b] = inputs(images, width, height);
    requireTexture(a.width, a.height, traits.limits, "the image");
    const texture = { width: a.width, height: a.height, format: "rgba8unorm" } as const;
    const image = (words: Uint32Array<ArrayBuffer>) => imageOf(words, a.width, a.height);
    return {
      experiments: [
        {
          name: "the sum",
          plan: {
            buffers: {},
            textures: { a: texture, b: texture, sum: texture },
            passes: [
              {
                program: program("texture_add", { constants: { WIDTH: SIDE, HEIGHT: SIDE } }),
                bindings: ["a", "b", "sum"],
                params: [],
                grid: gridToCover([a.width, a.height], [SIDE, SIDE]),
              },
            ],
            result: "sum",
          },
          inputs: { a: imageWords(a), b: imageWords(b) },
        },
      ],
      show: ([outcome]) => {
        const sum = image(outcome!.words.sum!);
        const samples = [0.25, 0.5, 0.75].map((at) => {
          const pixel = Math.floor(at * a.height) * a.width + Math.floor(at * a.width);
          const channels = ({ rgba }: RgbaImage) =>
            `(${[...rgba.subarray(4 * pixel, 4 * pixel + 4)].join(", ")})`;
          const place = `(${pixel % a.width}, ${Math.floor(pixel / a.width)})`;
          return `at ${place}: ${channels(a)} + ${channels(b)} = ${channels(sum)}\n`;
        });
        const size = `${a.width} x ${a.height}`;
        const head = `${size} texels of four 8-bit channels; a sum above 255 is stored as 255\n`;
        return head + samples.join("");
      },
      draw: (_, [outcome]) => ({ kind: ".png", image: image(outcome!.words.sum!) }),
    };
  },
});

function inputs(images: readonly RgbaImage[], width: number, height: number): [RgbaImage, RgbaImage] {
  const [a, b] = images;
  if (!a) {
    return [
      ramp(width, height, (x) => [255 * x, 0, 0]),
      ramp(width, height, (x, y) => [160 * (1 - x), 200 * y, 90]),
    ];
  }
  if (!b) {
    throw new InputError("demo texture-add adds two images, but only one was given", {
      hint: "name a second image of the same size, or no image at all",
    });
  }
  if (a.width === b.width && a.height === b.height) return [a, b];
  throw new InputError(
    `the images differ in size: ${a.width} x ${a.height} and ${b.width} x ${b.height} pixels`,
    { hint: "scale one of them, for example with ImageMagick: convert IN -resize 640x480! OUT.png" },
  );
}
