import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import type { InputOptions } from "../../src/formats/format.js";
import { detect, type FormatName } from "../../src/formats/registry.js";
import { byteInput } from "../support/bytes.js";
import { numpy, withNumpy } from "../support/numpy.js";

/** The name of the format that is found, as a file and as a pipe, which must be the same. */
async function found(name: string, bytes: Uint8Array, asked?: FormatName, options: InputOptions = {}) {
  const [file, pipe] = await Promise.all(
    [false, true].map(async (isPipe) => (await detect(byteInput(name, bytes, isPipe), asked, options)).name),
  );
  expect(pipe).toBe(file);
  return file;
}

const text = Buffer.from("1\n22\n333\n4444\n");

describe("an input whose format nobody names", () => {
  const anyName = ["keys", "keys.bin", "keys.txt", "standard input"];
  const linesNames = ["keys.csv", "keys.tsv", "keys.log", "keys.md", "keys.jsonl"];

  it.each([
    ["lines of numbers", "1\n22\n333\n4444\n"],
    ["lines of Windows", "1\r\n2\r\n"],
    ["floats", "-1.5e+3\n.25\n"],
    ["numbers that are wide or wrong in i64", "nan\n99999999999999999999\n1e999\n"],
    ["text with a byte order mark", "\ufeff1\n2\n"],
    ["numbers below a header", "délai\n1\n2\n"],
    ["numbers with a mistake among them", "1\n2x\n3\n"],
    ["numbers and blank lines", "\n 1\t\n\n \n2"],
    ["numbers in a file that is longer than what is looked at", `${"12345\n".repeat(682)}12345 and more`],
  ])("is text if it is %s, unless its name says lines", async (_, content) => {
    for (const name of anyName)
      expect([name, await found(name, Buffer.from(content))]).toEqual([name, "text"]);
    for (const name of linesNames) expect(await found(name, Buffer.from(content))).toBe("lines");
  });

  it.each([
    ["a CSV file", "name,délai\nJosé,5\n"],
    ["a CSV file that is longer than what is looked at", `name,délai\n${"José,5\n".repeat(2000)}`],
    ["pairs of numbers", "1 2\n3 4\n"],
    ["numbers of Europe", "1,5\n2,5\n"],
    ["words, and a number", "a\nb\n3\n"],
    ["Latin-1", Buffer.from("José\nÉmile\n", "latin1")],
  ])("is lines if it is %s", async (_, content) => {
    for (const name of [...anyName, ...linesNames]) {
      expect([name, await found(name, Buffer.from(content))]).toEqual([name, "lines"]);
    }
  });

  it("is lines if its name says text, and its first line is longer than what is looked at", async () => {
    for (const name of ["keys.txt", ...linesNames]) {
      expect(await found(name, Buffer.from(`${"word ".repeat(1000)}\n1\n`))).toBe("lines");
    }
  });

  it("is refused if it may be a number of text or keys", async () => {
    await expect(found("keys", Buffer.from("12345678"))).rejects.toMatchObject({
      message: "keys looks like text",
      options: ["format"],
    });
    expect(await found("keys.txt", Buffer.from("12345678"))).toBe("text");
  });

  it("is refused if it is text in UTF-16, except that text says so when it is opened", async () => {
    for (const name of ["keys", "keys.csv"]) {
      const detecting = found(name, Buffer.from("\ufeffa\nb\n", "utf16le"));
      await expect(detecting).rejects.toMatchObject({
        message: `${name} is text in UTF-16, whose lines cannot be told apart byte by byte`,
        hint: expect.stringContaining("iconv -f UTF-16"),
      });
    }
    expect(await found("keys.txt", Buffer.from("\ufeffa\nb\n", "utf16le"))).toBe("text");
  });

  it("is text or raw keys if anything says so", async () => {
    expect(await found("keys.txt", text)).toBe("text");
    expect(await found("keys", text, "text")).toBe("text");
    expect(await found("keys", text, "raw")).toBe("raw");
    expect(await found("keys.u32", text)).toBe("raw");
    expect(await found("keys", text, undefined, { type: "u8" })).toBe("raw");
    expect(await found("keys", text, undefined, { skipBytes: 2 })).toBe("raw");
    expect(await found("keys", text, undefined, { byteOrder: "big" })).toBe("raw");
    expect(await found("keys", text, undefined, { recordBytes: 2 })).toBe("records");
    for (const option of [{ type: "u8" }, { skipBytes: 2 }, { byteOrder: "big" }] as const) {
      expect(await found("keys.csv", text, undefined, option)).toBe("raw");
      expect(await found("words.txt", Buffer.from("a\nb\n"), undefined, option)).toBe("text");
    }
    expect(await found("words.txt", Buffer.from("a\nb\n"), "lines")).toBe("lines");
    expect(await found("keys.csv", text, undefined, { blankLines: "skip" })).toBe("text");
    expect(await found("keys.csv", text, undefined, { textOverflow: "inf" })).toBe("text");
  });

  const start = (magic: string) => Buffer.from(magic.padEnd(64, "\0"), "latin1");
  it.each([
    ["compressed twice: a gzip file is inside", gzipSync("1\n2\n"), "unpack it: zcat a.gz | gpusort -"],
    ["compressed twice: a zstd file is inside", start("\x28\xb5\x2f\xfd"), "zstdcat a.gz | gpusort -"],
    ["an xz file", start("\xfd7zXZ\0"), "xzcat a.gz"],
    ["a bzip2 file", start("BZh91AY&SY"), "bzcat a.gz"],
    ["a zip file", start("PK\x03\x04"), "unzip -p a.gz"],
    ["an Arrow file", start("ARROW1"), "f.read_table('a.gz')"],
    ["a Feather file", start("FEA1"), "f.read_table('a.gz')"],
    ["an Arrow stream", start("\xff\xff\xff\xff\x78\0\0\0\x10"), "a.ipc.open_stream('a.gz').read_all()"],
    ["an HDF5 file", start("\x89HDF\r\n\x1a\n"), "np.save"],
    ["an SQLite database", start("SQLite format 3"), "np.save"],
    ["an Office document", start(`PK\x03\x04${"\0".repeat(26)}[Content_Types].xml`), "as CSV"],
    ["an Office document", start("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "as CSV"],
    ["an lz4 file", start("\x04\x22\x4d\x18"), "lz4cat a.gz"],
    ["a 7z file", start("7z\xbc\xaf\x27\x1c"), "7z e -so a.gz"],
    ["a tar file", start(`name${"\0".repeat(253)}ustar`), "tar xOf a.gz"],
    ["a NetCDF file", start("CDF\x02"), "np.save"],
    ["a PDF document", start("%PDF-1.7\n"), "pdftotext"],
    ["a PNG image", start("\x89PNG\r\n\x1a\n"), "np.save"],
    ["a JPEG image", start("\xff\xd8\xff\xe0\0\x10JFIF"), "np.save"],
    ["a JPEG image", start("\xff\xd8\xff\xe1\0\x10Exif"), "np.save"],
    ["a GIF image", start("GIF89a"), "np.save"],
    ["a WAVE, AVI or WebP file", start("RIFF    WAVE"), "np.save"],
    ["an MP4 file", start("\0\0\0\x20ftypisom"), "np.save"],
    ["a program (ELF)", start("\x7fELF"), "file of data"],
  ])("is refused if it is %s, even if its type is named", async (what, bytes, wayOut) => {
    for (const type of [undefined, "u8"] as const) {
      const detecting = detect(byteInput("a.gz", bytes), undefined, { type });
      await expect(detecting).rejects.toThrow(InputError);
      await expect(detecting).rejects.toMatchObject({
        message: `a.gz is ${what}`,
        hint: expect.stringContaining(wayOut),
        options: ["format"],
      });
    }
    for (const name of ["a.txt", "a.csv"]) await expect(found(name, bytes)).rejects.toThrow(InputError);
    expect(await found("a.gz", bytes, "raw")).toBe("raw");
    expect(await found("a.gz", bytes, "lines")).toBe("lines");
    expect(await found("a.u32", bytes)).toBe("raw");
  });

  it("has no path in the hint if it is a stream", async () => {
    const detecting = detect(byteInput("standard input", gzipSync("1\n"), true), undefined, {});
    await expect(detecting).rejects.toHaveProperty("hint", expect.stringContaining("zcat | gpusort -"));
  });

  withNumpy.it("is refused if it is an .npz file", async () => {
    const save = "import numpy as np, sys; np.savez(sys.stdout.buffer, a=np.arange(3))";
    const bytes = execFileSync(numpy!, ["-c", save]);
    await expect(found("a.npz", bytes)).rejects.toThrow("a.npz is an .npz file");
  });

  it("is raw keys if it is anything else", async () => {
    expect(await found("keys", new Uint8Array(0))).toBe("raw");
    expect(await found("keys", new Uint8Array(8))).toBe("raw");
    expect(await found("keys", new Uint8Array(8).fill(0x20))).toBe("raw");
    // The bytes of the first number are those of gzip's magic.
    const counting = Uint32Array.from({ length: 2000 }, (_, i) => 559903 + i);
    expect(await found("keys", new Uint8Array(counting.buffer))).toBe("raw");
    const noise = fc.uint8Array({ minLength: 40, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(noise, async (bytes) => {
        expect(await found("keys", bytes)).toBe("raw");
      }),
      { numRuns: 1000 },
    );
  });
});
