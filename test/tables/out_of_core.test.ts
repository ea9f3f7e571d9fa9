import { createReadStream, promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import * as arrow from "apache-arrow";
import fc from "fast-check";
import * as parquet from "parquet-wasm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { findTableDisorder } from "../../src/external/check_tables.js";
import { findTables } from "../../src/external/find_tables.js";
import { sortFile } from "../../src/external/sort_file.js";
import type { SortFileOptions } from "../../src/external/sort_options.js";

let folder = "";
const at = (name: string) => join(folder, name);
const onCpu = { device: "cpu", threads: 1 } as const;

beforeAll(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), "gpusort-out-of-core-"));
});
beforeEach(async () => {
  for (const name of await fs.readdir(folder)) await fs.rm(at(name), { recursive: true });
});
afterAll(() => fs.rm(folder, { recursive: true }));

type Row = Record<string, unknown>;

/** Columns of many types, a few values of each, so that many rows are equal. */
const columns: { name: string; type: arrow.DataType; value: fc.Arbitrary<unknown> }[] = [
  { name: "int", type: new arrow.Int32(), value: fc.integer({ min: -3, max: 3 }) },
  { name: "wide", type: new arrow.Int64(), value: fc.bigInt(-5n, 5n).map((n) => n * 2n ** 50n) },
  { name: "float", type: new arrow.Float64(), value: fc.constantFrom(0, -0, 1.5, Number.NaN, -1e300) },
  { name: "bool", type: new arrow.Bool(), value: fc.boolean() },
  { name: "text", type: new arrow.Utf8(), value: fc.constantFrom("", "a", "long ".repeat(9), "é", "a\0") },
  {
    name: "city",
    type: new arrow.Dictionary(new arrow.Utf8(), new arrow.Int16()),
    value: fc.constantFrom("Rome", "Oslo", "", "Rom", "Zürich"),
  },
];
const listType = new arrow.List(new arrow.Field("item", new arrow.Int32(), true));
const structType = new arrow.Struct([
  new arrow.Field("d", new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8()), true),
]);

/** A batch of rows. Each has dictionaries of its own. */
function batchOf(schema: arrow.Schema, rows: readonly Row[]): arrow.RecordBatch {
  const children = schema.fields.map(({ name, type }) => {
    const values = rows.map((row) => row[name] ?? null);
    return rows.length === 0
      ? arrow.makeData({ type, length: 0 } as never)
      : arrow.vectorFromArray(values as never, type as never).data[0]!;
  });
  const type = new arrow.Struct(schema.fields);
  return new arrow.RecordBatch(
    schema,
    arrow.makeData({ type, length: rows.length, nullCount: 0, children: children as never }),
  );
}

const schema = new arrow.Schema(
  [
    ...columns.map(({ name, type }) => new arrow.Field(name, type, true)),
    new arrow.Field("row", new arrow.Int32(), true),
    new arrow.Field("list", listType, true),
    new arrow.Field("struct", structType, true),
  ],
  new Map([["owner", "tests"]]),
);

type Settings = parquet.WriterPropertiesBuilder;

/** Writes rows in batches or row groups of so many rows. @param settings those of Parquet. */
async function write(
  name: string,
  rows: readonly Row[],
  batchRows: number,
  settings = (builder: Settings): Settings => builder,
): Promise<void> {
  const isParquet = name.endsWith("parquet");
  const fields = isParquet ? schema.fields.filter((field) => field.name !== "struct") : schema.fields;
  const own = new arrow.Schema(fields, schema.metadata);
  const starts = Array.from({ length: Math.ceil(rows.length / batchRows) }, (_, i) => i * batchRows);
  if (name.endsWith("arrows")) {
    // Dictionaries may be replaced in a stream, and so they are from batch to batch.
    const parts = starts.map((start) => {
      const batch = batchOf(own, rows.slice(start, start + batchRows));
      return arrow.tableToIPC(new arrow.Table([batch]), "stream");
    });
    const [first] = parts;
    const schemaBytes = first ? 8 + new DataView(first.buffer, first.byteOffset).getInt32(4, true) : 0;
    if (!first) return fs.writeFile(at(name), arrow.tableToIPC(new arrow.Table(own, []), "stream"));
    const bodies = parts.map((part, i) => part.subarray(i === 0 ? 0 : schemaBytes, -8));
    return fs.writeFile(at(name), Buffer.concat([...bodies, first.subarray(-8)]));
  }
  const whole = batchOf(own, rows);
  const batches = starts.map((start) => whole.slice(start, start + batchRows));
  const table = new arrow.Table(own, batches);
  if (!isParquet) return fs.writeFile(at(name), arrow.tableToIPC(table, "file"));
  const builder = settings(new parquet.WriterPropertiesBuilder().setMaxRowGroupSize(batchRows));
  const from = parquet.Table.fromIPCStream(arrow.tableToIPC(table, "stream"));
  return fs.writeFile(at(name), parquet.writeParquet(from, builder.build()));
}

