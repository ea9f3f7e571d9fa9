import { totalmem } from "node:os";
import { expect, it, vi } from "vitest";
import { parseInputArguments, parseMemory, parseRecordKey } from "../../src/commands/parse.js";
import { InputError } from "../../src/core/errors.js";
import { defaultMemoryBytes } from "../../src/sort/memory.js";

it.each([
  ["1", 1024],
  ["100b", 100],
  ["3K", 3072],
  ["3k", 3072],
  ["1.5M", 1_572_864],
  ["2G", 2 ** 31],
  ["2Gi", 2 ** 31],
  ["512Mi", 2 ** 29],
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

it("takes the system's free memory for the default where Node knows no other", () => {
  vi.spyOn(process, "availableMemory").mockReturnValue(0);
  vi.spyOn(process, "constrainedMemory").mockReturnValue(0);
  expect(defaultMemoryBytes()).toBeGreaterThan(1 << 20);
});

it.each(["", "M", "-1", "0", "0b", "1X", "1bi", "1i", "1e3", "10 M", "999999999T"])(
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

it("reads numbers in the key of a record as everywhere", () => {
  expect(parseRecordKey("1Ki:2^3")).toEqual({ offset: 1024, bytes: 8 });
  expect(() => parseRecordKey("0:4 ")).toThrow(
    "--key: the number of bytes '4 ' is not a whole number from 1",
  );
  expect(() => parseRecordKey("0:0")).toThrow("--key: the number of bytes '0' is not a whole number from 1");
  expect(() => parseRecordKey("9007199254740993:4")).toThrow("--key: the offset '9007199254740993'");
});

it.each(["", "10", "0:", ":4", "-1:4"])("refuses '%s' as the key of a record", (key) => {
  expect(() => parseRecordKey(key)).toThrow(InputError);
  expect(() => parseRecordKey(key)).toThrow(`--key '${key}' is not a key of a record`);
});

it("names the type that the key of a record has not", () => {
  expect(() => parseRecordKey("0:u33")).toThrow(
    "--key '0:u33' is not a key of a record: there is no type u33",
  );
});

it.each(["skipBytes", "record"] as const)("reads %s as a count, and refuses one past 2^53", (option) => {
  const name = { skipBytes: "skipBytes", record: "recordBytes" }[option];
  expect(parseInputArguments({ [option]: "4Ki" })).toMatchObject({ [name]: 4096 });
  expect(parseInputArguments({ [option]: "1e3" })).toMatchObject({ [name]: 1000 });
  for (const text of ["9007199254740993", "2^53", "1e300"]) {
    expect(() => parseInputArguments({ [option]: text })).toThrow(
      / '.*' is not a whole number from . to 2\^53 - 1$/,
    );
  }
});

it.each([
  ["le", "little"],
  ["big-endian", "big"],
  ["bgi", "big"],
])("suggests a byte order for '%s'", (typed, meant) => {
  const hint = `did you mean ${meant}? use one of little, big`;
  expect(() => parseInputArguments({ byteOrder: typed })).toThrow(expect.objectContaining({ hint }));
});
