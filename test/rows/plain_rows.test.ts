import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRowOrder } from "../../src/commands/sort/line_keys.js";
import type { RowOrder } from "../../src/rows/order/row_order.js";
import { sortByGnu, withGnuSort } from "../support/gnu_sort.js";
import { keyOf, rowComparison, rowsOf, sortPlainly } from "../support/plain_rows.js";
import { lineKey, readableByGnu, someRows } from "../support/row_cases.js";

describe("the reference for rows", () => {
  withGnuSort.it("sorts as GNU sort does", async () => {
    const runs = Number(process.env.GPUSORT_ROW_RUNS ?? 400);
    await fc.assert(
      fc.property(someRows, fc.array(lineKey, { maxLength: 3 }), fc.boolean(), (some, keys, unique) => {
        const { separator, zeroTerminated } = some;
        const text = readableByGnu(some.text, keys);
        const order = parseRowOrder({ key: keys, fieldSeparator: separator, zeroTerminated }) ?? plain;
        const args = [
          "-s",
          ...keys.flatMap((key) => ["-k", key]),
          ...(separator === undefined ? [] : ["-t", separator]),
          ...(zeroTerminated ? ["-z"] : []),
          ...(unique ? ["-u"] : []),
        ];
        const [mine, gnu] = [sortPlainly([text], order, { unique }), sortByGnu(args, text)];
        expect([args, mine.toString("latin1")]).toEqual([args, gnu.toString("latin1")]);
      }),
      { numRuns: runs },
    );
  });

  withGnuSort.it("puts a NaN before numbers, and after what is no number", () => {
    const text = Buffer.from("1\nNaN\n-inf\nx\n");
    const order = parseRowOrder({ generalNumericSort: true })!;
    expect(sortPlainly([text], order).toString()).toBe("x\nNaN\n-inf\n1\n");
    expect(sortByGnu(["-sg"], text).toString()).toBe("x\nNaN\n-inf\n1\n");
  });

  const csv: RowOrder = { terminator: 10, separator: 44, quotes: true, keys: [] };

  it("tells rows with quotes apart", () => {
    const text = Buffer.from('a,"b\nc",d\r\n"x ""y""",,\n\n1"2,3"\n"",\n');
    const rows = rowsOf(text, csv);
    expect(rows.map(String)).toEqual(['a,"b\nc",d\r', '"x ""y""",,', "", '1"2,3"', '"",']);
    const field = (row: number, at: number) =>
      keyOf(
        rows[row]!,
        { begin: { field: at, offset: 0 }, end: { field: at }, compare: "bytes" },
        csv,
      ).toString();
    expect([0, 1, 2, 3].map((at) => field(0, at))).toEqual(["a", "b\nc", "d", ""]);
    expect([0, 1].map((at) => field(1, at))).toEqual(['x "y"', ""]);
    expect([0, 1].map((at) => field(3, at))).toEqual(['1"2', '3"']);
    expect(() => rowsOf(Buffer.from('a,"b\n'), csv)).toThrow("the quote in row 1 is not closed");
  });

  it("is an order: turned around, a comparison has the other sign, and what goes before goes before", () => {
    fc.assert(
      fc.property(
        someRows,
        fc.array(lineKey, { maxLength: 2 }),
        ({ text, separator, zeroTerminated }, key) => {
          const order = parseRowOrder({ key, fieldSeparator: separator, zeroTerminated }) ?? plain;
          const compare = rowComparison(order);
          const rows = rowsOf(text, order).slice(0, 8);
          const before = (a: Buffer, b: Buffer) => compare(a, b) <= 0;
          for (const a of rows) {
            for (const b of rows) {
              expect(Math.sign(compare(b, a))).toBe(0 - Math.sign(compare(a, b)));
              for (const c of rows) if (before(a, b) && before(b, c)) expect(before(a, c)).toBe(true);
            }
          }
        },
      ),
    );
  });

  it("puts what is no number first or last, in either direction", () => {
    const text = Buffer.from("2\n\nx\n-1\n10\n");
    const sorted = (invalid: "first" | "last", descending: boolean) => {
      const key = { begin: { field: 0, offset: 0 }, compare: "decimal", invalid, descending } as const;
      return sortPlainly([text], { ...csv, quotes: false, keys: [key] })
        .toString()
        .split("\n")
        .slice(0, -1);
    };
    expect(sorted("first", false)).toEqual(["", "x", "-1", "2", "10"]);
    expect(sorted("first", true)).toEqual(["", "x", "10", "2", "-1"]);
    expect(sorted("last", false)).toEqual(["-1", "2", "10", "", "x"]);
    expect(sorted("last", true)).toEqual(["10", "2", "-1", "", "x"]);
  });

  it("keeps the header of the first text, and leaves out those of the others", () => {
    const texts = ["h\nb\na\n", "h\nc"].map((text) => Buffer.from(text));
    expect(sortPlainly(texts, { ...csv, quotes: false }, { header: true }).toString()).toBe("h\na\nb\nc\n");
  });
});

const plain: RowOrder = { terminator: 10, separator: undefined, quotes: false, keys: [] };
