import { optionalPackages } from "../../optional_packages.js";
import { svgRenderer } from "../../report/plot/vega.js";
import { type Chart, chartSpec } from "./chart.js";
import type { RgbaImage } from "./image_file.js";

/** The extensions of the files that a picture can be written to. */
export type PictureKind = ".png" | ".gif" | ".svg";

/** A picture that is not encoded yet. */
export type Picture =
  | { readonly kind: ".png"; readonly image: RgbaImage }
  | { readonly kind: ".gif"; readonly animation: Animation }
  | { readonly kind: ".svg"; readonly text: string }
  | { readonly kind: ".svg"; readonly chart: Chart };

/** Frames that share a palette. */
export interface Animation {
  readonly width: number;
  readonly height: number;
  /** At most 256 colours: red, green, blue. */
  readonly palette: readonly (readonly [number, number, number])[];
  /** Each frame has width * height indices into the palette. */
  readonly frames: readonly Uint8Array[];
  /** Milliseconds that a frame is shown; GIF rounds it to hundredths of a second. */
  readonly frameMs: number;
}

/** Makes the bytes of a picture's file. */
export type PictureEncoder = (picture: Picture) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * Loads the packages that encode pictures of a kind. Call it before a demo runs, so that a missing package is
 * reported at once.
 *
 * @param charts whether SVGs are charts, which Vega draws.
 * @throws InputError if a package is not installed.
 */
export async function pictureEncoder(kind: PictureKind, charts: boolean): Promise<PictureEncoder> {
  const { encode } = kind === ".png" ? await png() : unloaded;
  const { GIFEncoder } = kind === ".gif" ? (await gif()).default : unloaded;
  const render = kind === ".svg" && charts ? await svgRenderer("drawing a chart") : unloaded.render;
  return async (picture) => {
    if ("image" in picture) {
      const { width, height, rgba } = picture.image;
      return new Uint8Array(encode({ width, height, data: rgba, channels: 4, depth: 8 }));
    }
    if ("animation" in picture) return encodeGif(GIFEncoder(), picture.animation);
    const text = "text" in picture ? picture.text : await render(chartSpec(picture.chart));
    return new TextEncoder().encode(text);
  };
}

const png = () => optionalPackages(["fast-png"], "drawing a .png", () => import("fast-png"));
const gif = () => optionalPackages(["gifenc"], "drawing a .gif", () => import("gifenc"));

const wrongKind = () => {
  throw new TypeError("the picture is of another kind than its encoder");
};
const unloaded = { encode: wrongKind, GIFEncoder: wrongKind, render: wrongKind };

function encodeGif(
  gif: Gif,
  { width, height, palette, frames, frameMs }: Animation,
): Uint8Array<ArrayBuffer> {
  const colours = palette.map((colour) => [...colour]);
  frames.forEach((frame, i) => {
    gif.writeFrame(frame, width, height, { delay: frameMs, ...(i === 0 ? { palette: colours } : {}) });
  });
  gif.finish();
  return new Uint8Array(gif.bytes());
}

type Gif = ReturnType<typeof import("gifenc")["default"]["GIFEncoder"]>;
