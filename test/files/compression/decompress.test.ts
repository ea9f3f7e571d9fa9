import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Compression } from "../../../src/core/compression.js";
import { InputError } from "../../../src/core/errors.js";
import { decompressed } from "../../../src/files/compression/decompress.js";
import { iterableInput } from "../../../src/files/stream_input.js";
import { allBytes, inPieces, nodeHasZstd, pack, program, withNodeZstd } from "../../support/compressed.js";

const compressions: readonly Compression[] = nodeHasZstd ? ["gz", "zst"] : ["gz"];

const unpacked = async (name: string, bytes: Uint8Array, { asItIs = false, most = 1 << 16 } = {}) =>
  allBytes(await decompressed(inPieces(name, bytes, most), asItIs));

/** Bytes that compress to about half of their length, in several blocks. */
const content = Buffer.from(new Uint8Array(600_000).map((_, i) => (Math.imul(i, 0x9e3779b1) >>> 28) * 7));
const short = Buffer.from("3\n1\n2\n");

describe.each(compressions)("a %s file", (compression) => {
  const packed = pack(compression, content);
  const name = `keys.${compression}`;

  it("is what is inside, in pieces of any size", async () => {
    for (const most of [7, 1000, 1 << 20]) {
      expect((await unpacked(name, packed, { most })).equals(content)).toBe(true);
    }
  });

  it("is known by its bytes alone", async () => {
    expect((await unpacked("standard input", packed)).equals(content)).toBe(true);
    expect((await unpacked("keys.u32", packed)).equals(content)).toBe(true);
  });

  it("stays as it is if asked to, unless its name says what it is", async () => {
    expect((await unpacked("keys", packed, { asItIs: true })).equals(packed)).toBe(true);
    expect((await unpacked(name, packed, { asItIs: true })).equals(content)).toBe(true);
  });

  it("may have several members or frames, some of them empty", async () => {
    const parts = [short, Buffer.alloc(0), content, short, Buffer.alloc(0)];
    const joined = Buffer.concat(parts.map((part) => pack(compression, part)));
    for (const most of [13, 1 << 20]) {
      expect((await unpacked(name, joined, { most })).equals(Buffer.concat(parts))).toBe(true);
    }
  });

  it("may hold nothing", async () => {
    expect(await unpacked(name, pack(compression, Buffer.alloc(0)))).toHaveLength(0);
  });

  it("that ends too early is an error, wherever it ends", async () => {
    const two = Buffer.concat([pack(compression, short), pack(compression, short)]);
    const between = two.length / 2;
    for (let length = 0; length < two.length; length++) {
      if (length === between) continue;
      const reading = unpacked(name, two.subarray(0, length));
      await expect(reading, `${length} bytes`).rejects.toThrow(InputError);
      await expect(reading).rejects.toThrow(`${name} is cut short: its compressed data has no end`);
    }
    for (let cut = 1; cut < packed.length; cut += 9973) {
      await expect(unpacked(name, packed.subarray(0, -cut))).rejects.toThrow(`${name} is cut short`);
    }
  });

  it("with one wrong bit is an error, or still gives the same bytes", async () => {
    const small = pack(compression, content.subarray(0, 500));
    for (let bit = 0; bit < 8 * small.length; bit++) {
      const damaged = Buffer.from(small);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      const found = await unpacked(name, damaged).catch((error) => error);
      if (found instanceof InputError) expect(found.message, `bit ${bit}`).toContain(`${name} `);
      else expect(found.equals(content.subarray(0, 500)), `bit ${bit}`).toBe(true);
    }
  });

  it("with a wrong checksum is an error that names it and says what to do", async () => {
    const at = compression === "gz" ? packed.length - 8 : packed.length - 1;
    const damaged = Buffer.from(packed);
    damaged[at]! ^= 1;
    const reading = unpacked(name, damaged);
    await expect(reading).rejects.toThrow(InputError);
    await expect(reading).rejects.toThrow(`${name} is damaged: `);
    await expect(reading).rejects.toMatchObject({ hint: "copy it again", options: [] });
    await expect(unpacked("keys", damaged)).rejects.toMatchObject({
      hint: expect.stringContaining("name the format raw"),
      options: ["format"],
    });
  });

  it("with other bytes behind it is an error", async () => {
    for (const most of [packed.length, 1 << 16, packed.length + 3]) {
      for (const rest of ["garbage", "\0\0\0garbage", "\x1f", "(\xb5"]) {
        const reading = unpacked(name, Buffer.concat([packed, Buffer.from(rest, "latin1")]), { most });
        await expect(reading, JSON.stringify(rest)).rejects.toThrow(/keys\.\w+ is (damaged|cut short)/);
      }
    }
  });

  it("is an error again when it is read again", async () => {
    const input = await decompressed(inPieces(name, packed.subarray(0, 5000)), false);
    const into = new Uint8Array(content.length);
    await expect(input.next(into)).rejects.toThrow("is cut short");
    await expect(input.next(into)).rejects.toThrow("is cut short");
    await input.close();
  });

  it("passes on the error of a stream that fails", async () => {
    const failure = new Error("the network is gone");
    async function* failing() {
      yield packed.subarray(0, 5000);
      throw failure;
    }
    const input = await decompressed(iterableInput(failing()), false);
    await expect(input.next(new Uint8Array(content.length))).rejects.toBe(failure);
    await input.close();
  });

  it("can be closed before its end, and before it is read", async () => {
    const begun = await decompressed(inPieces(name, packed), false);
    expect(Buffer.from(await begun.peek(10)).equals(content.subarray(0, 10))).toBe(true);
    await begun.close();
    await (await decompressed(inPieces(name, packed), false)).close();
  });
});

