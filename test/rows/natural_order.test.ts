import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRowOrder } from "../../src/commands/sort/line_keys.js";
import { sortByGnu, withGnuSort } from "../support/gnu_sort.js";
import { sortPlainly } from "../support/plain_rows.js";
import { fileName, isSuffixAlone } from "../support/row_cases.js";
import { LITTLE } from "../support/row_sorts.js";
import { sortedRows } from "../support/sorted_rows.js";

interface Given {
  readonly unique?: boolean;
  readonly memoryBytes?: number;
  readonly threads?: 1 | 2;
}

const textOf = (names: readonly string[]) => Buffer.from(names.map((name) => `${name}\n`).join(""), "latin1");
const natural = parseRowOrder({ versionSort: true })!;

/** Many names that begin alike, of which some are equal in this order, and some end at the end of a word. */
const manyNames = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const n = Math.imul(i + 1, 0x9e3779b1) >>> 0;
    const zeros = "0".repeat(n % 3);
    const end = ["", ".tar.gz", "~", ".txt", "-rc1", ".7z", "x".repeat(n % 19), "0".repeat(n % 9)][n % 8];
    return `${n % 97 === 0 ? "." : ""}release-common-${zeros}${n % 1000}.${(n >>> 10) % 12}${end}`;
  });

describe("natural order", () => {
  withGnuSort.it("is that of GNU sort, for names of all kinds", async () => {
    const flags = fc.record({ unique: fc.boolean(), threads: fc.constantFrom(1 as const, 2 as const) });
    const letters = fc.constantFrom("V", "V", "Vr", "Vf", "Vd", "Vi", "Vdf");
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fileName.filter((name) => !isSuffixAlone(name)),
          { maxLength: 60 },
        ),
        letters,
        flags,
        async (names, key, given) => {
          const text = textOf(names);
          const order = parseRowOrder({ key: [`1${key}`] })!;
          const gnu = sortByGnu(["-s", `-k1${key}`, ...(given.unique ? ["-u"] : [])], text);
          expect((await sortedRows(text, order, given)).text.toString("latin1")).toBe(gnu.toString("latin1"));
          expect(sortPlainly([text], order, given).toString("latin1")).toBe(gnu.toString("latin1"));
        },
      ),
      { numRuns: Number(process.env.GPUSORT_ROW_RUNS ?? 75) },
    );
  });

  it.each([
    ["points", ["", ".", "..", ".0.a", "..a", ".1", ".A", ".a", ".a.b", "...", "a"]],
    ["numbers", ["a", "a1", "a2", "a10", "a12", "a12.5", "a12.10"]],
    ["numbers of many digits", [5, 6, 7, 255, 260, 261, 262, 300].map((n) => `1${"2".repeat(n)}`)],
    ["the last of many digits", ["4", "5"].map((last) => `${"1".repeat(300)}${last}`)],
    ["what follows many digits", ["", "a", "b"].map((end) => `${"1".repeat(301)}${end}`)],
    ["what ends early", ["a~", "a", "ab", "a-"]],
    ["suffixes", ["a", "a.~1~", "a.b", "a.txt", "a.txt.gz", "a-1.txt", "b"]],
  ])("tells apart %s", async (_, names) => {
    const { text } = await sortedRows(textOf(names.toReversed()), natural);
    expect(text.toString().split("\n").slice(0, -1)).toEqual(names);
  });

  withGnuSort.it("takes bytes after a number that are left out as none, as GNU sort does", async () => {
    const text = textOf(["a1-", "a1", "a", "a-", "a2", "a1-b", "a1b"]);
    const gnu = sortByGnu(["-s", "-k1Vd", "-u"], text).toString();
    expect(gnu.split("\n")).toHaveLength(5);
    const order = parseRowOrder({ key: ["1Vd"] })!;
    expect((await sortedRows(text, order, { unique: true })).text.toString()).toBe(gnu);
  });

  it("takes names as equal that differ in zeros alone, with or without their suffixes", async () => {
    const names = ["a0", "a", "a00", "b007.c", "b7.c", "b07.c"];
    expect((await sortedRows(textOf(names), natural)).text).toEqual(textOf(names));
    expect((await sortedRows(textOf(names), natural, { unique: true })).text).toEqual(
      textOf(["a0", "b007.c"]),
    );
  });

  let manyText: Buffer | undefined;
  const sortedByGnu = new Map<string, Buffer>();
  withGnuSort.it.each<[string, Given]>([
    ["in memory", {}],
    ["by one thread", { threads: 1 }],
    ["out of core", { memoryBytes: LITTLE }],
    ["out of core, distinct", { memoryBytes: LITTLE, unique: true }],
  ])("is that of GNU sort for many names that begin alike, %s", async (_, given) => {
    manyText ??= textOf(manyNames(60_000));
    const text = manyText;
    const flag = given.unique ? "-u" : "-s";
    const gnu = sortedByGnu.get(flag) ?? sortByGnu(["-s", "-V", flag], text);
    sortedByGnu.set(flag, gnu);
    const { text: actual, report } = await sortedRows(text, natural, given);
    expect(actual.equals(gnu)).toBe(true);
    if (given.memoryBytes) expect(report.external!.runs).toBeGreaterThan(1);
  });

  withGnuSort.it("takes the first of many names", async () => {
    const text = textOf(manyNames(20_000));
    const gnu = sortByGnu(["-s", "-V"], text).toString().split("\n").slice(0, 500);
    const actual = (await sortedRows(text, natural, { head: 500 })).text.toString();
    expect(actual).toBe(`${gnu.join("\n")}\n`);
  });

  withGnuSort.it("takes long names in time that their lengths tell", async () => {
    const long = ["1".repeat(300_000), "a".repeat(300_000), ".a1".repeat(100_000), "0".repeat(300_000)];
    const names = long.flatMap((name) => ["1", "", "2", ".gz"].map((end) => `${name}${end}`));
    const text = textOf(names);
    expect((await sortedRows(text, natural)).text.equals(sortByGnu(["-s", "-V"], text))).toBe(true);
  });
});
