import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { InputError } from "../../../src/core/errors.js";
import { decodeImage, type RgbaImage } from "../../../src/demos/pictures/images.js";
import { encodePicture, noise } from "../../support/demos.js";
import { needs } from "../../support/needs.js";

const hasMagick = spawnSync("convert", ["-version"], { encoding: "utf8" }).stdout?.includes("ImageMagick");
const withMagick = needs(hasMagick, "ImageMagick");

const magick = (args: string[], input?: Uint8Array): Buffer =>
  execFileSync("convert", args, { input, maxBuffer: 1 << 28 });

/**
 * Decodes a file with our decoder and with ImageMagick. Returns the largest difference between two channels.
 */
async function largestDifference(file: Uint8Array<ArrayBuffer>, name: string): Promise<number> {
  const { width, height, rgba } = await decodeImage(file, name);
  const theirs = magick(["-", "-depth", "8", "rgba:-"], file);
  expect(theirs.length).toBe(4 * width * height);
  return rgba.reduce((most, channel, i) => Math.max(most, Math.abs(channel - theirs[i]!)), 0);
}

withMagick.describe("ImageMagick and this package", () => {
  const source = ["-size", "37x21", "-seed", "5", "plasma:red-blue"];

  it.each([
    ["24-bit", ["png24:-"], 0],
    ["32-bit, half transparent", ["-alpha", "set", "-channel", "A", "-evaluate", "set", "40%", "png32:-"], 0],
    ["48-bit", ["-depth", "16", "png48:-"], 1],
    ["8-bit grey", ["-colorspace", "Gray", "-depth", "8", "png:-"], 0],
    ["1-bit grey", ["-monochrome", "-depth", "1", "png:-"], 0],
    ["2-bit grey", ["-colorspace", "Gray", "-posterize", "4", "-depth", "2", "png:-"], 0],
    ["palette", ["-colors", "11", "-type", "Palette", "png8:-"], 0],
    ["palette of 2", ["-colors", "2", "-type", "Palette", "png8:-"], 0],
    ["interlaced", ["-interlace", "PNG", "png24:-"], 0],
    ["JPEG", ["-quality", "90", "-sampling-factor", "1x1", "jpg:-"], 3],
    ["progressive JPEG", ["-quality", "90", "-sampling-factor", "1x1", "-interlace", "JPEG", "jpg:-"], 3],
    ["grey JPEG", ["-colorspace", "Gray", "-quality", "90", "jpg:-"], 3],
  ] as const)("decode an image to the same pixels: %s", async (name, args, most) => {
    const file = new Uint8Array(magick([...source, ...args]));
    expect(await largestDifference(file, name)).toBeLessThanOrEqual(most);
  });

  it("agree on the pixels of a PNG that this package wrote", async () => {
    const image = noise(33, 7);
    const png = await encodePicture({ kind: ".png", image });
    expect(new Uint8Array(magick(["-", "-depth", "8", "rgba:-"], png))).toEqual(image.rgba);
  });

  it("agree on the frames and the colours of a GIF that this package wrote", async () => {
    const palette = [
      [10, 20, 30],
      [200, 100, 0],
    ] as const;
    const frames = [0, 1, 0].map((first) => new Uint8Array(12).map((_, i) => (i + first) % 2));
    const animation = { width: 4, height: 3, palette, frames, frameMs: 50 };
    const gif = await encodePicture({ kind: ".gif", animation });
    const rgb = magick(["gif:-", "-coalesce", "-depth", "8", "rgb:-"], gif);
    expect(rgb.length).toBe(3 * 12 * 3);
    expect([...rgb]).toEqual(frames.flatMap((frame) => [...frame].flatMap((index) => palette[index]!)));
  });
});

describe("an image", () => {
  it("is the same after it was encoded to PNG and decoded", async () => {
    for (const image of [
      noise(1, 1),
      noise(70, 45),
      { ...noise(3, 5), rgba: noise(3, 5).rgba.map((v) => v ^ 90) },
    ]) {
      expect(await decodeImage(await encodePicture({ kind: ".png", image }), "it")).toEqual(image);
    }
  });

  it("in another format is refused, with an error that names the file", async () => {
    for (const bytes of [[], [1, 2, 3], [0x47, 0x49, 0x46, 0x38]]) {
      const decoding = decodeImage(new Uint8Array(bytes), "holiday.gif");
      await expect(decoding).rejects.toThrow(InputError);
      await expect(decoding).rejects.toThrow("holiday.gif is not a PNG or JPEG image");
    }
  });

  it("that is truncated or damaged is refused", async () => {
    const png = await encodePicture({ kind: ".png", image: noise(40, 40) as RgbaImage });
    for (const length of [8, 20, 40, png.length >> 1]) {
      await expect(decodeImage(png.slice(0, length), "half.png")).rejects.toThrow(
        /^half\.png cannot be decoded: /,
      );
    }
    const garbled = png.slice();
    garbled[60]! ^= 255;
    await expect(decodeImage(garbled, "bad.png")).rejects.toThrow(InputError);
    const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46]);
    await expect(decodeImage(jpeg, "half.jpg")).rejects.toThrow(InputError);
  });

  it("with too many pixels is refused before it is decoded", async () => {
    const png = await encodePicture({ kind: ".png", image: noise(4, 4) as RgbaImage });
    new DataView(png.buffer).setUint32(16, 60_000);
    new DataView(png.buffer).setUint32(20, 60_000);
    await expect(decodeImage(png, "huge.png")).rejects.toThrow(/more than 300 megapixels/);
  });
});
