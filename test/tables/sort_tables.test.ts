import { execFile, execFileSync } from "node:child_process";
import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as arrow from "apache-arrow";
import { compressionRegistry } from "apache-arrow";
import * as parquet from "parquet-wasm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { sortFile } from "../../src/external/sort_file.js";
import type { SortFileOptions } from "../../src/external/sort_options.js";

const command = fileURLToPath(new URL("../../bin/gpusort.js", import.meta.url));
let folder = "";
const at = (name: string) => join(folder, name);
const onCpu = { device: "cpu", threads: 1 } as const;

const ROWS = 500;
const ids = Array.from({ length: ROWS }, (_, i) => BigInt((i * 7919) % 251) * 2n ** 40n - 2n ** 46n);
const names = Array.from({ length: ROWS }, (_, i) => (i % 7 === 0 ? null : `name ${(i * 31) % 50}`));

function table(metadata = new Map([["owner", "tests"]])): arrow.Table {
  const columns = {
    id: arrow.vectorFromArray(ids, new arrow.Int64()),
    name: arrow.vectorFromArray(names, new arrow.Utf8()),
    city: arrow.vectorFromArray(names, new arrow.Dictionary(new arrow.Utf8(), new arrow.Int16())),
    row: arrow.vectorFromArray(
      Array.from({ length: ROWS }, (_, i) => i),
      new arrow.Int32(),
    ),
    list: arrow.vectorFromArray(
      ids.map((_, i) => (i % 5 === 0 ? null : [i, i + 1])),
      new arrow.List(new arrow.Field("item", new arrow.Int32(), true)),
    ),
  };
  const plain = new arrow.Table(columns);
  const schema = new arrow.Schema(plain.schema.fields, metadata);
  return new arrow.Table(
    schema,
    plain.batches.map((batch) => new arrow.RecordBatch(schema, batch.data)),
  );
}

const asParquet = (from: arrow.Table) => {
  const settings = new parquet.WriterPropertiesBuilder()
    .setCompression(parquet.Compression.ZSTD)
    .setMaxRowGroupSize(120)
    .build();
  return parquet.writeParquet(parquet.Table.fromIPCStream(arrow.tableToIPC(from, "stream")), settings);
};

async function read(name: string): Promise<arrow.Table> {
  const bytes = new Uint8Array(await fs.readFile(at(name)));
  return arrow.tableFromIPC(name.endsWith("parquet") ? parquet.readParquet(bytes).intoIPCStream() : bytes);
}

const column = (from: arrow.Table, name: string) =>
  [...from.getChild(name)!].map((value) => value?.toJSON?.() ?? value);
const rowsBy = (compare: (a: number, b: number) => number) =>
  Array.from({ length: ROWS }, (_, row) => row).sort((a, b) => compare(a, b) || a - b);
const byId = (a: number, b: number) => Number(ids[a]! - ids[b]! > 0n) - Number(ids[a]! - ids[b]! < 0n);
const byName = (a: number, b: number) => {
  const [x, y] = [names[a], names[b]];
  if (x === null || y === null) return Number(x === null) - Number(y === null);
  return x! < y! ? -1 : Number(x! > y!);
};

beforeAll(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), "gpusort-tables-"));
  await fs.writeFile(at("a.arrow"), arrow.tableToIPC(table(), "file"));
  await fs.writeFile(at("a.arrows"), arrow.tableToIPC(table(), "stream"));
  await fs.writeFile(at("a.parquet"), asParquet(table()));
});
afterAll(() => fs.rm(folder, { recursive: true }));

const sorted = async (from: string, to: string, options: SortFileOptions) => {
  const summary = await sortFile(at(from), at(to), { ...onCpu, ...options });
  return { summary, table: await read(to) };
};

