import { describe, expect, it } from "vitest";
import { fit, foldLines, textWidth } from "../../src/report/fit.js";

describe("a text for a number of columns", () => {
  it.each([
    ["short", 5, "short"],
    ["abcdefghij", 10, "abcdefghij"],
    ["abcdefghij", 9, "abcd…ghij"],
    ["abcdefghij", 4, "ab…j"],
    ["abcdefghij", 1, "…"],
    ["abcdefghij", 0, ""],
    ["数字数字数字.u32", 11, "数字…字.u32"],
    ["👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦.u32", 8, "👩‍👩‍👧‍👦👩‍👩‍👧‍👦…u32"],
    ["e\u0301e\u0301e\u0301e\u0301e\u0301", 3, "e\u0301…e\u0301"],
  ])("%j in %i is %j", (text, columns, fitted) => {
    expect(fit(text, columns)).toBe(fitted);
    expect(textWidth(fitted)).toBeLessThanOrEqual(columns);
  });
});

it.each([
  ["short\nlines\n", 8, "short\nlines\n"],
  ["a line of words\n", 8, "a line\n  of\n  words\n"],
  ["  an indented line", 12, "  an\n    indented\n    line"],
  ["see /a/long/path.json there", 10, "see\n  /a/long/path.json\n  there"],
  ["", 8, ""],
])("long lines are broken between words: %j", (text, columns, folded) => {
  expect(foldLines(text, columns)).toBe(folded);
});
