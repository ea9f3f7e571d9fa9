import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Compression } from "../../../src/core/compression.js";
import { InputError } from "../../../src/core/errors.js";
import { compressor } from "../../../src/files/compression/compress.js";
import { decompressed } from "../../../src/files/compression/decompress.js";
import type { OutputFile } from "../../../src/files/output_file.js";
import { byteOutput } from "../../support/bytes.js";
import { allBytes, inPieces, nodeHasZstd, program, withNodeZstd } from "../../support/compressed.js";

const compressions: readonly Compression[] = nodeHasZstd ? ["gz", "zst"] : ["gz"];

/** An output that notes what happens to it. */
function noted() {
  const bytes = byteOutput(true);
  const events: string[] = [];
  const output: OutputFile = {
    ...bytes,
    publish: async (lastCheck) => {
      await lastCheck?.();
      events.push("published");
    },
    discard: async () => void events.push("discarded"),
  };
  return { output, events, bytes: bytes.bytes };
}

/** Writes pieces one after the other. Their memory is used again, as that of a sort is. */
async function written(compression: Compression, pieces: readonly Uint8Array[], settings = {}) {
  const { output, bytes } = noted();
  const compressing = compressor(compression, "out", settings)(output);
  let offset = 0;
  for (const piece of pieces) {
    const memory = new Uint8Array(piece);
    await compressing.write(memory, offset);
    memory.fill(0xee);
    offset += piece.length;
  }
  await compressing.publish();
  return bytes();
}

const MIB = 1 << 20;
const noise = (length: number, seed = 1) =>
  new Uint8Array(length).map((_, i) => Math.imul(i + seed, 0x9e3779b1) >>> 21);

describe.each(compressions)("an output compressed to %s", (compression) => {
  it("decompresses to what was written, whatever the sizes of the pieces", async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 500_000 }), { maxLength: 6 });
    const threads = fc.integer({ min: 1, max: 3 });
    await fc.assert(
      fc.asyncProperty(sizes, threads, fc.boolean(), fc.nat(), async (lengths, threads, check, seed) => {
        const pieces = lengths.map((length, i) => noise(length, seed + i));
        const packed = await written(compression, pieces, { threads, check });
        const found = await allBytes(await decompressed(inPieces("out", packed), false));
        expect(found.equals(Buffer.concat(pieces))).toBe(true);
        if (compression === "gz") expect(gunzipSync(packed).equals(found)).toBe(true);
      }),
      { numRuns: 12 },
    );
  });

  it.each([0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB])("has one end: %i bytes", async (length) => {
    const packed = await written(compression, length === 0 ? [] : [noise(length)]);
    const found = await allBytes(await decompressed(inPieces("out", packed), false));
    expect(found.equals(noise(length))).toBe(true);
  });

  it("keeps the order of writes that nobody waited for", async () => {
    const { output, bytes } = noted();
    const compressing = compressor(compression, "out", {})(output);
    const pieces = Array.from({ length: 9 }, (_, i) => noise(300_000, 31 * i));
    await Promise.all(pieces.map((piece, i) => compressing.write(piece, i * 300_000)));
    await compressing.publish();
    const found = await allBytes(await decompressed(inPieces("out", bytes()), false));
    expect(found.equals(Buffer.concat(pieces))).toBe(true);
  });

  it("is published with the last check, or discarded", async () => {
    const { output, events } = noted();
    await compressor(compression, "out")(output).publish(async () => void events.push("checked"));
    const other = compressor(compression, "out")(output);
    await other.write(noise(2 * MIB), 0);
    await other.discard();
    expect(events).toEqual(["checked", "published", "discarded"]);
  });

  it("passes on the error of the output, and writes no more", async () => {
    const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
    let writes = 0;
    const { output, events } = noted();
    const failing: OutputFile = {
      ...output,
      write: async () => {
        if (++writes === 2) throw full;
      },
    };
    const compressing = compressor(compression, "out", { threads: 1 })(failing);
    await expect(
      (async () => {
        for (let i = 0; i < 9; i++) await compressing.write(noise(MIB), i * MIB);
      })(),
    ).rejects.toBe(full);
    await expect(compressing.publish()).rejects.toBe(full);
    await compressing.discard();
    expect(writes).toBe(2);
    expect(events).toEqual(["discarded"]);
  });
});

describe("other programs", () => {
  const content = [noise(3_500_000)];
  const gzip = program("gzip");
  gzip.it("read the gzip files: gzip", async () => {
    const packed = await written("gz", content);
    expect(gzip.run(["-dc"], packed).equals(content[0]!)).toBe(true);
  });
  const zstd = program("zstd");
  const withZstd = nodeHasZstd ? zstd : withNodeZstd;
  withZstd.it("read the zstd files: zstd", async () => {
    const packed = await written("zst", content);
    expect(zstd.run(["-dc"], packed).equals(content[0]!)).toBe(true);
  });
});

it.runIf(!nodeHasZstd)("zstd on a Node without it is an error before there is an output", () => {
  expect(() => compressor("zst", "out.u32.zst")).toThrow(InputError);
  expect(() => compressor("zst", "out.u32.zst")).toThrow(
    "cannot write out.u32.zst: this version of Node cannot compress to zstd",
  );
});
