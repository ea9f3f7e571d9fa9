import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { VerifyError } from "../../../src/core/errors.js";
import { sortFile } from "../../../src/sort/sort_file.js";
import type { SortFileOptions } from "../../../src/sort/sort_options.js";
import { DuckDb } from "../../../src/sort/tables/duckdb.js";
import { writeParquet } from "../../support/duckdb.js";

const folder = mkdtempSync(join(tmpdir(), "gpusort-check-"));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

beforeAll(() => writeParquet(at("a.parquet"), "SELECT (i * 7) % 100 AS id, i AS row FROM range(1000) t(i)"));

/** Makes DuckDB run another statement instead of the one that sorts, or say that it wrote more rows. */
function withFault(change: (sql: string) => string, more = 0): void {
  const { rows } = DuckDb.prototype;
  vi.spyOn(DuckDb.prototype, "rows").mockImplementation(async function (this: DuckDb, sql, ...rest) {
    const sorts = sql.startsWith("COPY") && !sql.includes("LIMIT 0)");
    if (!sorts) return rows.call(this, sql, ...rest) as never;
    const changed = change(sql);
    if (more === 0) expect(changed).not.toBe(sql);
    const [[count]] = (await rows.call(this, changed, ...rest)) as [[string]];
    return [[`${Number(count) + more}`]] as never;
  });
}

const sort = (options: Partial<SortFileOptions> = {}, output = "out.parquet") =>
  sortFile(at("a.parquet"), at(output), { by: [{ column: "id" }], ...options });

describe("a sort by DuckDB that goes wrong", () => {
  const rows = "holds other rows than it must";
  const order = "is not in order";
  const value: [RegExp, string] = [/t\.c1 AS "row"/, '(t.c1 // 2) * 2 AS "row"'];
  const faults: [string, [RegExp, string], Partial<SortFileOptions>, string][] = [
    ["another value", value, {}, rows],
    ["another value in CSV", value, { to: "csv" }, rows],
    ["a row less", [/\) TO/, " LIMIT 999) TO"], {}, rows],
    ["all rows twice", [/\(\['(.*?)'\]/, "(['$1', '$1']"], {}, rows],
    ["the other direction", [/ASC/, "DESC"], {}, order],
    ["the other direction in CSV", [/ASC/, "DESC"], { to: "csv" }, order],
    ["nulls at the other end", [/NULLS LAST/, "NULLS FIRST"], { by: [{ column: "null" }] }, order],
    ["rows after the first ones", [/LIMIT 50/, "LIMIT 50 OFFSET 20"], { head: 50 }, rows],
    [
      "the last of equal rows",
      [/file_row_number\) AS t|t\.file_row_number/, "-t.file_row_number"],
      { unique: true },
      rows,
    ],
    ["equal rows", [/WHERE r\.n = 1/, "WHERE r.n < 500"], { unique: true }, rows],
  ];
  it.each(faults)("is an error, and writes nothing: %s", async (_, [from, to], options, problem) => {
    await writeParquet(
      at("a.parquet"),
      'SELECT (i * 7) % 100 AS id, i AS row, CASE WHEN i > 9 THEN i END AS "null" FROM range(1000) t(i)',
    );
    withFault((sql) => sql.replace(from, to));
    const error = await sort(options, "wrong").then(
      () => expect.fail("it was not noticed"),
      (error) => error,
    );
    expect(error).toBeInstanceOf(VerifyError);
    expect(error.message).toContain(problem);
    expect(readdirSync(folder).filter((name) => name.includes("wrong"))).toEqual([]);
  });

  it("is an error if it says that it wrote other rows", async () => {
    withFault((sql) => sql, 1);
    await expect(sort()).rejects.toThrow(rows);
  });

  it("is an error where two threads' ranges of rows meet", async () => {
    const count = 1 << 20;
    mkdirSync(at("large"));
    await writeParquet(at("large/a.parquet"), `SELECT i AS id FROM range(${count}) t(i)`);
    withFault((sql) => sql.replace(/ORDER BY t\.c0/, `ORDER BY (t.c0 + ${count / 2}) % ${count}`));
    const by = [{ column: "id" }];
    const sorted = sortFile(at("large/a.parquet"), at("large/out.parquet"), { by, threads: 2 });
    await expect(sorted).rejects.toThrow(order);
  });

  it("is not noticed without the check, which is said", async () => {
    withFault((sql) => sql.replace("ASC", "DESC"));
    expect((await sort({ verify: false })).verified).toBe(false);
  });
});

describe("an input that changes while it is sorted", () => {
  it("is an error, and nothing is written", async () => {
    const onDecision = () => {
      const { atime, mtimeMs } = statSync(at("a.parquet"));
      utimesSync(at("a.parquet"), atime, new Date(mtimeMs + 5000));
    };
    await expect(sort({ onDecision }, "never")).rejects.toThrow(/a\.parquet was changed|while/);
    expect(readdirSync(folder).filter((name) => name.includes("never"))).toEqual([]);
  });
});
