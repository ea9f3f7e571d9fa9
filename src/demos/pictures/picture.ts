import type { TopLevelSpec } from "vega-lite";
import { optionalPackages } from "../../optional_packages.js";
import { svgRenderer } from "../../report/plot/vega.js";
import type { RgbaImage } from "./images.js";

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
 * reported immediately.
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

/** A curve to plot. */
interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** In order from left to right. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Whether each point is marked. */
  readonly dots: boolean;
}

/** The Vega-Lite specification of the curve. Both axes include 0. */
function chartSpec({ title, xLabel, yLabel, points, dots }: Chart): TopLevelSpec {
  const axis = (title: string) => ({ type: "quantitative" as const, axis: { title }, scale: { zero: true } });
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    title,
    width: 600,
    height: 300,
    background: "white",
    data: { values: points.map(([x, y]) => ({ x, y })) },
    mark: { type: "line", point: dots },
    encoding: { x: { field: "x", ...axis(xLabel) }, y: { field: "y", ...axis(yLabel) } },
  };
}

const EIGHTHS = " ▏▎▍▌▋▊▉█";

/**
 * A bar of block characters whose length is `share` (from 0 to 1) of `width` characters, to an eighth of one.
 */
export function bar(share: number, width: number): string {
  const eighths = Math.round(Math.max(0, Math.min(1, share)) * width * 8);
  return "█".repeat(Math.floor(eighths / 8)) + (eighths % 8 > 0 ? EIGHTHS[eighths % 8] : "");
}
