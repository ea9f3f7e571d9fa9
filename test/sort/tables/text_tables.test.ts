import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { afterAll, describe, expect, it } from "vitest";
import { InputError } from "../../../src/core/errors.js";
import { sortFile } from "../../../src/sort/sort_file.js";
import { columnsOf, rowsOf, writeParquet } from "../../support/duckdb.js";

const folder = mkdtempSync(join(tmpdir(), "gpusort-text-tables-"));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

/** Sorts a text by its column i. @returns the columns of the Parquet file, and its rows. */
async function sorted(name: string, text: string | Buffer) {
  writeFileSync(at(name), text);
  await sortFile(at(name), at("out.parquet"), { by: [{ column: "i" }], header: name.includes(".csv") });
  return { columns: await columnsOf(at("out.parquet")), rows: await rowsOf(at("out.parquet")) };
}

const refused = async (name: string, text: string): Promise<string> => {
  const error = await sorted(name, text).then(
    () => expect.fail("it was not refused"),
    (error) => error,
  );
  expect(error).toBeInstanceOf(InputError);
  expect(error.message).not.toContain("\n");
  return error.message;
};

describe("a column of CSV", () => {
  it("has the type that all of its values are written as", async () => {
    const cases = [
      ["BOOLEAN", ["true", "false", ""]],
      ["BIGINT", ["9223372036854775807", "-9223372036854775808", "0"]],
      ["DECIMAL(38,0)", ["18446744073709551615", "-1"]],
      ["DOUBLE", ["1", "1.50", "-0.0", "1e300"]],
      ["DATE", ["2020-01-01", "1969-12-31"]],
      ["TIMESTAMP", ["2020-01-01 00:00:00", "2020-01-01 00:00:00.5"]],
      ["VARCHAR", ["00501", "1"]],
      ["VARCHAR", ["0.12345678901234567890", "1"]],
      ["VARCHAR", ["1e999", "1"]],
      ["VARCHAR", ["", ""]],
      ["VARCHAR", ["infinity", "-infinity"]],
      ["VARCHAR", ["infinity", "2020-01-01"]],
      ["VARCHAR", ["2020-01-01", "n/a"]],
      ["VARCHAR", ["2020-01-01 00:00:00", "n/a"]],
      ["VARCHAR", ["true", "n/a"]],
      ["VARCHAR", ["1.5", "n/a"]],
      ["VARCHAR", ["5", "n/a"]],
    ] as const;
    const rowOf = (i: number) => [3 - i, ...cases.map(([, values]) => values[i] ?? values[1])];
    const text = [["i", ...cases.keys()], rowOf(0), rowOf(1), rowOf(2)].map((row) => `${row.join(",")}\n`);
    const { columns, rows } = await sorted("a.csv", text.join(""));
    expect(columns.slice(1)).toEqual(cases.map(([type], i) => `${i} ${type}`));
    for (const [i, [type]] of cases.entries()) {
      if (type !== "VARCHAR") continue;
      expect(rows.map((row) => row[i + 1] ?? "")).toEqual([2, 1, 0].map((at) => rowOf(at)[i + 1]));
    }
  });

  it("has it by the last of many values, too", async () => {
    const count = 70_000; // more than are sampled
    const last = ["1", "1.5", "n/a", "2020-01-01", "7", "", "x"];
    const rows = Array.from({ length: count }, (_, i) => [i, ...last.map((_, at) => (at < 4 ? i : ""))]);
    const text = ["i,a,b,c,d,e,f,g", ...rows, [count, ...last]].map((row) => `${row}\n`).join("");
    expect((await sorted("many.csv", text)).columns).toEqual([
      "i BIGINT",
      "a BIGINT",
      "b DOUBLE",
      "c VARCHAR",
      "d VARCHAR",
      "e BIGINT",
      "f VARCHAR",
      "g VARCHAR",
    ]);
  });

  it("is one of a thousand", async () => {
    const values = ["5", "2.5", "x", "2020-01-01", ""];
    const names = Array.from({ length: 1000 }, (_, i) => (i === 0 ? "i" : `c${i}`));
    const { columns } = await sorted("wide.csv", `${names}\n${names.map((_, i) => values[i % 5])}\n`);
    const types = ["BIGINT", "DOUBLE", "VARCHAR", "DATE", "VARCHAR"];
    expect(columns).toEqual(names.map((name, i) => `${name} ${types[i % 5]}`));
  });

  it("is in a text with a byte order mark, and without blank lines", async () => {
    expect((await sorted("a.csv", "\u{feff}i,x\n2,a\n\n1,b\n")).rows).toEqual([
      ["1", "b"],
      ["2", "a"],
    ]);
  });

  it.each([
    ["i,I\n1,2\n", "or the same as another one: 'I'"],
    ["i,a\0b\n1,2\n", "a column has no name, a zero byte in it"],
    ["i,\n1,2\n", "a column has no name"],
    ["i,x\n1,2\n3\n", "line 3: 1 columns instead of 2"],
  ])("is refused where it is lost otherwise: %j", async (text, problem) => {
    expect(await refused("a.csv", text)).toContain(problem);
  });

  it.each([
    ["a.csv.gz", "i;x\n2;a\n1;b\n"],
    ["a.csv.gz", "i,x\n2,a\n1,b\n"],
    ["a.tsv.gz", "i\tx\n2\ta\n1\tb\n"],
  ])("is told by the text in a packed file: %s %j", async (name, text) => {
    const by = [{ column: "i" }];
    writeFileSync(at(name), gzipSync(text));
    await sortFile(at(name), at("out.parquet"), { by, header: true });
    expect(await columnsOf(at("out.parquet"))).toEqual(["i BIGINT", "x VARCHAR"]);
    expect(await rowsOf(at("out.parquet"))).toEqual([
      ["1", "b"],
      ["2", "a"],
    ]);
  });

  it("may hold lines that look like rows, in a file that threads could read in parts", async () => {
    const field = "12,abc\n".repeat(300);
    const rows = Array.from({ length: 20_000 }, (_, i) => `${20_000 - i},"${field}"\n`);
    const { rows: sortedRows } = await sorted("quoted.csv", `i,x\n${rows.join("")}`);
    expect(sortedRows).toHaveLength(20_000);
    expect(sortedRows.every(([i, x], at) => i === `${at + 1}` && x === field)).toBe(true);
  });

  it.each([
    ["rows that end otherwise than lines in quotes", 'i,"x\ny"\r\n2,a\r\n1,"b\r\nc"\r\n'],
    ["rows that end in two ways", "i,x\n2,a\r\n1,b\n"],
    ["blanks around quotes", 'i,x\n2, "a"\n1,\t"b" c\n'],
    ["quotes within fields", 'i,in"ch\r\n2,5"\r\n1,"a\rb"\r\n'],
    ["a byte order mark before a quote", '\u{feff}"i",x\n2,"a"\n1,""\n'],
  ])("has the values that csv-parse finds: %s", async (_, text) => {
    const [names, ...rows] = parse(text, { bom: true, record_delimiter: ["\r\n", "\n"], relax_quotes: true });
    const found = await sorted("odd.csv", text);
    expect(found.columns).toEqual([`${names![0]} BIGINT`, `${names![1]} VARCHAR`]);
    expect(found.rows).toEqual(rows.toReversed());
  });

  it.each([
    ["is not closed", '1,"open\n2,x\n', "a quote in row 100002 is not closed"],
    ["has text behind it", '1,"x" \n', "row 100002 has text after the closing quote of a field"],
  ])("is refused where a quote far down %s", async (_, end, problem) => {
    expect(await refused("long.csv", `i,x\n${"1,abcdefghij\n".repeat(100_000)}${end}`)).toContain(problem);
  });

  it.each([
    ["i,x\n2,caf\u{e9}\n", "is not UTF-8, as texts of Parquet are: line 2"],
    ["i,caf\u{e9}\n2,x\n", "the name of the column 'caf\u{fffd}' is not UTF-8"],
  ])("is refused with a way to convert it if it is not UTF-8: %j", async (text, problem) => {
    const error = await sorted("latin1.csv", Buffer.from(text, "latin1")).catch((error) => error);
    expect(error.message).toContain(problem);
    expect(error.hint).toContain("iconv");
  });

  it("has no header in a file that begins with a blank line", async () => {
    expect(await refused("a.csv", "\ni,x\n1,2\n")).toContain("begins with an empty line");
  });

  it("needs no more memory than other tables", async () => {
    writeFileSync(at("a.csv"), "i,x\n2,a\n1,b\n");
    const options = { by: [{ column: "i" }], memoryBytes: 128 << 20 };
    await sortFile(at("a.csv"), at("out.parquet"), { ...options, header: true });
    await sortFile(at("out.parquet"), at("out.csv"), { ...options, descending: true });
    expect(readFileSync(at("out.csv"), "utf8")).toBe("i,x\n2,a\n1,b\n");
    writeFileSync(at("a.csv"), `i,x\n2,a\n1,${"b".repeat(5 << 20)}\n`);
    const long = sortFile(at("a.csv"), at("out.parquet"), { ...options, header: true });
    await expect(long).rejects.toThrow("line 3: Maximum line size of 4194304 bytes exceeded");
  });

  it("is the same beside an empty file", async () => {
    writeFileSync(at("a.csv"), "i,x\n2,a\n1,b\n");
    writeFileSync(at("empty.csv"), "");
    for (const files of [
      ["a.csv", "empty.csv"],
      ["empty.csv", "a.csv"],
    ].map((names) => names.map(at))) {
      await sortFile(files, at("out.parquet"), { by: [{ column: "i" }], header: true });
      expect(await columnsOf(at("out.parquet"))).toEqual(["i BIGINT", "x VARCHAR"]);
    }
  });

  it("differs from another file's", async () => {
    writeFileSync(at("b.csv"), "i,y\n1,2\n");
    writeFileSync(at("a.csv"), "i,x\n1,2\n");
    const both = sortFile([at("a.csv"), at("b.csv")], at("out.parquet"), {
      by: [{ column: "i" }],
      header: true,
    });
    await expect(both).rejects.toThrow(/a\.csv has the columns 'i,x', but .*b\.csv has 'i,y'/);
  });

  it("differs from that of a file with another separator", async () => {
    writeFileSync(at("semicolons.csv"), "i;x\n1;2\n");
    writeFileSync(at("commas.csv"), "i,x\n1,2\n");
    const both = sortFile([at("semicolons.csv"), at("commas.csv")], at("out.parquet"), {
      by: [{ column: "i" }],
      header: true,
    });
    await expect(both).rejects.toThrow(/has the columns 'i;x', but .* has 'i,x', without ';'$/);
  });
});

