import { describe, expect, it } from "vitest";
import { readCsvSample } from "../../src/formats/csv.js";
import { orderOfColumns } from "../../src/formats/csv_order.js";
import type { SortColumn } from "../../src/formats/sort_column.js";
import { byteInput } from "../support/bytes.js";

const sampleOf = (
  content: string,
  { name = "a.csv", header = true, separator = undefined as number | undefined } = {},
) => readCsvSample(byteInput(name, Buffer.from(content)), header, separator);

async function orderOf(
  content: string,
  by: readonly SortColumn[],
  options: { readonly header?: boolean; readonly name?: string; readonly separator?: number } = {},
  invalid?: "first" | "last",
) {
  return orderOfColumns([await sampleOf(content, options)], by, { header: options.header ?? true, invalid });
}

describe("the first rows of a CSV file", () => {
  it("are read with quotes, a byte order mark and both line breaks", async () => {
    const content = '\ufeffname,"a ""b"", c",\r\n"two\nlines",2,\r\n\r\nlast,"",x\n';
    expect(await sampleOf(content)).toEqual({
      name: "a.csv",
      separator: 44,
      names: ["name", 'a "b", c', ""],
      rows: [
        ["two\nlines", "2", ""],
        ["last", "", "x"],
      ],
      lines: [3, 5],
    });
  });

  it.each([
    ["a.csv", "a,b;c\n", ","],
    ["a.csv", "a;b;c,d\n1,5;2,5;3\n", ";"],
    ["a.csv", '"a;b;c",d\n', ","],
    ["a", "a\tb c\n", "\t"],
    ["a.tsv", "a,b,c\n", "\t"],
    ["a.csv", "a|b", "|"],
    ["a.csv", "a\n", ","],
  ])("of %s, %j, have the separator %j", async (name, content, separator) => {
    expect((await sampleOf(content, { name })).separator).toBe(separator.charCodeAt(0));
    expect((await sampleOf(content, { name, separator: 58 })).separator).toBe(58);
  });

  it("are a thousand at most, and the last one of a part is left out", async () => {
    expect((await sampleOf(`h\n${"1\n".repeat(5000)}`)).rows).toHaveLength(1000);
    const long = `h,i\n${`${"x".repeat(1 << 12)},1\n`.repeat(400)}`;
    const { rows } = await sampleOf(long);
    expect(rows).toHaveLength(Math.floor(((1 << 20) - 4) / ((1 << 12) + 3)));
    expect(rows.every((row) => row.length === 2)).toBe(true);
  });

  it("may be none", async () => {
    expect(await sampleOf("")).toMatchObject({ names: undefined, rows: [] });
    expect(await sampleOf("a,b")).toMatchObject({ names: ["a", "b"], rows: [] });
  });

  it("are refused if a quote is not closed, or no line ends", async () => {
    await expect(sampleOf('a,b\n1,"2\n')).rejects.toMatchObject({
      name: "InputError",
      message: "a.csv is no CSV: a quote in the row from line 2 on is not closed",
      options: ["by"],
    });
    await expect(sampleOf("x".repeat(1 << 21))).rejects.toThrow("a.csv has no line break in its first MiB");
  });
});

