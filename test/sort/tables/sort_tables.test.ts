import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../../src/core/errors.js";
import { sortFile } from "../../../src/sort/sort_file.js";
import { DuckDb } from "../../../src/sort/tables/duckdb.js";
import { columnsOf, rowsOf, writeParquet } from "../../support/duckdb.js";
import { runPyarrow, withPyarrow } from "../../support/pyarrow.js";

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../fixtures/tables/${name}.parquet`, import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "gpusort-tables-"));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

const by = (...columns: string[]) => columns.map((column) => ({ column }));
const rejection = async (promise: Promise<unknown>): Promise<InputError> =>
  promise.then(
    () => expect.fail("it was not refused"),
    (error) => error,
  );

const binary = (hex: string) => BigInt(`0x${hex}`).toString(2).padStart(64, "0");

beforeAll(() =>
  writeParquet(
    at("few.parquet"),
    "SELECT (i * 7) % 10 AS id, 'name ' || i % 3 AS name, [i, NULL] AS list FROM range(20) t(i)",
  ),
);

describe("a statement of DuckDB", () => {
  it("rejects with what the listener of its progress throws, which a timer calls", async () => {
    const limits = { memoryBytes: 2 ** 28, threads: 1, folder, signal: undefined, names: new Map() };
    const duckDb = await DuckDb.open(limits);
    const reason = new Error("it cannot be drawn");
    const long = "SELECT sum(sin(a.range + b.range)) FROM range(100000) a, range(30000) b";
    const fail = () => {
      throw reason;
    };
    await expect(duckDb.rows(long, {}, fail)).rejects.toBe(reason);
    await duckDb.close();
  });
});

describe("a Parquet file that is damaged", () => {
  it.each([
    ["encrypted", "is encrypted"],
    ["pare", "is encrypted"],
    ["empty", "is empty"],
    ["head_damaged", "is damaged: it does not begin"],
    ["lists_damaged", "is damaged: a column holds another number of values"],
  ])("is an error that says what, and stays as it is: %s", async (name, problem) => {
    const path = at(`${name}.parquet`);
    copyFileSync(fixture(name), path);
    for (const format of [undefined, "parquet"] as const) {
      const error = await rejection(sortFile(path, path, { by: by("1"), format }));
      expect(error).toBeInstanceOf(InputError);
      expect(error.message).toContain(problem);
    }
    expect(readFileSync(path).equals(readFileSync(fixture(name)))).toBe(true);
  });

  it("is known by either end, whatever its name", async () => {
    const bytes = readFileSync(at("few.parquet"));
    writeFileSync(at("first.txt"), bytes.subarray(0, 100));
    writeFileSync(at("last.csv"), bytes.subarray(100));
    for (const [name, problem] of [
      ["first.txt", "is cut short"],
      ["last.csv", "does not begin"],
    ] as const) {
      const error = await rejection(sortFile(at(name), at("out.parquet"), { by: by("1") }));
      expect(error.message).toContain(problem);
    }
  });

  it("is what is inside a packed file, which is never sorted as text or as keys", async () => {
    const packed = gzipSync(readFileSync(at("few.parquet")));
    await sortFile(at("few.parquet"), at("unpacked.parquet"), { by: by("id") });
    for (const name of ["packed.parquet.gz", "packed.gz", "packed.u32.gz", "packed.csv.gz"]) {
      writeFileSync(at(name), packed);
      await sortFile(at(name), at("out.parquet"), { by: by("id") });
      expect(await rowsOf(at("out.parquet"))).toEqual(await rowsOf(at("unpacked.parquet")));
      const keys = await rejection(sortFile(at(name), at("out.u32"), { type: "u32" }));
      expect(keys.message).toMatch(/^a type does not apply to .*: it is read as a table/);
    }
  });

  it("is no Parquet file if neither end says so", async () => {
    writeFileSync(at("text.parquet"), "a,b\n2,1\n");
    const error = await rejection(sortFile(at("text.parquet"), at("out.parquet"), { by: by("1") }));
    expect(error.message).toContain("is no Parquet file: neither end of it says so");
  });
});

describe("a Parquet file that is whole", () => {
  it("is sorted, with lists that hold what they held", async () => {
    await sortFile(fixture("lists"), at("lists.parquet"), { by: [{ column: "id", descending: true }] });
    const sorted = await rowsOf(at("lists.parquet"));
    const expected = [...(await rowsOf(fixture("lists")))].sort((a, b) => Number(b[0]) - Number(a[0]));
    expect(sorted).toEqual(expected);
  });

  it("may be sorted by a thousand columns", async () => {
    const count = 1000;
    const names = Array.from({ length: count }, (_, i) => `k${i}`);
    // The columns are equal, or null, but for a few rows and the last columns.
    const rowOf = (r: number) =>
      names.map((_, i) => {
        const digit = (Math.imul(50 * i + r + 1, 0x9e3779b1) >>> 8) % 3;
        return i >= count - 3 ? digit : r % 10 > 0 ? 1 : digit || "";
      });
    const lines = [names, ...Array.from({ length: 50 }, (_, r) => rowOf(r))];
    writeFileSync(at("keys.csv"), lines.map((line) => `${line}\n`).join(""));
    const types = names.map((name) => `${name}: 'INTEGER'`);
    const read = `read_csv('${at("keys.csv")}', columns = {${types}}, header = true, auto_detect = false)`;
    await writeParquet(at("keys.parquet"), `FROM ${read}`);
    const keys = names.map((column, i) => ({
      column,
      descending: i % 2 === 1,
      nulls: i % 4 < 2 ? ("first" as const) : ("last" as const),
    }));
    await sortFile(at("keys.parquet"), at("out.parquet"), { by: keys });
    const compare = (one: unknown[], other: unknown[]): number => {
      const i = one.findIndex((value, i) => value !== other[i]);
      if (i < 0) return 0;
      const [a, b] = [one[i] as number | null, other[i] as number | null];
      if (a === null || b === null) return (a === null) === (keys[i]!.nulls === "first") ? -1 : 1;
      return keys[i]!.descending ? b - a : a - b;
    };
    const rows = await rowsOf(at("keys.parquet"));
    expect(await rowsOf(at("out.parquet"))).toEqual(rows.toSorted(compare));
  });

  it("may have no rows, and empty row groups", async () => {
    await writeParquet(at("none.parquet"), "SELECT 1 AS id, 'x' AS name WHERE false");
    const { keyCount, verified } = await sortFile(at("none.parquet"), at("out.parquet"), { by: by("name") });
    expect([keyCount, verified]).toEqual([0, true]);
    expect(await rowsOf(at("out.parquet"))).toEqual([]);
    expect(await columnsOf(at("out.parquet"))).toEqual(["id INTEGER", "name VARCHAR"]);
  });

  it("is in a folder, of a name and with columns that mean something to DuckDB", async () => {
    const path = at("year=2020 *[x]?'\n.parquet");
    const names = ["t", "c0", "file_row_number", "file_index", "n", 'a"b', "row", "select"];
    const columns = names.map((name, i) => `(i * ${i + 3}) % 7 AS "${name.replaceAll('"', '""')}"`);
    await writeParquet(path, `SELECT ${columns.join(", ")} FROM range(50) q(i)`);
    copyFileSync(path, at("year=2020 ax]?'\n.parquet"));
    for (const name of names) {
      await sortFile(path, at("out.parquet"), { by: by(name), unique: true });
      const values = (await rowsOf(at("out.parquet"))).map((row) => Number(row[names.indexOf(name)]));
      expect(values, name).toEqual([...new Set(values)].sort((a, b) => a - b));
      expect((await columnsOf(at("out.parquet"))).map((column) => column.replace(/ \w+$/, ""))).toEqual(
        names,
      );
    }
  });

  it("replaces an input, whose permissions it keeps, and leaves nothing else", async () => {
    const inside = mkdtempSync(join(folder, "in-place-"));
    const path = join(inside, "a.parquet");
    copyFileSync(at("few.parquet"), path);
    await sortFile(path, path, { by: by("name", "id") });
    expect(readdirSync(inside)).toEqual(["a.parquet"]);
    expect((await rowsOf(path)).map(([id, name]) => `${name} ${id}`)).toEqual(
      (await rowsOf(at("few.parquet"))).map(([id, name]) => `${name} ${id}`).sort(),
    );
  });

  it("becomes CSV in the file that is there, which nothing else is written beside", async () => {
    const inside = mkdtempSync(join(folder, "csv-"));
    const path = join(inside, "a.csv");
    writeFileSync(path, "", { mode: 0o640 });
    const names = new Set<string>();
    const watcher = watch(inside, (_, name) => names.add(`${name}`));
    await sortFile(at("few.parquet"), path, { by: by("id") });
    watcher.close();
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(inside)).toEqual(["a.csv"]);
    expect([...names].filter((name) => name !== "a.csv" && !/^\..*\.gpusort$/.test(name))).toEqual([]);
  });

  it("is compressed by the codec of the options, else by that of the input", async () => {
    const codec = (path: string) => rowsOf(path, "SELECT DISTINCT compression FROM parquet_metadata");
    for (const [compress, name] of [
      [undefined, "SNAPPY"],
      ["gz", "GZIP"],
      ["zst", "ZSTD"],
      ["snappy", "SNAPPY"],
      ["none", "UNCOMPRESSED"],
    ] as const) {
      await sortFile(at("few.parquet"), at("out.parquet"), { by: by("id"), compress });
      expect(await codec(at("out.parquet"))).toEqual([[name]]);
    }
  });

  const NANS = ["7FF8000000000001", "FFF8000000000002"];
  const ZEROS = ["0000000000000000", "8000000000000000"];
  it.each([
    ["zeros", "x", ZEROS],
    ["NaNs", "x", NANS],
    ["zeros in lists", "[x]", ZEROS],
    ["NaNs in structs", "{'x': x}", NANS],
  ])("keeps the bits of floats, which DuckDB's dictionaries do not: %s", async (_, value, bits) => {
    const doubles = bits.map((hex) => `'${binary(hex)}'::BIT::DOUBLE`).join(", ");
    const query = `SELECT i, ${value} AS x FROM (SELECT i, [${doubles}][i % 2 + 1] AS x FROM range(4000) t(i))`;
    await writeParquet(at("doubles.parquet"), query, "DICTIONARY_SIZE_LIMIT 0");
    for (const key of value === "x" ? ["i", "x"] : ["i"]) {
      await sortFile(at("doubles.parquet"), at("out.parquet"), { by: [{ column: key, descending: true }] });
      const one = value === "[x]" ? "x[1]" : value === "x" ? "x" : "x.x";
      const rows = await rowsOf(at("out.parquet"), `SELECT i, ${one}::BIT::VARCHAR FROM`);
      expect(rows.length).toBe(4000);
      for (const [i, found] of rows) expect(found).toBe(binary(bits[Number(i) % 2]!));
    }
  });

  it("has the row groups of the input, unless the memory is too small for them", async () => {
    const query = "SELECT i, 'text ' || i AS a, 2 * i AS b FROM range(500000) t(i)";
    await writeParquet(at("group.parquet"), query, "ROW_GROUP_SIZE 500000");
    const largest = async (memoryBytes: number) => {
      await sortFile(at("group.parquet"), at("out.parquet"), { by: by("a"), memoryBytes, threads: 2 });
      const rows = await rowsOf(at("out.parquet"), "SELECT max(row_group_num_rows) FROM parquet_metadata");
      return Number(rows[0]![0]);
    };
    expect(await largest(1 << 30)).toBeGreaterThanOrEqual(500_000);
    expect(await largest(128 << 20)).toBeLessThan(400_000);
  });

  it("may have a column named VARIANT", async () => {
    await writeParquet(at("named.parquet"), `SELECT 1 AS "VARIANT", {'VARIANT': 2} AS s`);
    expect((await sortFile(at("named.parquet"), at("out.parquet"), { by: by("VARIANT") })).verified).toBe(
      true,
    );
  });
});