async function read(name: string): Promise<arrow.Table> {
  const bytes = new Uint8Array(await fs.readFile(at(name)));
  return arrow.tableFromIPC(name.endsWith("parquet") ? parquet.readParquet(bytes).intoIPCStream() : bytes);
}

const plain = (value: unknown): unknown =>
  typeof value === "bigint" || Object.is(value, -0) || Number.isNaN(value)
    ? `${Object.is(value, -0) ? "-0" : value}`
    : ((value as { toJSON?: () => unknown })?.toJSON?.() ?? value);

/** All that a reader sees of a table. */
const contents = (table: arrow.Table) => ({
  fields: table.schema.fields.map(({ name, type, nullable }) => `${name} ${type} ${nullable}`),
  owner: table.schema.metadata.get("owner"),
  rows: table.schema.fields.map(({ name }) => JSON.stringify([...table.getChild(name)!].map(plain))),
});

const rowsOf = (count: number, random: (n: number) => number): Row[] =>
  Array.from({ length: count }, (_, row) => ({
    ...{ int: random(7), wide: BigInt(random(1000)) << 40n, float: random(50) / 7, bool: random(2) === 1 },
    ...{ text: random(9) === 0 ? null : `text ${random(300)}`, city: `city ${random(40)}`, row },
    ...{ list: random(4) === 0 ? null : [row, random(9)], struct: { d: random(5) ? `d${random(9)}` : null } },
  }));

/** Numbers that look random, the same in each run. */
function randomNumbers(seed = 1) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Sorts in memory and out of core, and requires the same result. @returns the summary of the latter. */
async function bothWays(from: readonly string[], to: string, options: SortFileOptions, memoryBytes: number) {
  const inputs = from.map(at);
  const atOnce = await sortFile(inputs, at(`once-${to}`), { ...onCpu, ...options });
  const summary = await sortFile(inputs, at(to), { ...onCpu, ...options, memoryBytes });
  expect(atOnce.external).toBe(undefined);
  const { written, keyCount, bytes, by } = atOnce;
  expect(summary).toMatchObject({ written, keyCount, by, verified: true });
  // Each piece of a row group has offsets and bits of its own.
  expect(Math.abs(summary.bytes - bytes)).toBeLessThanOrEqual(0.05 * bytes);
  expect(contents(await read(to))).toEqual(contents(await read(`once-${to}`)));
  expect((await fs.readdir(folder)).filter((name) => name.startsWith("."))).toEqual([]);
  return summary;
}

