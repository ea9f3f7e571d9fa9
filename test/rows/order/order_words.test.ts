import { describe, expect, it } from "vitest";
import { parsedKeyCount } from "../../../src/rows/order/order_words.js";
import type { RowKey } from "../../../src/rows/order/row_order.js";

const row: RowKey = { begin: { field: 0, offset: 0 }, compare: "bytes" };

describe("keys that have to be found in rows", () => {
  it.each<[string, readonly RowKey[], number]>([
    ["whole rows", [], 0],
    ["whole rows in reverse", [{ ...row, descending: true }], 0],
    ["rows as numbers", [{ ...row, compare: "decimal" }], 1],
    ["rows in upper case", [{ ...row, foldCase: true }], 1],
    ["rows without punctuation", [{ ...row, ignore: "punctuation" }], 1],
    ["rows after their blanks", [{ ...row, begin: { field: 0, offset: 0, skipBlanks: true } }], 1],
    ["a field, then the row", [{ ...row, begin: { field: 1, offset: 0 }, end: { field: 1 } }, row], 1],
    [
      "the first field, then the rest",
      [
        { ...row, end: { field: 0 } },
        { ...row, begin: { field: 1, offset: 0 } },
      ],
      2,
    ],
  ])("of %s", (_, keys, count) => {
    expect(parsedKeyCount({ terminator: 10, separator: 44, quotes: false, keys })).toBe(count);
  });
});
