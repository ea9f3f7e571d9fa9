import { totalmem } from "node:os";
import { expect, it } from "vitest";
import { parseMemory, parseRecordKey, parseWhole } from "../../src/commands/parse.js";
import { InputError } from "../../src/core/errors.js";
import { defaultMemoryBytes } from "../../src/external/memory.js";

it.each([
  ["1", 1024],
  ["100b", 100],
  ["3K", 3072],
  ["3k", 3072],
  ["1.5M", 1_572_864],
  ["2G", 2 ** 31],
  ["1T", 2 ** 40],
])("reads the amount of memory %s as %i bytes, like sort(1)", (text, bytes) => {
  expect(parseMemory(text)).toBe(bytes);
});

it("reads a percentage as a share of the machine's memory, and the default is less than all of it", () => {
  expect(parseMemory("100%")).toBeLessThanOrEqual(totalmem());
  expect(parseMemory("50%")).toBe(Math.floor(parseMemory("100%") / 2));
  expect(defaultMemoryBytes()).toBeGreaterThan(0);
  expect(defaultMemoryBytes()).toBeLessThan(totalmem());
});

it.each(["", "M", "-1", "0", "0b", "1X", "1e3", "10 M", "999999999T"])(
  "refuses '%s' as an amount of memory",
  (text) => {
    expect(() => parseMemory(text)).toThrow(InputError);
    expect(() => parseMemory(text)).toThrow(`--memory '${text}' is not an amount of memory`);
  },
);

it("reads the key of a record as bytes at an offset, or as a number of a type", () => {
  expect(parseRecordKey("0:10")).toEqual({ offset: 0, bytes: 10 });
  expect(parseRecordKey("8:f64")).toEqual({ offset: 8, type: "f64" });
});

it.each(["", "10", "0:", ":4", "-1:4", "0:1e1", "0:4 "])("refuses '%s' as the key of a record", (key) => {
  expect(() => parseRecordKey(key)).toThrow(InputError);
  expect(() => parseRecordKey(key)).toThrow(`--key '${key}' is not a key of a record`);
});

it.each([
  ["1.5", 0],
  ["-1", 0],
  ["", 0],
  ["1e3", 0],
  ["9007199254740993", 0],
  ["0", 1],
])("refuses '%s' as a whole number of at least %i", (text, least) => {
  expect(() => parseWhole(text, "--skip-bytes", least)).toThrow(
    `--skip-bytes '${text}' is not a whole number of at least ${least}`,
  );
});
