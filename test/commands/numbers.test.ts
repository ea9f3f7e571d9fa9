import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  parseCount,
  parsePositive,
  parseSize,
  parseSizes,
  sizesBetween,
} from "../../src/commands/numbers.js";
import { InputError } from "../../src/core/errors.js";

describe("a count", () => {
  it.each([
    ["100", 100],
    ["1e6", 1_000_000],
    ["2^20", 1_048_576],
    ["4K", 4000],
    ["4k", 4000],
    ["4Ki", 4096],
    ["1.5M", 1_500_000],
    ["1.001K", 1001],
    ["2T", 2_000_000_000_000],
    ["1Ti", 2 ** 40],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ])("is read from %s", (text, count) => {
    expect(parseCount(text, "--head")).toBe(count);
  });

  it.each(["", "0", "-1", "1.5", "2^53", "9007199254740992", "1e-3", "0x10", "4 K", "4KB", "1_000"])(
    "is not read from '%s', and the error names the option and the range",
    (text) => {
      expect(() => parseCount(text, "--head")).toThrow(InputError);
      expect(() => parseCount(text, "--head")).toThrow(
        `--head '${text}' is not a whole number from 1 to 2^53 - 1`,
      );
    },
  );

  it("lies in the range that its option has", () => {
    const range = { least: 0, most: 100 };
    expect([parseCount("0", "--x", range), parseCount("100", "--x", range)]).toEqual([0, 100]);
    expect(() => parseCount("101", "--x", range)).toThrow("--x '101' is not a whole number from 0 to 100");
  });
});

describe("a positive number", () => {
  it.each([
    ["2.5", 2.5],
    ["0.1", 0.1],
    ["1e2", 100],
  ])("is read from %s", (text, value) => {
    expect(parsePositive(text, "--error", "percent")).toBe(value);
  });

  it.each(["", "0", "0.0", "-1", "few", "Infinity", "1e999"])("is not read from '%s'", (text) => {
    expect(() => parsePositive(text, "--error", "percent")).toThrow(
      `--error '${text}' is not a number of percent greater than 0`,
    );
  });
});

describe("a number of keys", () => {
  it.each([
    ["1", 1],
    ["33554432", 33_554_432],
    ["2^0", 1],
    ["2^25", 33_554_432],
    ["2^31", 2_147_483_648],
    ["1e6", 1_000_000],
    ["500k", 500_000],
    ["500K", 500_000],
    ["1.001k", 1001],
    ["1.5k", 1500],
    ["0.5M", 500_000],
    ["4G", 4_000_000_000],
    ["32Ki", 32_768],
    ["32Mi", 33_554_432],
    ["3Gi", 3_221_225_472],
    ["4294967295", 4_294_967_295],
  ])("is read from %s", (text, size) => {
    expect(parseSize(text, "--min")).toBe(size);
  });

  it.each([
    "",
    "0",
    "-1",
    "1.5",
    "2^32",
    "4294967296",
    "4Gi",
    "2^",
    "2^-1",
    "2^1.5",
    "3^2",
    "k",
    "1ki",
    "1kI",
    "1e",
    "1e-3",
    "0x10",
    " 5",
    "5 ",
    "Infinity",
    "NaN",
    "1,000",
    "1_000",
    "five",
  ])("is not read from '%s', and the error names the option", (text) => {
    expect(() => parseSize(text, "--max")).toThrow(InputError);
    expect(() => parseSize(text, "--max")).toThrow(
      `--max '${text}' is not a whole number from 1 to 2^32 - 1`,
    );
  });
});

describe("the sizes between a minimum and a maximum", () => {
  it.each([
    [512, 4096, [512, 1024, 2048, 4096]],
    [1000, 5000, [1000, 2000, 4000, 5000]],
    [7, 7, [7]],
    [1, 2, [1, 2]],
    [3, 4, [3, 4]],
  ])("are from %i to %i: %j", (min, max, sizes) => {
    expect(sizesBetween(min, max)).toEqual(sizes);
  });

  it("begin with the minimum, end with the maximum, ascend, and at most double", () => {
    const size = fc.integer({ min: 1, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(size, size, (a, b) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)];
        const sizes = sizesBetween(min, max);
        expect([sizes[0], sizes.at(-1)]).toEqual([min, max]);
        for (let i = 1; i < sizes.length; i++) {
          expect(sizes[i]).toBeGreaterThan(sizes[i - 1]!);
          expect(sizes[i]).toBeLessThanOrEqual(2 * sizes[i - 1]!);
        }
      }),
    );
  });

  it.each([
    [1000, 5000, 1.5, [1000, 1500, 2250, 3375, 5000]],
    [512, 33_000, 4, [512, 2048, 8192, 32_768, 33_000]],
    [1, 4, 1.2, [1, 2, 3, 4]],
    [8, 100, 1000, [8, 100]],
  ])("are from %i to %i in steps of %d: %j", (min, max, step, sizes) => {
    expect(sizesBetween(min, max, step)).toEqual(sizes);
  });

  it.each([1, 0, -2, Number.NaN, Number.POSITIVE_INFINITY])("cannot have steps of %d", (step) => {
    expect(() => sizesBetween(1, 8, step)).toThrow("is not a factor greater than 1");
  });

  it("cannot have a minimum above the maximum", () => {
    expect(() => sizesBetween(8, 7)).toThrow(InputError);
    expect(() => sizesBetween(8, 7)).toThrow("--min 8 is more than --max 7");
  });
});

describe("a list of sizes", () => {
  it("is sorted, and each size occurs once", () => {
    expect(parseSizes("2^10, 500,1Ki,32Mi", "--sizes")).toEqual([500, 1024, 33_554_432]);
  });

  it("with an invalid size is an error that names the option", () => {
    expect(() => parseSizes("5,,6", "--sizes")).toThrow(
      "--sizes '' is not a whole number from 1 to 2^32 - 1",
    );
  });
});
