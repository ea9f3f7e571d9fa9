import type { DeviceTraits } from "../../src/core/plan/traits.js";
import type { BuiltDemo, Demo } from "../../src/demos/demo.js";
import type { RgbaImage } from "../../src/demos/pictures/images.js";
import { type Picture, pictureEncoder } from "../../src/demos/pictures/picture.js";
import { demos } from "../../src/demos/registry.js";

/**
 * Builds a demo as the command does, from the texts of its options. Required images are noise unless given.
 */
export function buildDemo(
  name: string,
  traits: DeviceTraits,
  texts: Readonly<Record<string, string>> = {},
  images?: readonly RgbaImage[],
): BuiltDemo {
  const demo = demos.find((one) => one.name === name) as Demo;
  for (const option of Object.keys(texts)) {
    if (!(option in demo.options)) throw new RangeError(`demo ${name} has no option ${option}`);
  }
  const values = Object.fromEntries(
    Object.entries(demo.options).map(([option, { parse, default: initial }]) => [
      option,
      parse(texts[option] ?? initial, `--${option}`),
    ]),
  );
  const needed = demo.images.filter(({ required }) => required).map((_, i) => noise(70, 45, i));
  return demo.build({ values, images: images ?? needed, traits });
}

export async function encodePicture(picture: Picture): Promise<Uint8Array<ArrayBuffer>> {
  return (await pictureEncoder(picture.kind, "chart" in picture))(picture);
}

/** An opaque image whose neighbouring pixels all differ. */
export function noise(width: number, height: number, seed = 0): RgbaImage {
  const rgba = new Uint8Array(4 * width * height).map((_, i) =>
    i % 4 === 3 ? 255 : Math.imul(i + 1 + 7919 * seed, 0x9e3779b1) >>> 24,
  );
  return { width, height, rgba };
}

/** Options that make each demo smaller than its defaults, and that exercise its edges. */
export const smallDemos: readonly (readonly [name: string, texts: Record<string, string>])[] = [
  ["threads", {}],
  ["threads", { workgroup: "3x5x2", groups: "4x1x3", group: "3,0,2", thread: "2,4,1" }],
  ["grid", { size: "70x45", workgroup: "5x7" }],
  ["grid", { size: "1x1" }],
  ["vecadd", {}],
  ["vecadd", { count: "33" }],
  ["texture-add", {}],
  ["texture-add", { size: "17x1" }],
  ["barrier", { count: "5000" }],
  ["transpose", { rows: "45", columns: "70" }],
  ["transpose", { rows: "132", columns: "68" }],
  ["transpose", { rows: "1", columns: "37" }],
  ["transpose", { rows: "260", columns: "4" }],
  ["blur", {}],
  ["blur", { sigma: "0.4", count: "3" }],
  ["waves", { size: "40x24", steps: "33", frames: "5" }],
  ["waves", { size: "9x8", steps: "2", frames: "7" }],
  ["particles", { count: "1000", steps: "7" }],
  ["particles", { count: "1000", capacity: "301", steps: "8", bursts: "3" }],
  ["particles", { count: "1", steps: "1" }],
  ["network", {}],
  ["network", { trace: "3,1,2,2" }],
  ["network", { keys: "256", tile: "16" }],
  ["occupancy", { workgroups: "3", steps: "5" }],
];
