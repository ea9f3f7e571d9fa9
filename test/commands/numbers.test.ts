import { describe, expect, it } from "vitest";
import { parseCount, parsePositive } from "../../src/commands/numbers.js";
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
