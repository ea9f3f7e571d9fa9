import { expect, it } from "vitest";
import { foldLines } from "../../src/report/fold.js";

it.each([
  ["short\nlines\n", 8, "short\nlines\n"],
  ["a line of words\n", 8, "a line\n  of\n  words\n"],
  ["  an indented line", 12, "  an\n    indented\n    line"],
  ["see /a/long/path.json there", 10, "see\n  /a/long/path.json\n  there"],
  ["", 8, ""],
])("long lines are broken between words: %j", (text, columns, folded) => {
  expect(foldLines(text, columns)).toBe(folded);
});
