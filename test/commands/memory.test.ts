import { totalmem } from "node:os";
import { expect, it } from "vitest";
import { defaultMemory, parseMemory } from "../../src/commands/memory.js";
import { InputError } from "../../src/errors.js";

it.each([
  ["1", 1024],
  ["100b", 100],
  ["3K", 3072],
  ["3k", 3072],
  ["1.5M", 1_572_864],
  ["2G", 2 ** 31],
  ["1T", 2 ** 40],
])("an amount of memory, %s, is %i bytes, as sort(1) has it", (text, bytes) => {
  expect(parseMemory(text)).toBe(bytes);
});

it("a share of memory is of the machine's, and what is used unasked is less than that", () => {
  expect(parseMemory("100%")).toBeLessThanOrEqual(totalmem());
  expect(parseMemory("50%")).toBe(Math.floor(parseMemory("100%") / 2));
  expect(defaultMemory()).toBeGreaterThan(0);
  expect(defaultMemory()).toBeLessThan(totalmem());
});

it.each(["", "M", "-1", "0", "0b", "1X", "1e3", "10 M", "999999999T"])("'%s' is none", (text) => {
  expect(() => parseMemory(text)).toThrow(InputError);
  expect(() => parseMemory(text)).toThrow(`--memory '${text}' is no amount of memory`);
});