describe("what a Parquet file would lose", () => {
  it("is refused by its name if it is a VARIANT", async () => {
    await writeParquet(at("variant.parquet"), "SELECT 1 AS key, {'a': 1}::VARIANT AS x");
    const error = await rejection(sortFile(at("variant.parquet"), at("never.parquet"), { by: by("key") }));
    expect(error.message).toMatch(/variant\.parquet has a column x of the type VARIANT/);
  });
});

withPyarrow.describe("what a Parquet file by pyarrow would lose", () => {
  const refused: Record<string, string> = {
    "names that differ in case alone": `{"a": [2, 1], "A": [1, 2]}`,
    "half floats": `{"key": [2, 1], "x": pa.array([np.float16(1), np.float16(2)])}`,
    "bytes of a fixed length": `{"key": [2, 1], "x": pa.array([b"ab", b"cd"], pa.binary(2))}`,
    "decimals of more than 38 digits": `{"key": [2, 1], "x": pa.array([D(1), D(2)], pa.decimal256(50, 2))}`,
  };
  const tables: Record<string, string> = {
    ...Object.fromEntries(Object.entries(refused).map(([name, columns]) => [`lost ${name}`, columns])),
    unnamed: `{"key": [2, 1], "": [1, 2]}`,
    zero: `{"key": [2, 1], "x" + chr(0): [1, 2]}`,
    seconds: `{"x": pa.array([1, 2], pa.duration("s"))}`,
    milliseconds: `{"x": pa.array([1500, 2500], pa.duration("ms"))}`,
    cut: `{"key": [2, 1], "x": pa.array([1, 2], pa.timestamp("ns", "UTC")), "y": pa.nulls(2)}`,
  };

  beforeAll(() => {
    const program = `import sys, numpy as np, pyarrow as pa, pyarrow.parquet as pq, pyarrow.parquet.encryption as pe
from decimal import Decimal as D
class Client(pe.KmsClient):
    def __init__(self, _): super().__init__()
    def wrap_key(self, key, _): return key
    def unwrap_key(self, key, _): return key
config = pe.EncryptionConfiguration(footer_key="f", column_keys={"k": ["x"]}, plaintext_footer=True)
keys = pe.CryptoFactory(lambda c: Client(c)).file_encryption_properties(pe.KmsConnectionConfig(), config)
def write(name, columns, **options): pq.write_table(pa.table(columns), f"{sys.argv[1]}/{name}.parquet", **options)
write("columns", {"key": [2, 1], "x": [1, 2]}, encryption_properties=keys)
`;
    const writes = Object.entries(tables).map(([name, columns]) => `write("${name}", ${columns})\n`);
    runPyarrow(program + writes.join(""), folder);
  });

  it.each(Object.keys(refused))("is refused before anything is written: %s", async (name) => {
    const error = await rejection(
      sortFile(at(`lost ${name}.parquet`), at(`${name}.parquet`), { by: by("1") }),
    );
    expect(error.message).toMatch(/^.*lost .*\.parquet has a column (A|x) .*DuckDB would (read|write)/);
    expect(readdirSync(folder)).not.toContain(`${name}.parquet`);
  });

  it("is refused in CSV, too, if other names or rounded numbers would be written", async () => {
    const errors = await Promise.all(
      ["names that differ in case alone", "decimals of more than 38 digits"].map((name) =>
        rejection(sortFile(at(`lost ${name}.parquet`), at("never.csv"), { by: by("1"), to: "csv" })),
      ),
    );
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/alone\.parquet has two columns A, or names that differ from it in case alone$/),
      expect.stringMatching(
        /digits\.parquet has a column x of the type DECIMAL\(50,2\), .* would read DOUBLE$/,
      ),
    ]);
    expect(readdirSync(folder)).not.toContain("never.csv");
  });

  it("is refused if a column has no name, or a zero byte in it", async () => {
    for (const name of ["unnamed", "zero"]) {
      const error = await rejection(sortFile(at(`${name}.parquet`), at("never.parquet"), { by: by("key") }));
      expect(error.message).toContain("column 2 has no name, or a zero byte in it");
    }
  });

  it("is refused if some columns are encrypted, under a footer that is not", async () => {
    const error = await rejection(sortFile(at("columns.parquet"), at("never.parquet"), { by: by("key") }));
    expect(error.message).toMatch(/columns\.parquet has encrypted columns/);
    expect(readdirSync(folder)).not.toContain("never.parquet");
  });

  it("is said where digits are cut off", async () => {
    const notices: (string | undefined)[] = [];
    const onDecision = ({ notice }: { notice?: string | undefined }) => notices.push(notice);
    await sortFile(at("cut.parquet"), at("out.parquet"), { by: by("key"), onDecision });
    await sortFile(at("cut.parquet"), at("out.csv"), { by: by("key"), to: "csv", onDecision });
    const isCut = "column x is read in microseconds: digits below them are cut off";
    expect(notices[0]).toMatch(new RegExp(`${isCut}; .*column y has nulls`));
    expect(notices[1]).toMatch(new RegExp(`${isCut}$`));
  });

  it("is said of files whose Arrow schemas differ, as of durations in other units", async () => {
    const notices: (string | undefined)[] = [];
    await sortFile([at("seconds.parquet"), at("milliseconds.parquet")], at("out.parquet"), {
      by: by("x"),
      onDecision: ({ notice }) => notices.push(notice),
    });
    expect(notices[0]).toMatch(/milliseconds\.parquet: another Arrow schema than in .*\/seconds\.parquet/);
  });
});