describe("members of lines of JSON", () => {
  it("have types that hold all of their values, in the order of their first line", async () => {
    const { columns, rows } = await sorted(
      "a.jsonl",
      `{"i":2,"signs":18446744073709551615,"wide":9007199254740993,"mixed":1,"day":"2020-01-01","in":{"x":[1,null]}}
{"i":1,"signs":-1,"wide":1,"mixed":1.5,"large":123456789012345678901,"many":"x","two":{"a":1,"A":2},"none":{}}

{"i":3,"float":100000000000000000000,"many":[1.25,"12345678901234567890.5"],"in":{"y":-5},"none":{},"nulls":null}
{"i":4,"float":0.30000000000000004,"in":{},"__proto__":1}`,
    );
    expect(columns).toEqual([
      "i BIGINT",
      "signs DECIMAL(38,0)",
      "wide BIGINT",
      "mixed DOUBLE",
      "day VARCHAR",
      "in STRUCT(x BIGINT[], y BIGINT)",
      "large DECIMAL(38,0)",
      "many JSON",
      "two JSON",
      "none JSON",
      "float DOUBLE",
      "nulls VARCHAR",
      "__proto__ BIGINT",
    ]);
    const members = (row: number, ...names: string[]) =>
      names.map((name) => rows[row]![columns.findIndex((column) => column.startsWith(`${name} `))]);
    expect(members(0, "signs", "mixed", "large", "many", "two")).toEqual([
      ...["-1", 1.5, "123456789012345678901", '"x"', '{"a":1,"A":2}'],
    ]);
    expect(members(1, "signs", "wide", "day", "in")).toEqual([
      ...["18446744073709551615", "9007199254740993", "2020-01-01", { x: ["1", null], y: null }],
    ]);
    expect(members(2, "float", "many", "none")).toEqual([1e20, '[1.25,"12345678901234567890.5"]', "{}"]);
  });

  it("have types by the last of many lines, too", async () => {
    const lines = Array.from({ length: 5000 }, (_, i) => `{"i":${i},"x":${i}}\n`).join("");
    expect((await sorted("many.jsonl", lines)).columns).toEqual(["i BIGINT", "x BIGINT"]);
    const more = `${lines}{"i":-1,"x":0.5,"last":"x"}\n`;
    expect((await sorted("many.jsonl", more)).columns).toEqual(["i BIGINT", "x DOUBLE", "last VARCHAR"]);
  });

  it("may all be null, and leave the order to other columns, or as it was", async () => {
    writeFileSync(at("nulls.jsonl"), '{"n":null,"i":2}\n{"n":null,"i":1}\n{"i":3}\n');
    for (const [names, expected] of [
      [["n"], ["2", "1", "3"]],
      [
        ["n", "i"],
        ["1", "2", "3"],
      ],
    ] as const) {
      const by = names.map((column) => ({ column, descending: column === "n" }));
      await sortFile(at("nulls.jsonl"), at("out.parquet"), { by });
      expect(await rowsOf(at("out.parquet"))).toEqual(expected.map((i) => [null, i]));
    }
  });

  it("may begin with a byte order mark", async () => {
    const { rows } = await sorted("a.jsonl", '\u{feff}{"i":2}\n{"i":1}\n');
    expect(rows).toEqual([["1"], ["2"]]);
  });

  it.each([
    ['{"i":1,"x":0.12345678901234567890}', "numbers in the column x that no one type holds"],
    ['{"i":1,"x":{"y":[0.12345678901234567890]}}', "numbers in the column x that no one type holds"],
    [`{"i":1,"x":${"1".repeat(39)}}`, "numbers in the column x that no one type holds"],
    ['{"i":1,"x":1e-999}', "numbers in the column x that no one type holds"],
    ['{"i":1,"x":9007199254740993}\n{"i":1,"x":1.5}', "numbers in the column x that no one type holds"],
    ['{"i":1,"x":"a"}\n{"i":1,"x":9007199254740993.0}', "numbers in the column x that no one type holds"],
    ['{"i":1,"x":[1,"a",0.12345678901234567890]}', "numbers in the column x that no one type holds"],
    ['{"i":1,"x":{"y":1e999}}\n{"i":1,"x":true}', "numbers in the column x that no one type holds"],
    ['{"i":1,"x":{"y":1,"Y":0.12345678901234567890}}', "numbers in the column x that no one type holds"],
    ['{"i":1,"x":2}\n{"i":1,"X":3}', "two that differ in case alone"],
    ['{"i":1,"a\\u0000b":2}', "a zero byte in its name"],
    ['{"i":1,"":3}', "a column without a name"],
    ['{"i":1,"x":2,"x":3}', 'duplicate key "x"'],
    ['{"i":1}\n[1]', "has a line that is no object"],
    ["1\n", "has a line that is no object"],
    ["", "has no objects, so it has no columns"],
    ["{}", "has no objects with members"],
    ['{"i":1}\n{"i":2', "line 2, byte 7: unexpected end"],
  ])("are refused where they are lost otherwise: %j", async (text, problem) => {
    expect(await refused("a.jsonl", text)).toContain(problem);
  });
});