describe("a gzip file", () => {
  it("may be filled up with zeros", async () => {
    const packed = Buffer.concat([gzipSync(short), Buffer.alloc(300_000)]);
    for (const most of [gzipSync(short).length, 1 << 20]) {
      expect((await unpacked("keys.gz", packed, { most })).equals(short)).toBe(true);
    }
  });

  const gzip = program("gzip");
  gzip.it("of gzip is read", async () => {
    expect((await unpacked("keys", gzip.run(["-9"], content))).equals(content)).toBe(true);
  });
  const pigz = program("pigz");
  pigz.it("of pigz is read", async () => {
    expect((await unpacked("keys", pigz.run(["-b", "128"], content))).equals(content)).toBe(true);
  });
  const bgzip = program("bgzip");
  bgzip.it("of bgzip, with many members, is read", async () => {
    expect((await unpacked("keys", bgzip.run(["-c"], content))).equals(content)).toBe(true);
  });
});

describe("a zstd file", () => {
  const zstd = program("zstd");
  const withZstd = nodeHasZstd ? zstd : withNodeZstd;
  withZstd.it("of zstd is read, with and without a checksum and a length", async () => {
    for (const args of [["--check"], ["--no-check"], ["-19"], ["--no-content-size"], ["--long=27"]]) {
      const packed = zstd.run(["-c", ...args], content);
      expect((await unpacked("keys", packed)).equals(content), `${args}`).toBe(true);
    }
  });

  it.runIf(!nodeHasZstd)("is an error that says two ways out", async () => {
    const frame = Buffer.from("28b52ffd2406310000330a310a320a5d8be4b7", "hex");
    const opening = decompressed(inPieces("keys.u32.zst", frame), false);
    await expect(opening).rejects.toThrow(InputError);
    await expect(opening).rejects.toMatchObject({
      message: "keys.u32.zst is a zstd file, which this version of Node cannot decompress",
      hint: "use Node 22.15, 23.8 or later, or unpack it: zstdcat | gpusort -",
    });
  });
});

describe("a zstd file whose name does not say so", () => {
  const frame = Buffer.from("28b52ffd2406310000330a310a320a5d8be4b7", "hex");
  const skippable = Buffer.concat([Buffer.from("502a4d18d0070000", "hex"), Buffer.alloc(2000, 1)]);
  const reading = () => unpacked("keys", Buffer.concat([skippable, frame]));

  withNodeZstd.it("is told behind a skippable frame that is longer than its header", async () => {
    expect(`${await reading()}`).toBe("3\n1\n2\n");
  });

  it.runIf(!nodeHasZstd)("is told there by the error, too", async () => {
    await expect(reading()).rejects.toThrow("keys is a zstd file, which this version of Node cannot");
  });
});

describe("a file that is only named as compressed", () => {
  it.each([
    ["keys.u32.gz", "gzip"],
    ["keys.zst", "zstd"],
  ])("is an error: %s", async (name, kind) => {
    for (const asItIs of [false, true]) {
      const reading = unpacked(name, short, { asItIs });
      await expect(reading).rejects.toThrow(InputError);
      await expect(reading).rejects.toThrow(`${name} is no ${kind} file, although it is named for one`);
    }
    await expect(unpacked(name, Buffer.alloc(0))).rejects.toThrow(`${name} is cut short`);
  });
});
