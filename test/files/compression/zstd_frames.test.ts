import { describe, expect, it } from "vitest";
import { FrameError, ZstdFrames } from "../../../src/files/compression/zstd_frames.js";

const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"));

/** Frames with every kind of header and of block; what their blocks hold is not looked at. */
const frames = {
  "a raw block, with a checksum and a length": hex("28b52ffd 24 06 310000 330a310a320a 5d8be4b7"),
  "a repeated byte, with a window": hex("28b52ffd 00 58 630900 00"),
  "two blocks": hex("28b52ffd 00 58 100000 0102 0d0000 ff"),
  "an empty block": hex("28b52ffd 20 00 010000"),
  "a dictionary and a length of 8 bytes": hex("28b52ffd e3 01020304 0102030405060708 010000"),
  "a length of 2 bytes": hex("28b52ffd 60 0102 010000"),
  "skipped bytes": hex("532a4d18 03000000 010203"),
  "no skipped bytes": hex("5f2a4d18 00000000"),
};

/** The parts that all bytes are cut into, when they come in pieces of some size. */
function cut(bytes: Uint8Array, most: number): { parts: Uint8Array[]; atEnd: boolean } {
  const walk = new ZstdFrames();
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += most) parts.push(...walk.cut(bytes.subarray(at, at + most)));
  return { parts, atEnd: walk.atEnd };
}

/** Where each part ends, counted from the start of the first. */
function endsOf(parts: readonly Uint8Array[]): number[] {
  return parts.map((_, i) => parts.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0));
}

describe("zstd frames", () => {
  it.each(Object.entries(frames))("end after %s, and not before", (_, frame) => {
    expect(cut(frame, frame.length)).toEqual({ parts: [frame], atEnd: true });
    for (let length = 1; length < frame.length; length++) {
      expect(cut(frame.subarray(0, length), length).atEnd, `${length} bytes`).toBe(false);
    }
  });

  it("are cut apart, in pieces of any size", () => {
    const all = Buffer.concat(Object.values(frames));
    expect(cut(all, all.length).parts.map((part) => Buffer.from(part))).toEqual(
      Object.values(frames).map((frame) => Buffer.from(frame)),
    );
    for (const most of [1, 2, 3, 5, 11, 64]) {
      const { parts, atEnd } = cut(all, most);
      expect(atEnd).toBe(true);
      expect(Buffer.concat(parts).equals(all)).toBe(true);
      const ends = endsOf(parts);
      for (const end of endsOf(Object.values(frames))) expect(ends).toContain(end);
    }
  });

  it.each([
    ["garbage", "00000000", "it is no zstd file"],
    ["garbage after a frame", "28b52ffd 20 00 010000 00000000", "what follows its last frame is not zstd"],
    ["a reserved bit", "28b52ffd 28", "a frame has an unknown header"],
    ["a block of a reserved type", "28b52ffd 20 00 070000", "a block has an unknown type"],
  ])("are refused: %s", (_, bytes, message) => {
    expect(() => cut(hex(bytes), 5)).toThrow(FrameError);
    expect(() => cut(hex(bytes), 5)).toThrow(message);
  });
});
