import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { InputError } from "../../src/errors.js";
import { decodeImage, type RgbaImage } from "../../src/formats/image.js";
import { encodePicture } from "../../src/formats/picture.js";
import { noise } from "../support/demos.js";

const hasMagick = spawnSync("convert", ["-version"], { encoding: "utf8" }).stdout?.includes("ImageMagick");
if (!hasMagick) process.stderr.write("SKIPPED: images as ImageMagick sees them: it is not installed\n");

const magick = (args: string[], input?: Uint8Array): Buffer =>
  execFileSync("convert", args, { input, maxBuffer: 1 << 28 });

/** Our decoder's pixels, and ImageMagick's of the same file, and how far apart the farthest channels are. */
async function farthest(file: Uint8Array<ArrayBuffer>, name: string): Promise<number> {
  const { width, height, rgba } = await decodeImage(file, name);
  const theirs = magick(["-", "-depth", "8", "rgba:-"], file);
  expect(theirs.length).toBe(4 * width * height);
  return rgba.reduce((most, channel, i) => Math.max(most, Math.abs(channel - theirs[i]!)), 0);
}

describe.runIf(hasMagick)("an image of ImageMagick's", () => {
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
  ] as const)("is decoded as ImageMagick does: %s", async (name, args, most) => {
    const file = new Uint8Array(magick([...source, ...args]));
    expect(await farthest(file, name)).toBeLessThanOrEqual(most);
  });

  it("is what it reads of ours", async () => {
    const image = noise(33, 7);
    const png = await encodePicture({ kind: ".png", image });
    expect(new Uint8Array(magick(["-", "-depth", "8", "rgba:-"], png))).toEqual(image.rgba);
  });

  it("is also an animation, of as many frames and these colours", async () => {
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
  it("comes back from its PNG as it was", async () => {
    for (const image of [
      noise(1, 1),
      noise(70, 45),
      { ...noise(3, 5), rgba: noise(3, 5).rgba.map((v) => v ^ 90) },
    ]) {
      expect(await decodeImage(await encodePicture({ kind: ".png", image }), "it")).toEqual(image);
    }
  });

  it("that is none is refused by its name, with a way out", async () => {
    for (const bytes of [[], [1, 2, 3], [0x47, 0x49, 0x46, 0x38]]) {
      const decoding = decodeImage(new Uint8Array(bytes), "holiday.gif");
      await expect(decoding).rejects.toThrow(InputError);
      await expect(decoding).rejects.toThrow("holiday.gif is no PNG and no JPEG image");
    }
  });

  it("that is cut short or garbled is refused, whatever is left of it", async () => {
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

  it("that promises more pixels than there is memory for is refused before it is decoded", async () => {
    const png = await encodePicture({ kind: ".png", image: noise(4, 4) as RgbaImage });
    new DataView(png.buffer).setUint32(16, 60_000);
    new DataView(png.buffer).setUint32(20, 60_000);
    await expect(decodeImage(png, "huge.png")).rejects.toThrow(/more than 300 megapixels/);
  });
});