describe("a sort of tables out of core", () => {
  const row = fc.record(
    Object.fromEntries(columns.map(({ name, value }) => [name, fc.option(value, { freq: 6 })])),
  );
  const job = fc.record({
    few: fc.array(row, { minLength: 1, maxLength: 12 }),
    counts: fc.array(fc.nat(250), { minLength: 1, maxLength: 3 }),
    seed: fc.nat(1000),
    from: fc.constantFrom("arrow", "arrows", "parquet"),
    to: fc.constantFrom("arrow", "arrows", "parquet"),
    batchRows: fc.integer({ min: 1, max: 25 }),
    by: fc.array(
      fc.record({
        column: fc.constantFrom(...columns.map(({ name }) => name)),
        descending: fc.boolean(),
        nulls: fc.constantFrom("first" as const, "last" as const),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    unique: fc.boolean(),
    descending: fc.boolean(),
    head: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined, freq: 3 }),
  });

  it("gives what a sort in memory gives, for all types, formats and options", async () => {
    let runs = 0;
    const many = {
      ...fc.sample(job, { numRuns: 1, seed: 1 })[0]!,
      ...{
        counts: [250, 250, 250],
        from: "arrow" as const,
        to: "arrow" as const,
        unique: false,
        head: undefined,
      },
    };
    await fc.assert(
      fc.asyncProperty(job, async ({ few, counts, seed, from, to, batchRows, ...options }) => {
        const random = randomNumbers(seed);
        let next = 0;
        const names = counts.map((_, i) => `in${i}.${from}`);
        for (const [i, count] of counts.entries()) {
          const rows = Array.from({ length: count }, () => ({
            ...few[random(few.length)],
            ...{ row: next++, list: random(3) ? [next] : null, struct: { d: `${random(20)}` } },
          }));
          await write(names[i]!, rows, batchRows);
        }
        const output = from === "arrow" && to === "parquet" ? "out.arrow" : `out.${to}`;
        const summary = await bothWays(names, from === "arrows" ? "out.arrows" : output, options, 30_000);
        runs = Math.max(runs, summary.external?.runs ?? 0);
      }),
      { numRuns: 15, examples: [[many]] },
    );
    expect(runs).toBeGreaterThan(3);
  }, 60_000);

  it.each(["arrow", "parquet"])("sorts many runs of %s, and says so", async (format) => {
    await write(`a.${format}`, rowsOf(6000, randomNumbers()), 100);
    const strategies: unknown[] = [];
    const summary = await bothWays(
      [`a.${format}`],
      `b.${format}`,
      {
        by: [{ column: "text" }, { column: "float", descending: true }],
        onDecision: (d) => strategies.push(d.strategy),
      },
      100_000,
    );
    expect(summary.external!.runs).toBeGreaterThan(8);
    expect(summary.external!.buckets).toBeGreaterThan(4);
    expect(summary.external!.temporaryBytes).toBeGreaterThan(300_000);
    expect(strategies[1]).toEqual({ kind: "rows out of core" });
    expect(summary.phases.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["read", "sort", "spill", "gather", "write", "publish"]),
    );
  });

  it("merges more runs than fit in memory at once, in several passes", async () => {
    await write("a.arrow", rowsOf(6000, randomNumbers()), 20);
    const by = [{ column: "text" }, { column: "int", descending: true }];
    const few = await bothWays(["a.arrow"], "b.arrow", { by }, 300_000);
    for (const options of [{}, { unique: true }, { head: 3000 }]) {
      const { external } = await bothWays(["a.arrow"], "b.arrow", { by, ...options }, 50_000);
      expect(external!.runs).toBeGreaterThan(80);
      const passes = external!.temporaryBytes / few.external!.temporaryBytes;
      expect(passes).toBeGreaterThan(2);
      expect(passes).toBeLessThan(4.5);
    }
  }, 60_000);

  it("writes an Arrow file byte for byte as a sort in memory does", async () => {
    const random = randomNumbers();
    const count = 200_000;
    const table = new arrow.Table({
      key: arrow.makeVector(Int32Array.from({ length: count }, () => random(1000))),
      row: arrow.makeVector(Int32Array.from({ length: count }, (_, row) => row)),
    });
    const batches = Array.from(
      { length: 20 },
      (_, i) => table.slice(i * 10_000, (i + 1) * 10_000).batches[0]!,
    );
    await fs.writeFile(at("a.arrow"), arrow.tableToIPC(new arrow.Table(batches), "file"));
    const summary = await bothWays(["a.arrow"], "b.arrow", { by: [{ column: "key" }] }, 6_000_000);
    expect(summary.external!.runs).toBeGreaterThan(1);
    const [once, now] = await Promise.all(["once-b.arrow", "b.arrow"].map((name) => fs.readFile(at(name))));
    expect(Buffer.compare(once!, now!)).toBe(0);
  });

  it.each([
    ["constant keys", () => 7],
    ["keys that change once in each run", (row: number) => Math.floor(row / 150)],
    ["keys in order", (row: number) => row],
    ["keys in reversed order", (row: number) => -row],
    ["keys that most runs share", (row: number) => (row % 97 === 0 ? row : 3)],
  ])("keeps the order of equal rows across runs: %s", async (_, int) => {
    const rows = rowsOf(1500, randomNumbers()).map((one, row) => ({ ...one, int: int(row) }));
    await write("a.arrows", rows, 30);
    for (const options of [
      {},
      { unique: true },
      { head: 700 },
      { unique: true, head: 2, descending: true },
    ]) {
      const summary = await bothWays(
        ["a.arrows"],
        "b.arrow",
        { by: [{ column: "int" }], ...options },
        50_000,
      );
      expect(summary.external!.runs).toBeGreaterThan(4);
    }
  });

  /** Values and pages of few rows, so that the pages of columns end in different places. */
  const inPages = (rows: number) => (builder: Settings) =>
    builder.setDataPageSizeLimit(4 * rows).setWriteBatchSize(rows);

  it.each<[string, (builder: Settings) => Settings]>([
    ["of one page for each column", (builder) => builder],
    ["of small pages", inPages(17)],
    ["without dictionaries", (builder) => inPages(100)(builder).setDictionaryEnabled(false)],
    ["of small dictionaries", (builder) => inPages(64)(builder).setDictionaryPageSizeLimit(200)],
    [
      "of pages of the second version",
      (builder) => inPages(50)(builder).setWriterVersion(parquet.WriterVersion.V2),
    ],
    ["that is packed by zstd", (builder) => inPages(50)(builder).setCompression(parquet.Compression.ZSTD)],
  ])("reads a row group %s in pieces that fit in memory", async (_, settings) => {
    const rows = rowsOf(20_000, randomNumbers());
    await write("a.parquet", rows, 20_000, settings);
    const by = [{ column: "text" }, { column: "float", descending: true }];
    const { external } = await bothWays(["a.parquet"], "b.parquet", { by }, 2_000_000);
    expect(external!.runs).toBeGreaterThan(2);
    const once = { ...onCpu, by, memoryBytes: 2_000_000, threads: 2 };
    await sortFile(at("a.parquet"), at("c.parquet"), once);
    expect(Buffer.compare(await fs.readFile(at("b.parquet")), await fs.readFile(at("c.parquet")))).toBe(0);
  });

  it("reads a row group of equal long texts in pieces that fit in memory", async () => {
    const text = arrow.vectorFromArray(Array(10_000).fill("long ".repeat(200)), new arrow.Utf8());
    const from = parquet.Table.fromIPCStream(arrow.tableToIPC(new arrow.Table({ text }), "stream"));
    await fs.writeFile(at("a.parquet"), parquet.writeParquet(from));
    const { external } = await bothWays(["a.parquet"], "b.parquet", { by: [{ column: "text" }] }, 6_000_000);
    expect(external!.runs).toBeGreaterThan(1);
  });

  it("reads fewer rows at a time where they are longer", async () => {
    const texts = (row: number) => "x".repeat(row > 9000 && row < 9400 ? 2000 : row % 20);
    const rows = rowsOf(15_000, randomNumbers()).map((one, row) => ({ ...one, text: texts(row) + row }));
    await write("a.parquet", rows, 15_000, (builder) => inPages(20)(builder).setDictionaryEnabled(false));
    const { external } = await bothWays(["a.parquet"], "b.arrow", { by: [{ column: "text" }] }, 2_500_000);
    expect(external!.runs).toBeGreaterThan(1);
  });

  it("writes the indices of rows, in all formats of numbers", async () => {
    await write("a.arrow", rowsOf(3000, randomNumbers()), 30);
    await write("b.arrow", rowsOf(1000, randomNumbers(2)), 30);
    for (const [name, unique] of [
      ["order.u32", false],
      ["order.npy", true],
    ] as const) {
      const options = { ...onCpu, by: [{ column: "text" }, { column: "city" }], argsort: true, unique };
      const inputs = [at("a.arrow"), at("b.arrow")];
      await sortFile(inputs, at(name), options);
      const expected = await fs.readFile(at(name));
      const { external } = await sortFile(inputs, at(name), { ...options, memoryBytes: 40_000 });
      expect(external!.runs).toBeGreaterThan(3);
      expect(Buffer.compare(await fs.readFile(at(name)), expected)).toBe(0);
    }
  });

  it("sorts in place, and pipes", async () => {
    await write("a.parquet", rowsOf(2000, randomNumbers()), 50);
    const options = { ...onCpu, by: [{ column: "text" }], memoryBytes: 60_000 };
    const pipe = createReadStream(at("a.parquet"));
    const piped = await sortFile(pipe, at("piped.parquet"), {
      ...options,
      format: "parquet",
      tempDir: folder,
    });
    expect(piped.external!.runs).toBeGreaterThan(2);
    await sortFile(at("a.parquet"), at("a.parquet"), options);
    expect(contents(await read("a.parquet"))).toEqual(contents(await read("piped.parquet")));
    expect((await fs.readdir(folder)).sort()).toEqual(["a.parquet", "piped.parquet"]);
  });

  it("finds the first row that is out of order, in parts", async () => {
    const rows = rowsOf(2000, randomNumbers()).map((one, row) => ({
      ...one,
      city: `city ${1000 + (row >> 1)}`,
    }));
    const disorder = async (unique: boolean) => {
      await write("a.arrows", rows, 30);
      const { tables } = await findTables([at("a.arrows")], { by: [{ column: "city" }] });
      return findTableDisorder(tables!, unique, { by: [{ column: "city" }], memoryBytes: 30_000 });
    };
    expect(await disorder(false)).toBe(undefined);
    expect(await disorder(true)).toBe(1);
    for (const wrong of [1, 29, 30, 999, 1500, 1999]) {
      const { city } = rows[wrong]!;
      rows[wrong]!.city = "city 0";
      expect(await disorder(false)).toBe(wrong);
      rows[wrong]!.city = city;
    }
  });
});