describe("several Parquet files", () => {
  it("are sorted as one, and the first difference between them is named", async () => {
    const files = [at("few.parquet"), at("few.parquet")];
    const { keyCount } = await sortFile(files, at("out.parquet"), { by: by("id") });
    expect(keyCount).toBe(40);
    await writeParquet(
      at("other.parquet"),
      "SELECT 1::BIGINT AS id, 2.5::DOUBLE AS name, [1::BIGINT] AS list",
    );
    const error = await rejection(
      sortFile([at("few.parquet"), at("other.parquet")], at("out.parquet"), { by: by("id") }),
    );
    expect(error.message).toMatch(
      /few\.parquet and .*other\.parquet differ: the column name is VARCHAR in one/,
    );
  });

  it("are not mixed with other files", async () => {
    writeFileSync(at("lines.csv"), "id\n1\n");
    const error = await rejection(
      sortFile([at("few.parquet"), at("lines.csv")], at("out.parquet"), { by: by("id") }),
    );
    expect(error.message).toMatch(/few\.parquet is a Parquet file, but .*lines\.csv is none/);
  });
});

describe("options that tables have no use for", () => {
  it.each([
    [{}, "the columns to sort by must be named"],
    [{ by: by("nome") }, "there is no column nome"],
    [{ by: [{ column: "1", named: true }] }, "there is no column 1"],
    [{ by: by("list") }, "the column list cannot be sorted by: it has the type BIGINT[]"],
    [
      { by: [{ column: "id", type: "number" }] },
      "'number' says nothing of the column id, whose type is that of the table: BIGINT",
    ],
    [{ by: by("id"), merge: true }, "a merge of sorted inputs does not apply to"],
    [{ by: by("id"), device: "gpu" }, "a device does not apply to"],
    [{ by: by("id"), to: "npy" as const }, "a table cannot be written as npy"],
    [{ by: by("id"), argsort: true, to: "parquet" as const }, "indices cannot be written as parquet"],
    [{ by: by("id"), memoryBytes: 1000 }, "1000 bytes of memory are too few for DuckDB"],
  ])("are refused: %o", async (options, problem) => {
    const error = await rejection(sortFile(at("few.parquet"), at("refused.parquet"), options));
    expect(error.message).toContain(problem);
    expect(readdirSync(folder)).not.toContain("refused.parquet");
  });

  it("are a folder of the output that is not there", async () => {
    const error = await rejection(sortFile(at("few.parquet"), at("none/out.parquet"), { by: by("id") }));
    expect(error.message).toMatch(/cannot write .*out\.parquet: there is no folder .*none$/);
  });

  it("are a second compression, and a name that promises something else", async () => {
    for (const [name, problem] of [
      ["out.parquet.gz", "is not compressed as a whole"],
      ["out.f64", "is named for f64 keys"],
      ["out.json", "is named for text"],
      ["out.npy", "is named for a NumPy array"],
    ] as const) {
      const error = await rejection(sortFile(at("few.parquet"), at(name), { by: by("id") }));
      expect(error.message).toContain(problem);
    }
  });
});
