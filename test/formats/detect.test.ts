import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import type { InputOptions } from "../../src/formats/format.js";
import { detect, type FormatName } from "../../src/formats/registry.js";
import { byteInput } from "../support/bytes.js";
import { numpy } from "../support/numpy.js";

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
  it.each([
    ["lines of numbers", "1\n22\n333\n4444\n"],
    ["lines of Windows", "1\r\n2\r\n"],
    ["one number", "12345678"],
    ["floats", "-1.5e+3\n.25\n"],
    ["a CSV file", "name,délai\nJosé,5\n"],
    ["a CSV file that is longer than what is looked at", `name,délai\n${"José,5\n".repeat(2000)}`],
    ["text with a byte order mark", "\ufeff1\n2\n"],
  ])("is refused if it is %s", async (_, content) => {
    for (const name of ["keys", "keys.csv", "keys.tsv", "keys.log", "keys.bin", "standard input"]) {
      const detecting = found(name, Buffer.from(content));
      await expect(detecting).rejects.toThrow(InputError);
      await expect(detecting).rejects.toMatchObject({
        message: `${name} looks like text`,
        options: ["format"],
      });
    }
  });

  it("is refused if it is text in UTF-16", async () => {
    await expect(found("keys", Buffer.from("\ufeff1\n2\n", "utf16le"))).rejects.toThrow(
      "keys looks like text",
    );
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
  });

  const start = (magic: string) => Buffer.from(magic.padEnd(64, "\0"), "latin1");
  it.each([
    ["compressed twice: a gzip file is inside", gzipSync("1\n2\n"), "unpack it: zcat a.gz | gpusort -"],
    ["compressed twice: a zstd file is inside", start("\x28\xb5\x2f\xfd"), "zstdcat a.gz | gpusort -"],
    ["an xz file", start("\xfd7zXZ\0"), "xzcat a.gz"],
    ["a bzip2 file", start("BZh91AY&SY"), "bzcat a.gz"],
    ["a zip file", start("PK\x03\x04"), "unzip -p a.gz"],
    ["a Parquet file", start("PAR1"), "np.save"],
    ["an Arrow file", start("ARROW1"), "np.save"],
    ["an HDF5 file", start("\x89HDF\r\n\x1a\n"), "np.save"],
    ["an SQLite database", start("SQLite format 3"), "np.save"],
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
    expect(await found("a.gz", bytes, "raw")).toBe("raw");
    expect(await found("a.u32", bytes)).toBe("raw");
  });

  it("has no path in the hint if it is a stream", async () => {
    const detecting = detect(byteInput("standard input", gzipSync("1\n"), true), undefined, {});
    await expect(detecting).rejects.toHaveProperty("hint", expect.stringContaining("zcat | gpusort -"));
  });

  it.runIf(numpy)("is refused if it is an .npz file", async () => {
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
