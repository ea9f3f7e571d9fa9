import type { RgbaImage } from "./image.js";

/** Files that pictures can be written to, by their extension. */
export type PictureKind = ".png" | ".gif" | ".svg";

/** A picture of each kind, not yet encoded. */
export type Picture =
  | { readonly kind: ".png"; readonly image: RgbaImage }
  | { readonly kind: ".gif"; readonly animation: Animation }
  | { readonly kind: ".svg"; readonly text: string };

/** Frames of one palette's colours. */
export interface Animation {
  readonly width: number;
  readonly height: number;
  /** Up to 256 colours: red, green, blue. */
  readonly palette: readonly (readonly [number, number, number])[];
  /** Each of width * height places in the palette. */
  readonly frames: readonly Uint8Array[];
  /** Milliseconds that a frame is shown; GIF rounds it to hundredths of a second. */
  readonly frameMs: number;
}

/** The bytes of a picture's file. */
export async function encodePicture(picture: Picture): Promise<Uint8Array<ArrayBuffer>> {
  switch (picture.kind) {
    case ".png": {
      const { encode } = await import("fast-png");
      const { width, height, rgba } = picture.image;
      return new Uint8Array(encode({ width, height, data: rgba, channels: 4, depth: 8 }));
    }
    case ".gif":
      return encodeGif(picture.animation);
    case ".svg":
      return new TextEncoder().encode(picture.text);
  }
}

async function encodeGif({
  width,
  height,
  palette,
  frames,
  frameMs,
}: Animation): Promise<Uint8Array<ArrayBuffer>> {
  const { GIFEncoder } = (await import("gifenc")).default;
  const gif = GIFEncoder();
  const colours = palette.map((colour) => [...colour]);
  frames.forEach((frame, i) => {
    gif.writeFrame(frame, width, height, { delay: frameMs, ...(i === 0 ? { palette: colours } : {}) });
  });
  gif.finish();
  return new Uint8Array(gif.bytes());
}
