import { promises as fs } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";
import { rowsOf, run, writeParquet } from "./support/duckdb.js";

const work = await Workplace.create();
afterAll(() => work.remove());

beforeAll(async () => {
  await work.write("numbers.txt", "3\n1\n2\n");
  await work.write("numbers.u32", new Uint8Array(Uint32Array.of(3, 1, 2).buffer));
  await work.write("lines.log", "b\na\n");
  await work.write("rows.csv", "b,1\na,2\n");
  await work.write("rows.jsonl", '{"a":2,"b c":1}\n{"a":10,"b c":3}\n{"a":1,"b c":2}\n');
  await writeParquet(work.path("table.parquet"), "SELECT i AS id FROM range(3) t(i)");
});

const inputs: readonly (readonly string[])[] = [
  ["numbers.txt"],
  ["numbers.u32"],
  ["numbers.u32", "--record", "4"],
  ["numbers.u32", "--argsort"],
  ["lines.log"],
  ["lines.log", "--argsort"],
  ["rows.csv"],
  ["rows.jsonl"],
  ["table.parquet", "--by", "id"],
  ["table.parquet", "--by", "id", "--argsort"],
];
const words = ["raw", "npy", "text", "lines", "records", "csv", "parquet"];

describe("a format that the input cannot be written in", () => {
  it.each(inputs)(
    "%s %s %s is refused before there is an output, and the hint has those that work",
    async (...args) => {
      const taken: string[] = [];
      const offered = new Set<string>();
      for (const to of words) {
        const { code, stderr } = await work.onCpu([...args, "--to", to, "-o", "out", "-q"]);
        if (code === 0) taken.push(to);
        else if (!stderr.includes("columns to sort by must be named")) {
          const [, hint = ""] = /cannot be written as .*\n {2}write (.*?)[;(]/.exec(stderr) ?? [];
          for (const [name] of hint.matchAll(/\w+/g)) if (name !== "or") offered.add(name);
          expect(hint, stderr).not.toBe("");
          expect(await work.names()).not.toContain("out");
        }
        await fs.rm(work.path("out"), { force: true });
      }
      expect([...offered].sort()).toEqual(taken.sort());
    },
  );

  it("is said by a word that is none, with what each format is for", async () => {
    const { code, stderr } = await work.onCpu(["numbers.txt", "--to", "foo"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/raw, npy or text for numbers; .*csv for a table/),
    ]);
    const gen = await work.run(["gen", "4", "--to", "foo", "-o", "out"]);
    expect([gen.code, gen.stderr]).toEqual([2, expect.not.stringMatching(/table|lines/)]);
  });

  it("asks for no name where no name would help", async () => {
    for (const args of [
      ["rows.csv", "--to", "raw"],
      ["numbers.u32", "--to", "lines"],
    ]) {
      expect((await work.onCpu(args)).stderr).toMatch(/^gpusort: \w+ cannot be written as /);
    }
  });
});

describe("lines of JSON", () => {
  it("stay lines without columns", async () => {
    expect(await work.onCpu(["rows.jsonl", "-o", "out.jsonl", "-q"])).toMatchObject({ code: 0, stderr: "" });
    const sorted = ['{"a":1,"b c":2}', '{"a":10,"b c":3}', '{"a":2,"b c":1}', ""].join("\n");
    expect((await work.read("out.jsonl")).toString()).toBe(sorted);
  });

  it.each([["sort"], ["sort", "-c"], ["sort", "--header", "--device", "cpu"], ["verify"]])(
    "are refused with columns, without a word of headers: %s %s %s %s",
    async (...args) => {
      const { code, stderr } = await work.run([...args, "rows.jsonl", "--by", "a"]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(
          /^gpusort: rows\.jsonl holds lines of JSON, which are sorted as lines and not by/,
        ),
      ]);
      expect(stderr).not.toContain("header");
      expect(stderr).toMatch(
        /\n {2}gpusort sorts them to sorted\.parquet, and checks columns there; DuckDB sorts /,
      );
    },
  );

  it("are known by what they hold, too", async () => {
    const { stderr } = await work.run(["-", "--by", "a"], ' {"a":2}\n{"a":1}\n');
    expect(stderr).toMatch(/^gpusort: standard input holds lines of JSON/);
    await work.write("braces.csv", "{a,b}\n2,1\n1,2\n");
    const csv = await work.onCpu(["braces.csv", "--by", "{a", "--header", "-o", "out", "-q"]);
    expect([csv.code, (await work.read("out")).toString()]).toEqual([0, "{a,b}\n1,2\n2,1\n"]);
  });

  it("are sorted by columns in both ways that the hint has", async () => {
    const { stderr } = await work.onCpu(["rows.jsonl", "--by", "a:desc,2"]);
    expect(stderr).toContain("ORDER BY t.a DESC, COLUMN)");
    // A name that says nothing of JSON, and a column whose name is a keyword of SQL; values of several lines.
    const text = (await work.read("rows.jsonl")).toString();
    const values = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    await work.write("rows.log", text.replaceAll('"a"', '"order"'));
    await work.write("pretty.json", values.map((value) => JSON.stringify(value, null, 2)).join("\n"));
    await work.write("array.json", JSON.stringify(values, null, 2));
    for (const [name, column] of [
      ["rows.jsonl", "a"],
      ["rows.log", "order"],
      ["pretty.json", "a"],
      ["array.json", "a"],
    ] as const) {
      const plain = await work.onCpu([name, "--by", column]);
      const [, statement = ""] = /duckdb -c "(.*)"/.exec(plain.stderr) ?? [];
      const [input, output] = [work.path(name), work.path("sorted.jsonl")];
      await run(statement.replace(`'${name}'`, `'${input}'`).replace("'sorted.jsonl'", `'${output}'`));
      const lines = (await work.read("sorted.jsonl")).toString().trim().split("\n");
      expect(lines.map((line) => JSON.parse(line)[column])).toEqual([1, 2, 10]);
    }
    const parquet = await work.run(["rows.jsonl", "--by", "a", "--output", "sorted.parquet", "-q"]);
    expect([parquet.code, parquet.stderr]).toEqual([0, ""]);
    expect((await rowsOf(work.path("sorted.parquet"))).map(([a]) => a)).toEqual(["1", "2", "10"]);
    const check = await work.run(["-c", "sorted.parquet", "--by", "a"]);
    expect([check.code, check.stderr]).toEqual([0, ""]);
  });
});