describe("a sort of tables", () => {
  const files = ["a.arrow", "a.arrows", "a.parquet"];
  it.each(files.flatMap((from) => ["arrow", "arrows", "parquet"].map((to) => [from, to] as const)))(
    "moves all columns of %s into %s, and keeps types and metadata",
    async (from, to) => {
      const { table: out, summary } = await sorted(from, `out.${to}`, {
        by: [{ column: "name" }, { column: "id", descending: true }],
      });
      const rows = rowsBy((a, b) => byName(a, b) || byId(b, a));
      expect(column(out, "row")).toEqual(rows);
      const before = await read(from);
      for (const name of ["id", "name", "city", "list"]) {
        const values = column(before, name);
        expect(column(out, name), name).toEqual(rows.map((row) => values[row]));
      }
      expect(out.schema.fields.map(({ type }) => String(type))).toEqual(
        before.schema.fields.map(({ type }) => String(type)),
      );
      expect(out.schema.metadata.get("owner")).toBe("tests");
      expect(summary).toMatchObject({ type: "row", keyCount: ROWS, written: ROWS, verified: true });
    },
  );

  it.each(files)(
    "keeps the first of equal rows of %s, only the first rows, or their indices",
    async (from) => {
      const by = [{ column: "1" }]; // a number, as no column is named so
      const unique = rowsBy(byId).filter((row, i, all) => i === 0 || ids[row] !== ids[all[i - 1]!]);
      const name = `few.${from.split(".")[1]}`;
      expect(column((await sorted(from, name, { by, unique: true })).table, "row")).toEqual(unique);
      expect(column((await sorted(from, name, { by, head: 7, descending: true })).table, "row")).toEqual(
        rowsBy((a, b) => byId(b, a)).slice(0, 7),
      );
      await sortFile(at(from), at("order.u32"), { ...onCpu, by, argsort: true });
      const indices = new Uint32Array(new Uint8Array(await fs.readFile(at("order.u32"))).buffer);
      expect([...indices]).toEqual(rowsBy(byId));
    },
  );

  it("sorts several files as one, and puts nulls first if it is told to", async () => {
    await sortFile([at("a.arrow"), at("a.parquet")], at("two.arrow"), {
      ...onCpu,
      by: [{ column: "city", nulls: "first" }],
    });
    const both = column(await read("two.arrow"), "row");
    const isNull = (row: number) => names[row] === null;
    const expected = rowsBy((a, b) => Number(isNull(b)) - Number(isNull(a)) || byName(a, b));
    const groups = new Map<string | null, number[]>();
    for (const row of expected) groups.set(names[row]!, [...(groups.get(names[row]!) ?? []), row]);
    expect(both).toEqual([...groups.values()].flatMap((rows) => [...rows, ...rows]));
  });

  it("writes the codec of the input, statistics, and how the rows are in order", async () => {
    await sorted("a.parquet", "meta.parquet", { by: [{ column: "list" }] }).catch(() => {});
    await sorted("a.parquet", "meta.parquet", { by: [{ column: "row", descending: true }] });
    const { parseFooter, codecsOf } = await import("../../src/tables/parquet_footer.js");
    const bytes = new Uint8Array(await fs.readFile(at("meta.parquet")));
    const length = new DataView(bytes.buffer).getUint32(bytes.length - 8, true);
    const footer = parseFooter(bytes.subarray(bytes.length - 8 - length, -8));
    expect(new Set(codecsOf(footer.groups[0]!).values())).toEqual(new Set([6]));
    const sorting = footer.groups[0]!.get(4)!.value as { items: Map<number, { value: unknown }>[] };
    expect([...sorting.items[0]!.values()].map(({ value }) => value)).toEqual([3n, true, false]);
  });

  it.each([
    [{ by: [{ column: "nam" }] }, /there is no column nam/, /did you mean name\?/],
    [{ by: [{ column: "6" }] }, /there is no column 6/, /id, name/],
    [
      { by: [{ column: "list" }] },
      /the column list cannot be sorted by: it has the type List/,
      /others move/,
    ],
    [{ by: [{ column: "id", type: "u8" }] }, /the column id has a type already/, /leave the type out/],
    [{}, /a\.arrow is an Arrow file, so the columns/, /name one/],
    [{ by: [{ column: "id" }], merge: true }, /the option merge has no effect/, /leave it out/],
    [{ by: [{ column: "id" }], to: "npy" }, /a table cannot be written as npy/, /Arrow or Parquet/],
    [{ by: [{ column: "id" }], memoryBytes: 1000 }, /takes more than \d+ bytes of memory/, /more of it/],
  ] as const)("refuses %j", async (options, message, hint) => {
    const error = await sortFile(at("a.arrow"), at("refused.arrow"), { ...onCpu, ...options }).catch(
      (e) => e,
    );
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
    await expect(fs.access(at("refused.arrow"))).rejects.toThrow();
  });

  it.each([
    ["rows.csv", {}, "is named for text, but would hold an Arrow file"],
    ["rows.npy", {}, "is named for a NumPy array, but would hold an Arrow file"],
    ["rows.zip", {}, "is named for a zip file, but would hold an Arrow file"],
    ["numbers.parquet", { argsort: true }, "is named for a Parquet file, but would hold u32 keys"],
  ])("refuses to write %s, whose name promises something else", async (name, options, message) => {
    const sorting = sortFile(at("a.arrow"), at(name), { ...onCpu, by: [{ column: "id" }], ...options });
    await expect(sorting).rejects.toThrow(message);
    await expect(fs.access(at(name))).rejects.toThrow();
  });

  it("writes a name that promises something else if the format is named, or if the input has it", async () => {
    const by = [{ column: "id" }];
    await sortFile(at("a.arrow"), at("named.zip"), { ...onCpu, by, to: "arrow" });
    await sortFile(at("named.zip"), at("again.zip"), { ...onCpu, by });
    expect(await fs.readFile(at("again.zip"))).toEqual(await fs.readFile(at("named.zip")));
  });

  it("names the first difference between tables", async () => {
    const other = new arrow.Table({ id: arrow.vectorFromArray([1], new arrow.Int32()) });
    await fs.writeFile(at("other.arrow"), arrow.tableToIPC(other, "file"));
    const both = sortFile([at("a.arrow"), at("other.arrow")], at("x.arrow"), {
      ...onCpu,
      by: [{ column: "id" }],
    });
    await expect(both).rejects.toThrow(/differ: the column id is Int64 in one and Int32 in the other/);
  });

  it("refuses columns of what is no table, and tables without columns", async () => {
    await fs.writeFile(at("keys.u32"), new Uint8Array(16));
    await expect(sortFile(at("keys.u32"), at("x"), { by: [{ column: "a" }] })).rejects.toThrow(
      /columns do not apply to .*keys\.u32/,
    );
    await expect(sortFile(at("keys.u32"), at("x"), { to: "parquet" })).rejects.toThrow(/only tables/);
  });
});

