import { describe, expect, it } from "vitest";
import { parseBy, parseColumnOrder } from "../../../src/commands/sort/by.js";
import type { InputError } from "../../../src/core/errors.js";

describe("--by", () => {
  it("compares text of all columns without regard to case, if -f says so", () => {
    expect(parseColumnOrder({ by: ["a,b:desc"], ignoreCase: true }).by).toEqual([
      { column: "a", ignoreCase: true },
      { column: "b", descending: true, ignoreCase: true },
    ]);
    expect(parseColumnOrder({ by: ["a"] }).by).toEqual([{ column: "a" }]);
    expect(parseColumnOrder({ ignoreCase: true }).by).toBeUndefined();
  });

  it.each([
    [["a"], [{ column: "a" }]],
    [["pickup:desc,fare"], [{ column: "pickup", descending: true }, { column: "fare" }]],
    [
      ["a:nulls-first:DESC", "b:asc"],
      [
        { column: "a", nulls: "first", descending: true },
        { column: "b", descending: false },
      ],
    ],
    [["a:i64,2"], [{ column: "a", type: "i64" }, { column: "2" }]],
    [
      ['"a,b:c":desc,"say ""x"""'],
      [
        { column: "a,b:c", named: true, descending: true },
        { column: 'say "x"', named: true },
      ],
    ],
    [['""'], [{ column: "", named: true }]],
    [['"2020",2'], [{ column: "2020", named: true }, { column: "2" }]],
  ])("reads %j", (texts, columns) => {
    expect(parseBy(texts)).toEqual(columns);
  });

  it.each([
    "",
    "a,",
    ",a",
    "a:",
    "a::desc",
    '"a',
    '"a"b',
    "a:desc:asc",
    "a:nulls-first:nulls-last",
    "a:u8:i8",
  ])("refuses %j", (text) => {
    expect(() => parseBy([text])).toThrow(/^--by '.*' names no columns: /);
  });

  it.each([
    ['"a', "a quote is not closed"],
    ['b,"a""', "a quote is not closed"],
    ['"a"b', "text follows a closing quote"],
    ['b,"a""":text,"c"d', "text follows a closing quote"],
    ["a,", "a column has no name"],
    ["a:decs", "'decs' says nothing of a column"],
    ["a:dsc:nulls-first", "'dsc' says nothing of a column"],
    ["a:nulls-frist", "'nulls-frist' says nothing of a column"],
  ])("says what is wrong with %j", (text, why) => {
    expect(() => parseBy([text])).toThrow(`names no columns: ${why}`);
  });

  it("asks whether a word was meant that a mistyped one is nearest to", () => {
    const error = (text: string) => {
      try {
        return parseBy([text]);
      } catch (reason) {
        return (reason as InputError).hint;
      }
    };
    expect(error("a:decs")).toBe("did you mean desc?");
    expect(error("a:null-last")).toBe("did you mean nulls-last?");
    expect(error("a:dates")).toEqual([{ column: "a", type: "dates" }]); // the library says what is wrong
  });
});
