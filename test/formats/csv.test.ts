import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CsvMarks, looksLikeHeader, readCsvSample } from "../../src/formats/csv.js";
import { type ColumnOptions, orderOfColumns } from "../../src/formats/csv_order.js";
import { splitCsv } from "../../src/formats/csv_records.js";
import type { SortColumn } from "../../src/formats/sort_column.js";
import { byteInput } from "../support/bytes.js";

const sampleOf = (
  content: string,
  { name = "a.csv", ...style }: Partial<CsvMarks> & { name?: string } = {},
) => readCsvSample(byteInput(name, Buffer.from(content)), style);

async function orderOf(
  content: string,
  by: readonly SortColumn[],
  { name = "a.csv", ...options }: Partial<ColumnOptions> & { name?: string } = {},
) {
  return orderOfColumns([await sampleOf(content, { name })], by, { header: true, ...options });
}

describe("the first records of a CSV file", () => {
  it("are read with quotes, a byte order mark and both line breaks", async () => {
    const content = '\ufeffname,"a ""b"", c",\r\n"two\nlines",2,\r\n\r\nlast,"",é\n';
    expect(await sampleOf(content)).toEqual({
      name: "a.csv",
      separator: 44,
      isGuessed: true,
      terminator: 10,
      ends: 10,
      records: [
        { row: 1, fields: ["name", 'a "b", c', ""] },
        { row: 2, fields: ["two\nlines", "2", ""] },
        { row: 4, fields: ["last", "", "é"] },
      ],
    });
  });

  it("are those that csv-parse finds", () => {
    const field = fc.constantFrom(
      "",
      "a",
      "b c",
      "1",
      '"q"',
      '"a,b"',
      '"a\nb"',
      '"say ""x"""',
      'in"ner',
      "\r",
      '"x\r\n"',
    );
    const rows = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
    fc.assert(
      fc.property(rows, fc.constantFrom("\n", "\r\n"), fc.boolean(), (records, end, ends) => {
        // csv-parse takes a carriage return at the end of a row for another end of it.
        const text =
          records.map((fields) => fields.join(",").replace(/\r+$/, "")).join(end) + (ends ? end : "");
        const expected = parse(text, {
          record_delimiter: ["\r\n", "\n"],
          relax_column_count: true,
          relax_quotes: true,
        }) as string[][];
        const { records: found } = splitCsv(text, { separator: ",", terminator: "\n" }, 1000);
        expect(found.map(({ fields }) => fields)).toEqual(
          expected.filter((one) => one.length > 1 || one[0] !== ""),
        );
      }),
      { numRuns: 250 },
    );
  });

  it.each([
    ["a.csv", "a,b;c\n", ","],
    ["a.csv", "a;b;c,d\n1,5;2,5;3\n", ";"],
    ["a.csv", '"a;b;c",d\n', ","],
    ["a", "a\tb c\n", "\t"],
    ["a.tsv", "a,b,c\n", "\t"],
    ["a.tsv.gz", "a,b,c\n", "\t"],
    ["a.csv", "a|b", "|"],
    ["a.csv", "a\n", ","],
    ["a.csv", "", ","],
    // Many records say what the first line does not.
    ["a.csv", `a,b,c,d;e\n${"1;2\n".repeat(9)}`, ";"],
    ["a.csv", `title\na;b\n${"1,2;3\n4;5\n".repeat(9)}`, ";"],
    ["a.csv", `${'"x\n;;",y\n'.repeat(9)}z,w\n`, ","],
    // Numbers tell bytes apart that are there equally often.
    ["a.csv", "1,5;2,5\n3,5;4,5\n", ";"],
    ["a.csv", "1,x;y,3\n4,z;w,6\n", ","],
  ])("of %s, %j, have the separator %j", async (name, content, separator) => {
    const sample = await sampleOf(content, { name });
    expect(sample.separator).toBe(separator.charCodeAt(0));
    expect(sample.isGuessed).toBe(!name.includes(".tsv"));
  });

  it("have the separator that is named", async () => {
    expect(await sampleOf("a,b#c\n", { separator: 35 })).toMatchObject({
      isGuessed: false,
      records: [{ fields: ["a,b", "c"] }],
    });
  });

  it("end with carriage returns alone, as of old Macs", async () => {
    expect(await sampleOf('a,b\r"1\n",2\r3,4')).toMatchObject({
      terminator: 13,
      records: [{ fields: ["a", "b"] }, { fields: ["1\n", "2"] }, { fields: ["3", "4"] }],
    });
    expect(await sampleOf("a\rb\nc")).toMatchObject({ terminator: 10 });
    expect(await sampleOf("a\r\nb\r\n")).toMatchObject({ terminator: 10 });
    expect(await sampleOf('a,in"ch\r\n"1\r2",3\r\n')).toMatchObject({ terminator: 10 });
    expect(await sampleOf('5",x\r"6"";\n",y\r')).toMatchObject({ terminator: 13 });
  });

  it("may be longer than what is looked at first, and are at most a thousand", async () => {
    const long = "x".repeat(3 << 20);
    const { records } = await sampleOf(`"${long}\n",b\n1,2\n`);
    expect(records.map(({ fields }) => fields[0]!.length)).toEqual([long.length + 1, 1]);
    const many = await sampleOf("1,2\n".repeat(400_000));
    expect(many.records.length).toBe(1001);
    const cut = await sampleOf(`${`1,${"y".repeat(3000)}\n`.repeat(400)}`);
    expect(cut.records.length).toBe(349); // as many as the first MiB holds whole
  });

  it.each([
    ['a\n"b\n', "a.csv: a quote in row 2 is not closed"],
    ['a\n"b"c\n', "a.csv: row 2 has text after the closing quote of a field"],
  ])("are refused if quotes are wrong: %j", async (content, message) => {
    await expect(sampleOf(content)).rejects.toThrow(message);
  });

  it.each([
    ["name,price\na,1\nb,\n", true],
    ["name,when\na,2024-01-01\n", true],
    ["name,price\na,1\nb,x\n", false],
    ["a,1\nb,2\n", false],
    ["a,a\n1,2\n", false],
    ["a,\n1,2\n", false],
    ["a,nan\n1,2\n", false],
    ["a,b\n", false],
    ["", false],
  ])("look like a header or not: %j", async (content, expected) => {
    expect(looksLikeHeader(await sampleOf(content))).toBe(expected);
  });
});