describe("the command", () => {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [command, ...args, "--threads", "1"], { cwd: folder });

  it("sorts, names its output, converts, and checks the order", async () => {
    const { stderr } = await run("a.parquet", "--by", "city,id:desc", "--to", "arrow", "--device", "cpu");
    expect(stderr).toContain("a.parquet -> a.sorted.arrow: 500 rows");
    expect(stderr).toContain("by city, id descending");
    await run("-c", "a.sorted.arrow", "--by", "city,id:desc");
    const failed = await run("-c", "a.arrow", "--by", "city").catch((error) => error);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/a\.arrow is not in order: row \d+ must not follow row \d+/);
  });
});

describe("a damaged file", () => {
  /** A mutation by its number, always the same. */
  function mutated(bytes: Uint8Array, number: number): Uint8Array {
    let state = number + 1;
    const random = (below: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    if (number % 3 === 0) return bytes.slice(0, random(bytes.length));
    const copy = bytes.slice();
    for (let i = 0; i < (number % 3 === 1 ? 1 : 6); i++) {
      const inFooter = random(2) === 0;
      const place = inFooter ? copy.length - 1 - random(Math.min(800, copy.length)) : random(copy.length);
      copy[place]! ^= 1 << random(8);
    }
    return copy;
  }

  it.each(["a.arrow", "a.arrows", "a.parquet"])(
    "like %s is sorted or gives an InputError that names it, and no output",
    async (from) => {
      const bytes = new Uint8Array(await fs.readFile(at(from)));
      const name = `damaged.${from.split(".")[1]}`;
      let refused = 0;
      for (let number = 0; number < 150; number++) {
        const damaged = mutated(bytes, number);
        await fs.writeFile(at(name), damaged);
        await fs.rm(at(`out-${name}`), { force: true });
        const options = { ...onCpu, by: [{ column: "1" }], format: from.split(".")[1] as "arrow" };
        const error = await sortFile(at(name), at(`out-${name}`), options).catch((cause) => cause);
        if (!(error instanceof Error)) continue;
        refused++;
        expect(error, `mutation ${number}: ${error.stack}`).toBeInstanceOf(InputError);
        await expect(fs.access(at(`out-${name}`))).rejects.toThrow();
        if (number % 3 === 0) expect(error.message).toContain(name);
      }
      expect(refused).toBeGreaterThan(50); // every file that was cut short
    },
    240_000,
  );
});

/** A Python that has pyarrow; undefined if there is none. */
const python = [process.env.GPUSORT_TEST_PYARROW ?? "", "python3"].find((name) => {
  try {
    execFileSync(name, ["-c", "import pyarrow, duckdb"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});
if (!python) {
  process.stderr.write(
    "SKIPPED: the tests with pyarrow and DuckDB: no Python has them (name one in GPUSORT_TEST_PYARROW)\n",
  );
}

const CHECK = `
import sys, duckdb, pyarrow as pa, pyarrow.parquet as pq, pyarrow.compute as pc
before, after = pq.read_table(sys.argv[1]), pq.read_table(sys.argv[2])
before.validate(full=True); after.validate(full=True)
plain = before.set_column(2, "city", before["city"].cast(pa.string()))
order = pc.sort_indices(plain, sort_keys=[("city", "ascending"), ("id", "descending"), ("row", "ascending")])
assert after.schema.equals(before.schema, check_metadata=True), after.schema
assert after.equals(before.take(order)) or after.to_pylist() == before.take(order).to_pylist()
query = "SELECT row FROM '%s' ORDER BY city NULLS LAST, id DESC NULLS LAST, row"
ducks = [row for row, in duckdb.sql(query % sys.argv[1]).fetchall()]
assert [row for row, in duckdb.sql("SELECT row FROM '%s'" % sys.argv[2]).fetchall()] == ducks
group = pq.ParquetFile(sys.argv[2]).metadata.row_group(0)
assert [(c.column_index, c.descending) for c in group.sorting_columns] == [(2, False), (0, True)], group.sorting_columns
assert group.column(0).statistics.has_min_max
fe = __import__("pyarrow.feather").feather
for codec in ("lz4", "zstd", "uncompressed"): fe.write_feather(before, sys.argv[1] + "." + codec + ".arrow", compression=codec)
`;

/** Makes a row group of many types, as pyarrow packs it. */
const MAKE = `
import sys, pyarrow as pa, pyarrow.parquet as pq
n = 20000
table = pa.table({
  "key": [i * 7919 % 503 for i in range(n)],
  "text": [None if i % 7 == 0 else f"text {i % 900} {'y' * (i % 40)}" for i in range(n)],
  "list": [None if i % 5 == 0 else list(range(i % 6)) for i in range(n)],
  "struct": [{"a": i, "b": f"b{i % 9}"} for i in range(n)],
  "dictionary": pa.array([f"d{i % 50}" for i in range(n)]).dictionary_encode(),
  "decimal": pa.array(list(range(n))).cast(pa.decimal128(24, 2)),
  "bool": [i % 3 == 0 for i in range(n)],
})
dictionaries = {"all": True, "none": False}.get(sys.argv[4], [sys.argv[4]])
pq.write_table(table, sys.argv[1], row_group_size=n, data_page_version=sys.argv[2], compression=sys.argv[3],
  use_dictionary=dictionaries, data_page_size=int(sys.argv[5]))
`;
const COMPARE = `
import sys, pyarrow.parquet as pq, pyarrow.compute as pc
before, after = pq.read_table(sys.argv[1]), pq.read_table(sys.argv[2])
order = pc.sort_indices(before, sort_keys=[("key", "ascending")])
assert after.schema.equals(before.schema, check_metadata=True), after.schema
assert after.to_pylist() == before.take(order).to_pylist()
`;

describe.skipIf(!python)("pyarrow and DuckDB", () => {
  it.each([
    ["1.0", "snappy", "all", "8192"],
    ["1.0", "none", "text", "1000"],
    ["2.0", "zstd", "none", "8192"],
    ["2.0", "gzip", "all", "1000000"],
  ])("read a row group that was read in pieces: pages %s, packed by %s, dictionaries %s", async (...how) => {
    execFileSync(python!, ["-c", MAKE, at("pieces.parquet"), ...how]);
    const options = { ...onCpu, by: [{ column: "key" }], memoryBytes: 5_000_000 };
    const { external } = await sortFile(at("pieces.parquet"), at("py.parquet"), options);
    expect(external!.runs).toBeGreaterThan(1);
    execFileSync(python!, ["-c", COMPARE, at("pieces.parquet"), at("py.parquet")], { stdio: "inherit" });
  });

  it.each([
    ["in memory", undefined],
    ["out of core", 70_000],
  ])(
    "read the same rows in the same order, sorted %s; and what pyarrow packs is read",
    async (_, memoryBytes) => {
      const by = [{ column: "city" }, { column: "id", descending: true }];
      const { external } = await sortFile(at("a.parquet"), at("py.parquet"), { ...onCpu, by, memoryBytes });
      expect(external !== undefined).toBe(memoryBytes !== undefined);
      execFileSync(python!, ["-c", CHECK, at("a.parquet"), at("py.parquet")], { stdio: "inherit" });
      const rows = column(await read("py.parquet"), "row");
      for (const codec of ["lz4", "zstd", "uncompressed"]) {
        const { table: out } = await sorted(`a.parquet.${codec}.arrow`, `${codec}.arrow`, { by });
        expect(column(out, "row")).toEqual(rows);
      }
      expect(compressionRegistry.get(arrow.CompressionType.LZ4_FRAME)).toBeTruthy();
    },
  );
});
