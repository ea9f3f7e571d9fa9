import { execFile } from "node:child_process";
import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Worker } from "node:worker_threads";
import * as arrow from "apache-arrow";
import * as parquet from "parquet-wasm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { GpusortError, InputError } from "../../src/core/errors.js";
import { sortFile } from "../../src/external/sort_file.js";
import type { SortFileOptions } from "../../src/external/sort_options.js";
import { TaskThreads } from "../../src/threads/task_threads.js";

let folder = "";
const { run } = TaskThreads.prototype;
/** What ran the tasks of the last sort, how many threads it had, and how many tasks unpacked something. */
let used: { threads: TaskThreads<unknown>; most: number; unpacked: number } | undefined;
const at = (name: string) => join(folder, name);
const bytesOf = (name: string) => fs.readFile(at(name));

/** So many rows of 45 bytes make a file for which two threads start. */
const ROWS = 400_000;
const GROUP_ROWS = 70_000;

/** Numbers that do not pack, and strings. */
function table(): arrow.Table {
  let state = 1;
  const words = new Uint32Array(8 * ROWS).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state ^ (state >>> 15);
  });
  const numbers = (i: number) => new Float64Array(words.buffer, 8 * ROWS * i, ROWS);
  const text = new Uint8Array(words.buffer, 0, 8 * ROWS).map((byte) => 97 + (byte & 15));
  const offsets = Int32Array.from({ length: ROWS + 1 }, (_, i) => 8 * i - (i % 5));
  const type = new arrow.Utf8();
  return new arrow.Table({
    id: arrow.makeVector(new Uint32Array(words.buffer, 0, ROWS)),
    few: arrow.makeVector(Uint8Array.from({ length: ROWS }, (_, i) => words[i]! % 7)),
    a: arrow.makeVector(numbers(0)),
    b: arrow.makeVector(numbers(1)),
    c: arrow.makeVector(numbers(2)),
    d: arrow.makeVector(numbers(3)),
    text: arrow.makeVector(arrow.makeData({ type, length: ROWS, valueOffsets: offsets, data: text })),
  });
}

/** Makes a file of row groups. */
function packed(from: arrow.Table, groupRows: number): Uint8Array {
  const settings = new parquet.WriterPropertiesBuilder()
    .setCompression(parquet.Compression.SNAPPY)
    .setMaxRowGroupSize(groupRows)
    .build();
  return parquet.writeParquet(parquet.Table.fromIPCStream(arrow.tableToIPC(from, "stream")), settings);
}

