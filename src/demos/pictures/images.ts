import { InputError } from "../../core/errors.js";
import { optionalPackages } from "../../optional_packages.js";

/** An image of four 8-bit channels (red, green, blue, alpha), row by row from the top. */
export interface RgbaImage {
  readonly width: number;
  readonly height: number;
  /** 4 * width * height bytes. */
  readonly rgba: Uint8Array<ArrayBuffer>;
}

/** Larger images are refused before they are decoded: decoding takes about ten bytes of memory per pixel. */
const MAX_MEGAPIXELS = 300;

/**
 * Decodes a PNG or JPEG file. The first bytes decide which it is, not the name. 16-bit channels keep their
 * upper 8 bits, grey is copied to red, green and blue, and colour profiles are ignored.
 *
 * @param name the file's, for error messages.
 * @throws InputError if the bytes are neither PNG nor JPEG, or if they are damaged.
 */
export async function decodeImage(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<RgbaImage> {
  const decode = decoderOf(bytes);
  if (!decode) {
    throw new InputError(`${name} is not a PNG or JPEG image`, {
      hint: "convert it first, for example with ImageMagick: convert IN OUT.png",
    });
  }
  try {
    return await decode(bytes);
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw new InputError(`${name} cannot be decoded: ${(cause as Error).message}`, {
      hint: "check that the file is complete, or convert it again",
      cause,
    });
  }
}

type Decoder = (bytes: Uint8Array<ArrayBuffer>) => Promise<RgbaImage>;

function decoderOf(bytes: Uint8Array): Decoder | undefined {
  const begins = (...signature: number[]) => signature.every((byte, i) => bytes[i] === byte);
  if (begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return decodePng;
  if (begins(0xff, 0xd8, 0xff)) return decodeJpeg;
  return undefined;
}

const decodePng: Decoder = async (bytes) => {
  // The first chunk holds the width and the height, which may demand more memory than there is.
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pixels = header.getUint32(16) * header.getUint32(20);
  if (pixels > MAX_MEGAPIXELS * 1e6) throw new Error(`it has more than ${MAX_MEGAPIXELS} megapixels`);
  const { decode, convertIndexedToRgb } = await optionalPackages(
    ["fast-png"],
    "reading a PNG",
    () => import("fast-png"),
  );
  const png = decode(bytes, { checkCrc: true });
  const { width, height, depth, palette } = png;
  const channels = palette ? palette[0]!.length : png.channels;
  const data = palette
    ? convertIndexedToRgb(png)
    : depth < 8
      ? unpack(png.data, width, height, depth)
      : png.data;
  return { width, height, rgba: spread(data, width * height, channels, palette ? 8 : depth) };
};

const decodeJpeg: Decoder = async (bytes) => {
  const { default: jpeg } = await optionalPackages(["jpeg-js"], "reading a JPEG", () => import("jpeg-js"));
  const options = { useTArray: true, formatAsRGBA: true, maxMemoryUsageInMB: 4096 } as const;
  const { width, height, data } = jpeg.decode(bytes, { ...options, maxResolutionInMP: MAX_MEGAPIXELS });
  return { width, height, rgba: new Uint8Array(data) };
};

/**
 * Unpacks grey pixels of 1, 2 or 4 bits. The first pixel is in a byte's highest bits, and each row starts
 * with a new byte.
 */
function unpack(packed: ArrayLike<number>, width: number, height: number, depth: number): Uint8Array {
  const rowBytes = Math.ceil((width * depth) / 8);
  return new Uint8Array(width * height).map((_, pixel) => {
    const bit = (pixel % width) * depth;
    const byte = packed[Math.floor(pixel / width) * rowBytes + (bit >> 3)]!;
    return (byte >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
  });
}

/** Converts one to four channels of 1 to 16 bits to four channels of 8 bits. */
function spread(
  data: ArrayLike<number>,
  pixels: number,
  channels: number,
  depth: number,
): Uint8Array<ArrayBuffer> {
  const rgba = new Uint8Array(4 * pixels);
  const grey = channels < 3;
  const hasAlpha = channels === 2 || channels === 4;
  const to8 = (value: number) => (depth > 8 ? value >> (depth - 8) : (value * 255) / (2 ** depth - 1));
  for (let pixel = 0; pixel < pixels; pixel++) {
    for (let channel = 0; channel < 3; channel++) {
      rgba[4 * pixel + channel] = to8(data[pixel * channels + (grey ? 0 : channel)]!);
    }
    rgba[4 * pixel + 3] = hasAlpha ? to8(data[(pixel + 1) * channels - 1]!) : 255;
  }
  return rgba;
}

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
