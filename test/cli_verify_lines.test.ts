import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { parseRowOrder } from "../src/commands/sort/line_keys.js";
import { Workplace } from "./support/command.js";
import { rowComparison, rowsOf } from "./support/plain_rows.js";
import { lineKey, someRows } from "./support/row_cases.js";

const work = await Workplace.create();
afterAll(() => work.remove());

/** What `gpusort verify --json` says of a text. */
async function found(text: string | Buffer, ...args: string[]) {
  await work.write("in.log", text);
  const { code, stdout, stderr } = await work.run(["verify", "in.log", "--json", "-q", ...args]);
  expect(stderr).toBe("");
  return { code, json: JSON.parse(stdout.toString()) };
}

describe("gpusort verify of lines", () => {
  it("counts lines, those out of order and equal ones as the reference does", async () => {
    await fc.assert(
      fc.asyncProperty(someRows, fc.array(lineKey, { maxLength: 2 }), async (some, keys) => {
        const { text, separator, zeroTerminated } = some;
        const order = parseRowOrder({ key: keys, fieldSeparator: separator, zeroTerminated }) ?? {
          ...{ terminator: 10, separator: undefined, quotes: false, keys: [] },
        };
        const rows = rowsOf(text, order as never);
        const compare = rowComparison(order as never);
        const pairs = rows.slice(1).map((row, i) => compare(rows[i]!, row));
        const args = [
          ...keys.flatMap((key) => ["-k", key]),
          ...(separator === undefined ? [] : ["--field-separator", separator]),
          ...(zeroTerminated ? ["-z"] : []),
        ];
        const { code, json } = await found(text, "--format", "lines", ...args);
        const inversions = pairs.filter((compared) => compared > 0).length;
        const at = pairs.findIndex((compared) => compared > 0);
        expect({ code, ...json }).toMatchObject({
          code: inversions > 0 ? 1 : 0,
          count: rows.length,
          inversions,
          firstInversion: at < 0 ? null : at,
          duplicates: pairs.filter((compared) => compared === 0).length,
        });
      }),
      { numRuns: 60 },
    );
  });

  it("sums all lines up, in any order", async () => {
    const { json } = await found("pear\nfig\napple\nfig\n");
    const sums = async (text: string) => (await found(text)).json.checksum;
    expect(await sums("apple\nfig\nfig\npear")).toBe(json.checksum); // the last line break is added
    for (const other of ["pear\nfig\napple\nfi\n", "pear\nfig\napple\n", "pear\nfig\napple\npear\n"])
      expect(await sums(other)).not.toBe(json.checksum);
  });

  it("and of the columns of CSV, with fields in quotes", async () => {
    const text = 'name,price\n"fig, dried",2\n"two\nlines",10\npear,\n';
    const { code, json } = await found(text, "--header", "--by", "price");
    expect([code, json.count, json.first, json.last]).toEqual([0, 3, '"fig, dried",2', "pear,"]);
    expect((await found(text, "--header", "--by", "price:desc")).code).toBe(1);
    expect((await found(text, "--header", "--by", "price", "-r")).json.order).toBe("descending");
  });

  it("is combined from the summaries of parts", async () => {
    const lines = ["b,1", "a,1", "\xff,3", "c,2", "c,2", "d,0"];
    const whole = (await found(Buffer.from(`${lines.join("\n")}\n`, "latin1"), "-t,", "-k2,2n")).json;
    for (let cut = 0; cut <= lines.length; cut++) {
      for (const [name, part] of [
        ["a.json", lines.slice(0, cut)],
        ["b.json", lines.slice(cut)],
      ] as const) {
        const text = Buffer.from(part.map((line) => `${line}\n`).join(""), "latin1");
        await work.write(name, JSON.stringify((await found(text, "-t,", "-k2,2n")).json));
      }
      const { stdout } = await work.run(["verify", "--combine", "a.json", "b.json", "--json"]);
      expect(JSON.parse(stdout.toString())).toEqual(whole);
    }
    await work.write("other.json", JSON.stringify((await found("a,1\n", "-t,", "-k2,2")).json));
    const { code, stderr } = await work.run(["verify", "--combine", "a.json", "other.json"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/summarize items of different types or orders/),
    ]);
    await work.write("wrong.json", '{"rows":{"terminator":10,"quotes":false,"keys":[{}]},"version":2}');
    expect((await work.run(["verify", "--combine", "wrong.json"])).stderr).toMatch(
      /wrong\.json is not a summary/,
    );
  });

  it("is combined where guesses of parts differ once options say the order, as the hint has it", async () => {
    const checkParts = async (...order: string[]) => {
      for (const [i, text] of ["", "1\n10\n", "9\nx\n"].entries()) {
        await work.write(`part${i}.txt`, text);
        await work.write(
          `part${i}.json`,
          (await work.run(["verify", `part${i}.txt`, "--json", ...order])).stdout,
        );
      }
      return work.run(["verify", "--combine", "part0.json", "part1.json", "part2.json", "-q"]);
    };
    expect((await checkParts()).stderr).toMatch(
      /different types or orders\n.* guessed, check all of them again/,
    );
    expect(await checkParts("--format", "lines")).toMatchObject({ code: 0, stderr: "" });
  });

  it("is combined where a part ends with a row that begins like a byte order mark", async () => {
    const parts = ["a,1\n\ufeffb,2\n", "c,3\n"];
    for (const [i, part] of parts.entries())
      await work.write(`${i}.json`, JSON.stringify((await found(part, "--by", "1")).json));
    const { stdout } = await work.run(["verify", "--combine", "0.json", "1.json", "--json"]);
    expect(JSON.parse(stdout.toString())).toEqual((await found(parts.join(""), "--by", "1")).json);
  });

  it("is combined where the parts have other names of columns", async () => {
    for (const [i, part] of ["name,price\na,1\n", "nom,prix\nb,2\n"].entries())
      await work.write(`${i}.json`, JSON.stringify((await found(part, "--header", "--by", "2")).json));
    const { code, stdout } = await work.run(["verify", "--combine", "0.json", "1.json", "--json"]);
    expect([code, JSON.parse(stdout.toString())]).toEqual([0, expect.objectContaining({ count: 2 })]);
  });

  it("says in words what it found", async () => {
    await work.write("in.log", "b 2\na 10\n");
    const { code, stdout } = await work.run(["verify", "in.log", "-k2,2n", "-q"]);
    expect([code, stdout.toString()]).toEqual([0, ""]);
    const shown = (await work.run(["verify", "in.log"])).stdout.toString().replace(/ +/g, " ");
    expect(shown).toContain(
      " in order no: 1 pair of neighbours is out of order, the first pair begins at 0\n",
    );
    expect(shown).toMatch(/^ in\.log lines\n order by all their bytes\n count 2\n/);
    expect(shown).toContain("first 'b 2'\n last 'a 10'\n");
  });
});