describe("a sort of tables out of core that fails", () => {
  const by = [{ column: "wide" }];

  it.each([
    ["arrow", /batch 2 of .*a\.arrow takes more than (\d+) bytes of memory/, /smaller batches/],
    ["parquet", /row group 2 of .*a\.parquet takes more than (\d+) bytes of memory/, /smaller row groups/],
  ])(
    "names a batch or page of %s that is too large, and the memory that it takes",
    async (format, ...texts) => {
      const [message, hint] = texts;
      const random = randomNumbers();
      const long = () => Array.from({ length: 200 }, () => `${random(1e9)}`).join("");
      const rows = rowsOf(500, random).map((one, row) => (row < 300 ? one : { ...one, text: long() }));
      await write(`a.${format}`, rows, 250);
      const sortIn = (memoryBytes: number) =>
        sortFile(at(`a.${format}`), at(`b.${format}`), { ...onCpu, by, memoryBytes });
      let memoryBytes = 150_000;
      // What the pages take is known before what their rows take.
      for (let attempts = 0; attempts < 2; attempts++) {
        const error = await sortIn(memoryBytes).catch((cause) => cause);
        if (!(error instanceof Error) && attempts > 0) break;
        expect(error).toBeInstanceOf(InputError);
        const needed = Number(message.exec(error.message)?.[1]);
        expect(needed).toBeGreaterThan(memoryBytes);
        expect((error as InputError).hint).toMatch(hint);
        expect((error as InputError).options).toEqual(["memoryBytes"]);
        expect(await fs.readdir(folder)).toEqual([`a.${format}`]);
        memoryBytes = needed;
      }
      expect((await sortIn(memoryBytes)).written).toBe(500);
    },
  );

  it("reads a damaged row group in pieces, or names the file", async () => {
    const rows = rowsOf(6000, randomNumbers());
    await write("a.parquet", rows, 6000, (builder) =>
      builder.setDataPageSizeLimit(2000).setWriteBatchSize(500),
    );
    const bytes = await fs.readFile(at("a.parquet"));
    const random = randomNumbers(7);
    let [sorted, refused] = [0, 0];
    for (let i = 0; i < 60; i++) {
      const damaged = Buffer.from(bytes);
      for (let j = 0; j < 3; j++) damaged[random(bytes.length)]! ^= 1 << random(8);
      await fs.writeFile(at("a.parquet"), damaged);
      await sortFile(at("a.parquet"), at("b.arrow"), { ...onCpu, by, memoryBytes: 1_000_000 }).then(
        () => sorted++,
        (error) => {
          expect(error).toBeInstanceOf(InputError);
          expect(error.message).toContain("a.parquet");
          refused++;
        },
      );
    }
    expect(Math.min(sorted, refused)).toBeGreaterThan(0);
  }, 60_000);

  it("names the dictionaries, if these are too large", async () => {
    const rows = rowsOf(3000, randomNumbers()).map((one, row) => ({ ...one, city: `city ${row}` }));
    await write("a.arrows", rows, 30);
    const sorted = sortFile(at("a.arrows"), at("b.arrows"), { ...onCpu, by, memoryBytes: 60_000 });
    await expect(sorted).rejects.toThrow(/to sort the dictionaries of .*a\.arrows takes more than/);
    expect(await fs.readdir(folder)).toEqual(["a.arrows"]);
  });

  it.each(["sorting", "writing runs", "writing"])(
    "by a signal while it is %s leaves nothing",
    async (when) => {
      await write("a.arrow", rowsOf(3000, randomNumbers()), 30);
      const controller = new AbortController();
      const sorted = sortFile(at("a.arrow"), at("b.arrow"), {
        ...{ ...onCpu, by, memoryBytes: 60_000, tempDir: folder, signal: controller.signal },
        onProgress: ({ phase }) => {
          if (phase === when) controller.abort(new Error("enough"));
        },
      });
      await expect(sorted).rejects.toThrow("enough");
      expect(await fs.readdir(folder)).toEqual(["a.arrow"]);
    },
  );

  it("at a write of the output leaves nothing", async () => {
    await write("a.arrow", rowsOf(3000, randomNumbers()), 30);
    let writes = 0;
    const full = new Writable({
      write: (_chunk, _encoding, done) => done(++writes > 3 ? new Error("the other end is gone") : null),
    });
    full.on("error", () => {}); // the caller's own
    const options = { ...onCpu, by, memoryBytes: 60_000, tempDir: folder };
    await expect(sortFile(at("a.arrow"), full, options)).rejects.toThrow("the other end is gone");
    expect(writes).toBe(4);
    expect(await fs.readdir(folder)).toEqual(["a.arrow"]);
  });
});