describe("the order by columns", () => {
  const prices = "name,price,when,id\npear,3.50,2024-02-01,007\nfig,,2023-12-31,8\napple,-12,2024-01-15,9\n";

  it("has a key for each column, of a guessed type", async () => {
    const by = [{ column: "price", descending: true }, { column: "when" }, { column: "name" }];
    const { order, text } = await orderOf(prices, by);
    const guessed = { invalid: "last", guessed: true, required: true };
    expect(order).toEqual({
      terminator: 10,
      separator: 44,
      quotes: true,
      keys: [
        {
          begin: { field: 1, offset: 0 },
          end: { field: 1 },
          compare: "number",
          descending: true,
          ...guessed,
          name: "price",
        },
        { begin: { field: 2, offset: 0 }, end: { field: 2 }, compare: "date", ...guessed, name: "when" },
        { begin: { field: 0, offset: 0 }, end: { field: 0 }, compare: "bytes", required: true, name: "name" },
      ],
    });
    expect(text).toBe(
      "price as a number (guessed), descending, then when as a date (guessed), then name as text (guessed)",
    );
  });

  it.each([
    ["1\n-2.5\n.5\n", undefined, "number"],
    ["1\n99999999999999999999\n", undefined, "number"],
    ["1\n2e3\n+7\n-inf\nInfinity\n00501\n", undefined, "number"],
    ["1\n-NaN\n", undefined, "number"],
    ["1\n\n2\n", undefined, "number"],
    ["1\nx\n", undefined, "bytes"],
    ["1\n1,5\n", undefined, "bytes"],
    ["1e9999999999999999999\n", undefined, "bytes"],
    ["0x10\n", undefined, "bytes"],
    ["x\n", undefined, "bytes"],
    ["", undefined, "number"],
    ["\n\n", undefined, "number"],
    ["2024-01-01\n2023-01-01\n", undefined, "date"],
    ["2024-01-01\n2024-01-01 10:00:00+01\n20240101\n2024-02\n", undefined, "date"],
    ["20240101T1030Z\n20240101T103055,25 -0500\n2024-01-01t10:00z\n", undefined, "date"],
    ["20240101\n20240102\n", undefined, "number"],
    ["20240101\n20240102\n", "date", "date"],
    ["2024-01-01\n2024-1-2\n", undefined, "bytes"],
    ["2024-01-01\n1.2.2024\n", "date", "date"],
    ["\n", "date", "date"],
    ["1\nx\n", "number", "number"],
    ["1\n2\n", "text", "bytes"],
  ])("of the values %j, said to be %s, compares as %s", async (values, type, compare) => {
    const { order } = await orderOf(`v;w\n${values.replaceAll("\n", ";\n")}`, [{ column: "v", type }]);
    const [key] = order.keys;
    expect(key).toMatchObject({ compare });
    expect("invalid" in key!).toBe(compare !== "bytes");
    expect(key!.guessed ?? false).toBe(type === undefined && compare !== "bytes");
  });

  it("takes words for no value, and numbers in other forms", async () => {
    const by = [{ column: "v" }];
    expect((await orderOf("v;w\nNA;\n1;\n", by, { nullWords: ["NA"] })).order.keys[0]).toMatchObject({
      compare: "number",
      nullWords: ["NA"],
    });
    const form = { point: 44, thousands: 46 };
    const values = "v;w\n1.234,5;\n-0,5e3;\n";
    expect((await orderOf(values, by, { form })).order.keys[0]).toMatchObject({ compare: "number", form });
    const { order, text } = await orderOf(values, by);
    expect(order.keys[0]).toMatchObject({ compare: "bytes" });
    expect(text).toBe(
      "v as text (guessed; with a decimal comma and points between thousands its values are numbers)",
    );
    const comma = { form: { point: 44 } };
    expect((await orderOf(values, by, comma)).text).toContain("(guessed; with points between thousands its");
    expect((await orderOf('v\n"1,5"\n', by)).text).toContain("(guessed; with a decimal comma its values");
    expect((await orderOf('v\n"1,234"\n"1,234,567.5"\n', by)).text).toMatch("with commas between thousands");
  });

  it("widens when a value is not what was guessed, and says which", async () => {
    const misfit = (key: number, value: string) => ({
      input: "b.csv",
      row: 69_999,
      key,
      value: Buffer.from(value),
    });
    const by = [{ column: "a" }, { column: "b", descending: true }];
    const first = await orderOf("a,b\n20240101,1\n", by);
    const dates = first.widen(misfit(0, "2024-01-02"));
    expect(dates.order.keys.map(({ compare }) => compare)).toEqual(["date", "number"]);
    const texts = dates.widen(misfit(0, "N/A")).widen(misfit(1, "N/A"));
    expect(texts.order.keys).toEqual([
      { begin: { field: 0, offset: 0 }, end: { field: 0 }, compare: "bytes", required: true, name: "a" },
      {
        begin: { field: 1, offset: 0 },
        end: { field: 1 },
        compare: "bytes",
        required: true,
        descending: true,
        name: "b",
      },
    ]);
    const why = (type: string) =>
      `(guessed, as row 70000 of b.csv holds 'N/A'; :${type} sorts the others as ${type}s)`;
    expect(texts.text).toBe(`a as text ${why("date")}, then b as text ${why("number")}, descending`);
    expect(texts.columns.map(({ reading }) => reading.what)).toEqual(["text", "text"]);
    // What a value seems to be by its characters may be none, such as the 30th of February.
    expect(dates.widen(misfit(0, "2024-02-30")).order.keys[0]).toMatchObject({ compare: "bytes" });
    // The same is said where the first rows show it.
    expect((await orderOf("v\n1\n2\nN/A\n", [{ column: "v" }])).text).toBe(
      "v as text (guessed, as row 4 of a.csv holds 'N/A'; :number sorts the others as numbers)",
    );
  });

  it("puts what is no number where it is said", async () => {
    const placeOf = async (column: Partial<SortColumn>, invalid?: "first" | "last") =>
      (await orderOf(prices, [{ column: "price", ...column }], { invalid })).order.keys[0]!.invalid;
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
    await expect(orderOf("a,b\n", [{ column: "2", named: true }])).rejects.toThrow("no column '2'");
    expect(await fieldOf("", "2", { header: false })).toBe(1);
    expect(await fieldOf('"a\nb",c\n1,2\n', "a\nb")).toBe(0);
  });

  it.each<[string, { content?: string; header?: boolean }, string, string]>([
    [
      "prize",
      {},
      "a.csv has no column 'prize' in its header",
      "did you mean price? use one of name, price, when, id",
    ],
    ["5", {}, "a.csv has no column '5' in its header", "use one of"],
    ["5", { header: false }, "a.csv has 4 columns, so it has no column 5", "name another column"],
    ["a", { content: "x,2019\n" }, "a.csv has no column 'a' in its header", 'use one of x, "2019"'],
    [
      "2019",
      { content: "x,2019\n", header: false },
      "a.csv has 2 columns, so it has no column 2019",
      "if its first line is a header, which has that name, say so",
    ],
    [
      "a",
      { content: Array.from({ length: 30 }, (_, i) => `c${i}`).join() },
      "a.csv has no column 'a' in its header",
      "c18, c19, and 10 more",
    ],
    [
      "total",
      { content: `${Array.from({ length: 30 }, (_, i) => `c${i}`).join()},totals` },
      "a.csv has no column 'total' in its header",
      "did you mean totals? use one of c0, ",
    ],
    [
      "price",
      { header: false },
      "the column 'price' of a.csv is not known without a header",
      "by their numbers",
    ],
  ])(
    "is refused if it has no column %s with %j",
    async (column, { content = prices, ...options }, message, hint) => {
      await expect(orderOf(content, [{ column }], options)).rejects.toMatchObject({
        message,
        hint: expect.stringContaining(hint),
      });
    },
  );

  it("is refused if its first line only tells Excel what separates fields", async () => {
    for (const line of ["sep=;\n", "sep=;\r\n", '"sep=;"\n', "SEP=;\r", "\ufeffsep=;\n"]) {
      await expect(orderOf(`${line}a;b\n1;2\n`, [{ column: "a" }])).rejects.toMatchObject({
        message: "a.csv begins with a line that only tells Excel what separates fields, 'sep=;'",
        hint: expect.stringContaining("tail -n +2 a.csv > rows.csv"),
        options: ["format"],
      });
    }
    for (const line of ["sep=\n", "sep=;;\n", "sep=5,b\n", "x\nsep=;\n"])
      await expect(orderOf(line, [{ column: "1" }])).resolves.toBeDefined();
  });

  it("is refused if a column or a type is ambiguous or unknown, or a row is too short", async () => {
    await expect(orderOf("a,b,a\n", [{ column: "a" }])).rejects.toThrow("a.csv has more than one column 'a'");
    await expect(orderOf("\na,b\n1,2\n", [{ column: "a" }])).rejects.toThrow(
      "a.csv begins with an empty line",
    );
    await expect(orderOf(prices, [{ column: "id", type: "int" }])).rejects.toThrow(
      "'int' is no type of a column",
    );
    for (const type of ["decimal", "float"]) {
      await expect(orderOf(prices, [{ column: "id", type }])).rejects.toMatchObject({
        message: `'${type}' is no type of a column of a.csv`,
        hint: expect.stringContaining("write number"),
      });
    }
    await expect(orderOf(prices, [])).rejects.toThrow("no column to sort by is named");
    await expect(orderOf("a,b\n1,2\n3\n", [{ column: "b" }])).rejects.toMatchObject({
      message: "a.csv: row 3 has 1 field, so it has no column 'b'",
      hint: expect.stringMatching(/name the byte that separates columns.*first or last/),
      options: ["rows", "invalid"],
    });
    await orderOf("a,b\n1,2\n3\n", [{ column: "a" }]);
  });

  it("is guessed from all inputs, which must have the same columns", async () => {
    const [one, two, other, none] = await Promise.all(
      ["v\n1\n", "v\nx\n", "w\n1\n", ""].map((content) => sampleOf(content)),
    );
    const by = [{ column: "v" }];
    expect(orderOfColumns([none!, one!, two!], by, { header: true }).order.keys[0]).toMatchObject({
      compare: "bytes",
    });
    expect(() => orderOfColumns([one!, other!], by, { header: true })).toThrow(
      "a.csv has the columns 'v', but a.csv has 'w'",
    );
    const [semicolons, commas] = await Promise.all([
      sampleOf("v;w\n1;2\n"),
      sampleOf("v,w\n1,2\n", { separator: 59 }),
    ]);
    expect(() => orderOfColumns([semicolons, commas], by, { header: true })).toThrow(
      "a.csv has the columns 'v;w', but a.csv has 'v,w', without ';'",
    );
  });
});