describe("a file that becomes Parquet", () => {
  const wide = Buffer.from("i\n20\n3\n", "utf16le");
  const text = "i,x\n2,a\n1,b\n";
  const twice = gzipSync(gzipSync(text));

  it.each([
    ["wide.csv", wide, "is text in UTF-16 or UTF-32"],
    ["marked.csv", Buffer.from("\u{feff}i\n", "utf16le"), "is text in UTF-16 or UTF-32"],
    ["keys.u32", Buffer.alloc(8, 1), "columns do not apply to "],
    ["array.npy", Buffer.from("\x93NUMPY\x01\0", "latin1"), "columns do not apply to "],
    ["image.csv", "GIF89a,1\nx,2\n", "is a GIF image"],
    ["twice.csv.gz", twice, "is compressed twice"],
    ["array.json", '[{"i":2},{"i":1}]', "begins as an array of JSON"],
  ])("is refused unless it has rows: %s", async (name, bytes, problem) => {
    writeFileSync(at(name), bytes);
    const sorting = sortFile(at(name), at("out.parquet"), { by: [{ column: "1" }] });
    await expect(sorting).rejects.toThrow(problem);
  });

  it("is CSV or lines of JSON by the option, by its name if that is one of JSON, then by its contents", async () => {
    const by = [{ column: "i" }];
    writeFileSync(at("csv.jsonl"), text);
    await sortFile(at("csv.jsonl"), at("out.parquet"), { by, format: "csv" });
    expect(await columnsOf(at("out.parquet"))).toEqual(["i BIGINT", "x VARCHAR"]);
    writeFileSync(at("json.csv"), '{"i":2}\n{"i":1}\n');
    await sortFile(at("json.csv"), at("out.parquet"), { by });
    expect(await rowsOf(at("out.parquet"))).toEqual([["1"], ["2"]]);
    writeFileSync(at("rows.csv"), text);
    await expect(sortFile([at("rows.csv"), at("json.csv")], at("out.parquet"), { by })).rejects.toThrow(
      /json\.csv holds lines of JSON, but .*rows\.csv rows of CSV$/,
    );
    const words = sortFile(at("rows.csv"), at("out.parquet"), { by, nullWords: ["NA"] });
    await expect(words).rejects.toMatchObject({
      message: expect.stringMatching(/rows\.csv: DuckDB makes a table of it, on the CPU$/),
      hint: "leave it out, or write CSV",
      options: ["nullWords", "output"],
    });
    writeFileSync(at("rows.jsonl"), '{"i":1}\n');
    await expect(sortFile(at("rows.jsonl"), at("out.parquet"))).rejects.toHaveProperty(
      "hint",
      expect.stringMatching(/^name the columns to sort by/),
    );
  });

  it("has a header that counts as a row, which is said", async () => {
    writeFileSync(at("rows.csv"), text);
    let notice: string | undefined;
    const onDecision = (decision: { notice?: string | undefined }) => {
      notice = decision.notice;
    };
    await sortFile(at("rows.csv"), at("out.parquet"), { by: [{ column: "1" }], onDecision });
    expect(notice).toMatch(/^the first line of .*rows\.csv, 'i,x', looks like a header, .*; the columns are/);
  });
});

describe("CSV of Parquet", () => {
  it("tells empty text from null", async () => {
    await writeParquet(
      at("texts.parquet"),
      "SELECT * FROM (VALUES (3, 'a,b', NULL), (1, '', 1.5), (2, NULL, -0.0::DOUBLE)) t(id, text, x)",
    );
    await sortFile(at("texts.parquet"), at("texts.csv"), { by: [{ column: "id" }] });
    expect(readFileSync(at("texts.csv"), "utf8")).toBe('id,text,x\n1,"",1.5\n2,,-0.0\n3,"a,b",\n');
    await sortFile(at("texts.parquet"), at("texts.tsv"), { by: [{ column: "x" }], head: 2 });
    expect(readFileSync(at("texts.tsv"), "utf8")).toBe('id\ttext\tx\n2\t\t-0.0\n1\t""\t1.5\n');
  });
});