beforeAll(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), "gpusort-parquet-threads-"));
  const rows = table();
  await fs.writeFile(at("groups.parquet"), packed(rows, GROUP_ROWS));
  await fs.writeFile(at("one.parquet"), packed(rows, ROWS));
  await fs.writeFile(at("a.arrow"), arrow.tableToIPC(rows, "file"));
}, 60_000);
afterAll(() => fs.rm(folder, { recursive: true }));
beforeEach(() => {
  used = undefined;
  vi.spyOn(TaskThreads.prototype, "run").mockImplementation(function (this: TaskThreads<unknown>, ...args) {
    const { work } = args[0] as { work?: string };
    used = {
      threads: this,
      most: Math.max(used?.most ?? 0, this.running),
      unpacked: (used?.unpacked ?? 0) + Number(work === "unpack"),
    };
    return run.apply(this, args);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const onCpu = { device: "cpu", by: [{ column: "few" }, { column: "id", descending: true }] } as const;

/** Sorts on so many threads, and requires that so many ran and none is left. */
async function sorted(from: string, to: string, threads: number, options: SortFileOptions = {}) {
  const summary = await sortFile(at(from), at(to), { ...onCpu, threads, ...options });
  expect(used?.most).toBe(threads === 1 ? 0 : threads);
  expect(used?.threads.running).toBe(0);
  return summary;
}

it.each([
  ["several row groups", "groups.parquet", {}],
  ["one row group", "one.parquet", {}],
  ["rows of an Arrow file", "a.arrow", { to: "parquet" }],
  ["the first rows", "groups.parquet", { head: 300_000 }],
  ["rows that do not fit in memory", "groups.parquet", { memoryBytes: 40_000_000 }],
] as const)("threads do not change a byte of the output: %s", async (_, from, options) => {
  const { external } = await sorted(from, "1.parquet", 1, options);
  expect(external !== undefined).toBe("memoryBytes" in options);
  const one = await bytesOf("1.parquet");
  await sorted(from, "2.parquet", 2, options);
  expect(one.equals(await bytesOf("2.parquet"))).toBe(true);
  const read = arrow.tableFromIPC(parquet.readParquet(one).intoIPCStream());
  const [few, id] = [read.getChild("few")!.toArray(), read.getChild("id")!.toArray()];
  const { numRows } = read; // it is counted anew each time
  expect(numRows).toBe("head" in options ? options.head : ROWS);
  for (let i = 1; i < numRows; i++) {
    if (few[i - 1] > few[i] || (few[i - 1] === few[i] && id[i - 1] < id[i])) expect.fail(`row ${i}`);
  }
});

/** Rows of many types, all of which follow from `id`, beside numbers that do not pack. */
function mixed(): arrow.Table {
  const id = Int32Array.from({ length: ROWS }, (_, i) => (i * 7919) % ROWS);
  const name = new arrow.Utf8();
  const letters = Uint8Array.from({ length: 4 * ROWS }, (_, i) => 97 + ((id[i >> 2]! >> (2 * (i & 3))) & 15));
  const names = arrow.makeData({
    type: name,
    length: ROWS,
    valueOffsets: Int32Array.from({ length: ROWS + 1 }, (_, i) => 4 * i),
    data: letters,
  });
  const x = arrow.makeData({ type: new arrow.Int32(), length: ROWS, data: id });
  const fields = [new arrow.Field("x", x.type, true), new arrow.Field("name", name, true)];
  const point = new arrow.Struct(fields);
  const pairs = new arrow.List(new arrow.Field("item", x.type, true));
  const pair = arrow.makeData({
    type: new arrow.Int32(),
    length: 2 * ROWS,
    data: Int32Array.from({ length: 2 * ROWS }, (_, i) => id[i >> 1]! + (i & 1)),
  });
  const kind = new arrow.Dictionary(name, new arrow.Int32());
  const time = new arrow.TimestampMicrosecond("Europe/Berlin");
  const noise = table();
  const columns = ["a", "b", "c", "d", "text"].map((name) => [name, noise.getChild(name)!] as const);
  return new arrow.Table({
    ...Object.fromEntries<arrow.Vector>(columns),
    point: arrow.makeVector(arrow.makeData({ type: point, length: ROWS, children: [x, names] })),
    pair: arrow.makeVector(
      arrow.makeData({
        type: pairs,
        length: ROWS,
        valueOffsets: Int32Array.from({ length: ROWS + 1 }, (_, i) => 2 * i),
        child: pair,
      }),
    ),
    "point.x": arrow.makeVector(names),
    kind: arrow.makeVector(
      arrow.makeData({
        type: kind,
        length: ROWS,
        data: id.map((one) => one % 3),
        dictionary: arrow.vectorFromArray(["a", "b", "c"], name),
      }),
    ),
    time: arrow.makeVector(
      arrow.makeData({ type: time, length: ROWS, data: BigInt64Array.from(id, (one) => BigInt(one)) }),
    ),
    id: arrow.makeVector(x),
  });
}

it("fewer row groups than threads are read column by column, whatever their types", async () => {
  const rows = mixed();
  await fs.writeFile(at("mixed.parquet"), packed(rows, ROWS));
  // Enough that no rows are measured first.
  const byId = { by: [{ column: "id" }], memoryBytes: 2 ** 36 };
  await sorted("mixed.parquet", "1.parquet", 1, byId);
  expect(used?.unpacked).toBe(0); // by the calling thread
  const one = await bytesOf("1.parquet");
  used = undefined;
  await sorted("mixed.parquet", "2.parquet", 2, byId);
  expect(used!.unpacked).toBeGreaterThan(3);
  expect(one.equals(await bytesOf("2.parquet"))).toBe(true);
  const read = arrow.tableFromIPC(parquet.readParquet(await bytesOf("2.parquet")).intoIPCStream());
  expect(read.schema.fields.map(String)).toEqual(rows.schema.fields.map(String));
  const column = (name: string) => read.getChild(name)!;
  for (let i = 0; i < ROWS; i += 997) {
    const name = Array.from({ length: 4 }, (_, at) => String.fromCharCode(97 + ((i >> (2 * at)) & 15))).join(
      "",
    );
    expect(column("id").get(i)).toBe(i);
    expect(column("point").get(i)!.toJSON()).toEqual({ x: i, name });
    expect([...column("pair").get(i)!]).toEqual([i, i + 1]);
    expect([column("point.x").get(i), column("kind").get(i)]).toEqual([name, "abc"[i % 3]]);
    expect(column("time").get(i)).toBe(i / 1000); // milliseconds
  }
}, 60_000);

it("a file of a few rows starts none", async () => {
  await fs.writeFile(at("few.parquet"), packed(table().slice(0, 5000), 1000));
  await sortFile(at("few.parquet"), at("out.parquet"), { ...onCpu, threads: 2 });
  expect(used?.most).toBe(0);
});

it.each(["groups.parquet", "one.parquet"])(
  "a damaged row group is the same error with threads and without, and leaves nothing: %s",
  async (whole) => {
    const bytes = await bytesOf(whole);
    bytes.fill(0xff, 9_000_000, 10_000_000);
    await fs.writeFile(at("damaged.parquet"), bytes);
    const failed = (threads: number) =>
      sorted("damaged.parquet", "none.parquet", threads).catch((cause) => cause);
    const [alone, other] = [await failed(1), await failed(2)];
    expect(used?.most).toBe(2);
    expect(used?.threads.running).toBe(0);
    expect(alone).toBeInstanceOf(InputError);
    expect(alone.message).toMatch(/damaged\.parquet cannot be read as a Parquet file: /);
    expect(other).toMatchObject({ name: alone.name, message: alone.message, hint: alone.hint });
    await expect(fs.access(at("none.parquet"))).rejects.toThrow();
  },
);

it.each(["reading", "writing"])(
  "a signal while it is %s ends the threads, and leaves nothing",
  async (when) => {
    const controller = new AbortController();
    const stopped = sortFile(at("groups.parquet"), at("none.parquet"), {
      ...{ ...onCpu, threads: 2, signal: controller.signal },
      onProgress: ({ phase }) => {
        if (phase === when) controller.abort(new Error("enough"));
      },
    });
    await expect(stopped).rejects.toThrow("enough");
    expect(used?.most).toBe(2);
    expect(used?.threads.running).toBe(0);
    await expect(fs.access(at("none.parquet"))).rejects.toThrow();
  },
);

it("a thread that ends meanwhile is an error that names the way out, and leaves nothing", async () => {
  const workers: Worker[] = [];
  const note = (worker: Worker) => workers.push(worker);
  process.on("worker", note);
  let tasks = 0;
  vi.mocked(TaskThreads.prototype.run).mockImplementation(function (this: TaskThreads<unknown>, ...args) {
    const result = run.apply(this, args);
    // The first task is done by now, and others are under way.
    if (this.running > 0 && ++tasks === 4) for (const worker of workers) void worker.terminate();
    return result;
  });
  try {
    const stopped = sortFile(at("groups.parquet"), at("none.parquet"), { ...onCpu, threads: 2 });
    const error = await stopped.catch((cause) => cause);
    expect(error).toBeInstanceOf(GpusortError);
    expect(error.message).toBe("a thread that reads and writes tables ended: it ended");
    expect(error.options).toEqual(["threads"]);
    await expect(fs.access(at("none.parquet"))).rejects.toThrow();
  } finally {
    process.off("worker", note);
  }
});

it("the command's threads find their code", async () => {
  const hook = `let ready = 0;
    process.on("worker", (worker) => worker.on("message", (message) => (ready += message?.kind === "ready")));
    process.on("exit", () => process.stderr.write("ready: " + ready));`;
  await fs.writeFile(at("hook.cjs"), hook);
  const command = fileURLToPath(new URL("../../bin/gpusort.js", import.meta.url));
  const args = [
    "groups.parquet",
    "--by",
    "few,id:desc",
    "--device",
    "cpu",
    "--threads",
    "2",
    "-o",
    "c.parquet",
  ];
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ["--require", at("hook.cjs"), command, ...args],
    {
      cwd: folder,
    },
  );
  expect(stderr).toContain("ready: 2");
  await sorted("groups.parquet", "1.parquet", 1);
  expect((await bytesOf("c.parquet")).equals(await bytesOf("1.parquet"))).toBe(true);
});
