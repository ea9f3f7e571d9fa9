import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compressionOf, splitCompression } from "../../src/core/compression.js";

describe("a compression by a path's extension", () => {
  it.each([
    ["keys.f64.gz", "keys.f64", "gz"],
    ["a.gz/keys.txt.ZST", "a.gz/keys.txt", "zst"],
    ["x.gz.gz", "x.gz", "gz"],
    ["two\nlines.gz", "two\nlines", "gz"],
  ])("is found for %j", (path, inner, compression) => {
    expect(splitCompression(path)).toEqual({ inner, compression });
  });

  it.each(["", "gz", ".gz", "a/.gz", "a\\.zst", "keys.gz.txt", "a.gz/keys", "keys.gzip", "-"])(
    "is none for %j",
    (path) => {
      expect(splitCompression(path)).toEqual({ inner: path, compression: undefined });
    },
  );
});

describe("a compression by the first bytes", () => {
  const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"));
  const frame = "28b52ffd 24 06 310000 330a310a320a";

  it("is found for gzip, whatever system and name its header has", () => {
    expect(compressionOf(gzipSync("1\n"))).toBe("gz");
    for (const system of [0, 3, 10, 19, 255]) {
      const head = gzipSync("1\n");
      head[9] = system;
      expect(compressionOf(head)).toBe("gz");
    }
    expect(compressionOf(hex("1f8b 08 08 6e5f2167 02 ff 6b657973"))).toBe("gz");
  });

  it("is found for zstd, also after a skippable frame of a few bytes", () => {
    expect(compressionOf(hex(frame))).toBe("zst");
    expect(compressionOf(hex(`502a4d18 04000000 00000000 ${frame}`))).toBe("zst");
    expect(compressionOf(hex("5e2a4d18 ffff0000 00000000"), "zst")).toBe("zst");
  });

  it("is none for what is only similar, unless the name says it too", () => {
    const similar = hex("1f8b 08 ff 00000000 00 03 0000");
    expect(compressionOf(similar)).toBeUndefined();
    expect(compressionOf(similar, "gz")).toBe("gz");
    const reserved = hex("28b52ffd 2c 06 310000");
    expect(compressionOf(reserved)).toBeUndefined();
    expect(compressionOf(reserved, "zst")).toBe("zst");
    expect(compressionOf(hex("5e2a4d18 ffff0000 00000000"))).toBeUndefined();
  });

  it("is none for no bytes, text, and keys", () => {
    expect(compressionOf(new Uint8Array(0))).toBeUndefined();
    expect(compressionOf(Buffer.from("1\n2\n"), "gz")).toBeUndefined();
    const noise = fc.uint8Array({ minLength: 1, maxLength: 24 });
    fc.assert(
      fc.property(noise, (bytes) => {
        expect(compressionOf(bytes)).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });
});
