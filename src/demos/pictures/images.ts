import type { RgbaImage } from "./image_file.js";

/** The words of an rgba8unorm texture: one word per pixel, red in the lowest byte. */
export function imageWords({ rgba }: RgbaImage): Uint32Array<ArrayBuffer> {
  return new Uint32Array(rgba.slice().buffer);
}

/** The inverse of `imageWords`. */
export function imageOf(words: Uint32Array<ArrayBuffer>, width: number, height: number): RgbaImage {
  return { width, height, rgba: new Uint8Array(words.buffer, words.byteOffset, words.byteLength) };
}

/**
 * Makes an opaque image pixel by pixel.
 *
 * @param colour red, green and blue, each from 0 to 255, at (x, y), both from 0 to 1.
 */
export function ramp(
  width: number,
  height: number,
  colour: (x: number, y: number) => readonly [number, number, number],
): RgbaImage {
  const rgba = new Uint8Array(4 * width * height).fill(255);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const place = [column / Math.max(1, width - 1), row / Math.max(1, height - 1)] as const;
      rgba.set(
        colour(...place).map((channel) => Math.round(channel)),
        4 * (row * width + column),
      );
    }
  }
  return { width, height, rgba };
}