describe("the order by columns", () => {
  const prices = "name,price,when,id\npear,3.50,2024-02-01,007\nfig,,2023-12-31,8\napple,-12,2024-01-15,9\n";

  it("has a key for each column, of a guessed type", async () => {
    const by = [{ column: "price", descending: true }, { column: "when" }, { column: "name" }];
    const { order, text } = await orderOf(prices, by);
    expect(order).toEqual({
      terminator: 10,
      separator: 44,
      quotes: true,
      keys: [
        {
          begin: { field: 1, offset: 0 },
          end: { field: 1 },
          compare: "decimal",
          descending: true,
          invalid: "last",
          required: true,
        },
        {
          begin: { field: 2, offset: 0 },
          end: { field: 2 },
          compare: "date",
          invalid: "last",
          required: true,
        },
        { begin: { field: 0, offset: 0 }, end: { field: 0 }, compare: "bytes", required: true },
      ],
    });
    expect(text).toBe(
      "price as a decimal number (guessed), descending, then when as a date (guessed), then name as text (guessed)",
    );
  });

  it.each([
    ["1\n-2.5\n.5\n", undefined, "decimal"],
    ["1\n99999999999999999999\n", undefined, "decimal"],
    ["1\n2e3\n", undefined, "float"],
    ["1\ninf\n", undefined, "float"],
    ["1\n-NaN\n", undefined, "float"],
    ["1\n+2\n", undefined, "float"],
    ["1\n\n2\n", undefined, "decimal"],
    ["1\nx\n", undefined, "bytes"],
    ["1\n1,5\n", undefined, "bytes"],
    ["x\n", undefined, "bytes"],
    ["", undefined, "bytes"],
    ["2024-01-01\n2023-01-01\n", undefined, "date"],
    ["2024-01-01\n2024-01-01 10:00:00+01\n20240101\n2024-02\n", undefined, "date"],
    ["20240101T1030Z\n20240101T103055,25 -0500\n2024-01-01t10:00z\n", undefined, "date"],
    ["20240101\n20240102\n", undefined, "decimal"],
    ["20240101\n20240102\n", "date", "date"],
    ["2024-01-01\n2024-1-2\n", undefined, "bytes"],
    ["2024-01-01\n1.2.2024\n", "date", "date"],
    ["\n", "date", "date"],
    ["1\nx\n", "number", "decimal"],
    ["1e3\nx\n", "number", "float"],
    ["1\n2\n", "text", "bytes"],
    ["1e3\n", "decimal", "decimal"],
    ["1\n", "float", "float"],
  ])("of the values %j, said to be %s, compares as %s", async (values, type, compare) => {
    const { order } = await orderOf(`v;w\n${values.replaceAll("\n", ";\n")}`, [{ column: "v", type }]);
    expect(order.keys[0]).toMatchObject({ compare });
    expect("invalid" in order.keys[0]!).toBe(compare !== "bytes");
  });

  it("puts what is no number where it is said", async () => {
    const placeOf = async (column: Partial<SortColumn>, invalid?: "first" | "last") =>
      (await orderOf(prices, [{ column: "price", ...column }], {}, invalid)).order.keys[0]!.invalid;
    expect(await placeOf({})).toBe("last");
    expect(await placeOf({ descending: true })).toBe("last");
    expect(await placeOf({}, "first")).toBe("first");
    expect(await placeOf({ nulls: "last" }, "first")).toBe("last");
    expect(await placeOf({ nulls: "first" })).toBe("first");
    // Empty text goes before other text anyway.
    await orderOf(prices, [{ column: "name", nulls: "first" }]);
    await orderOf(prices, [{ column: "name", nulls: "last", descending: true }]);
    await expect(orderOf(prices, [{ column: "name", nulls: "last" }])).rejects.toThrow("cannot go last");
  });

  it("takes columns by their numbers, unless one is named so", async () => {
    const fieldOf = async (content: string, column: string, options = {}) =>
      (await orderOf(content, [{ column }], options)).order.keys[0]!.begin.field;
    expect(await fieldOf(prices, "2")).toBe(1);
    expect(await fieldOf("2,1\na,b\n", "2")).toBe(0);
    expect(await fieldOf("a,b\n", "2", { header: false })).toBe(1);
    expect(await fieldOf("", "2", { header: false })).toBe(1);
  });

  it.each([
    ["prize", {}, "a.csv has no column 'prize'", "did you mean price? use one of name, price, when, id"],
    ["5", {}, "a.csv has no column '5'", "use one of"],
    ["5", { header: false }, "a.csv has 4 columns, so it has no column 5", "name another column"],
    [
      "price",
      { header: false },
      "the column 'price' of a.csv is not known without a header",
      "by their numbers",
    ],
  ])("is refused if it has no column %s with %j", async (column, options, message, hint) => {
    await expect(orderOf(prices, [{ column }], options)).rejects.toMatchObject({
      message,
      hint: expect.stringContaining(hint),
    });
  });

  it("is refused if a column or a type is ambiguous or unknown, or a row is too short", async () => {
    await expect(orderOf("a,b,a\n", [{ column: "a" }])).rejects.toThrow("a.csv has more than one column 'a'");
    await expect(orderOf(prices, [{ column: "id", type: "int" }])).rejects.toThrow(
      "'int' is no type of a column",
    );
    await expect(orderOf(prices, [])).rejects.toThrow("no column to sort by is named");
    await expect(orderOf("a,b\n1,2\n3\n", [{ column: "b" }])).rejects.toThrow(
      "a.csv, line 3: the row has 1 field, so it has no column 'b'",
    );
    await orderOf("a,b\n1,2\n3\n", [{ column: "a" }]);
  });

  it("is guessed from all inputs, which must have the same columns", async () => {
    const [one, two, other, none] = await Promise.all(
      ["v\n1\n", "v\n1e3\n", "w\n1\n", ""].map((content) => sampleOf(content)),
    );
    const by = [{ column: "v" }];
    expect(orderOfColumns([none!, one!, two!], by, { header: true }).order.keys[0]).toMatchObject({
      compare: "float",
    });
    expect(() => orderOfColumns([one!, other!], by, { header: true })).toThrow(
      "a.csv has the columns 'v', but a.csv has 'w'",
    );
  });
});
