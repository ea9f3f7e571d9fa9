import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { type ElementType, elementType, elementTypes, type KeyArray } from "../../src/core/elements.js";
import { makeCuts } from "../../src/jobs/cut.js";
import { finishJob } from "../../src/jobs/finish.js";
import type { JobFolder } from "../../src/jobs/folder.js";
import { type PlanOptions, planJob } from "../../src/jobs/make_plan.js";
import { mergePart } from "../../src/jobs/merge_part.js";
import { sortRun } from "../../src/jobs/sort_run.js";
import { jobStatus } from "../../src/jobs/status.js";
import { TaskTools } from "../../src/jobs/task.js";
import { sortFile } from "../../src/sort/sort_file.js";
import { nodeHasZstd } from "../support/compressed.js";
import { distributions, valuesOf } from "../support/keys.js";

const root = await fs.mkdtemp(join(tmpdir(), "gpusort-job-"));
afterAll(() => fs.rm(root, { recursive: true }));
let folder = "";
let count = 0;
const at = (name: string) => join(folder, name);
const onCpu = { device: "cpu", threads: 1 } as const;

async function freshFolder(): Promise<void> {
  folder = join(root, String(count++));
  await fs.mkdir(folder);
}
beforeEach(freshFolder);

const indices = (length: number) => Array.from({ length }, (_, i) => i);

/** Plans and runs all tasks, each run and part in an order of its own. */
async function runJob(names: readonly string[], options: Partial<PlanOptions> = {}): Promise<JobFolder> {
  const { job } = await planJob(names.map(at), { job: at("J"), output: at("OUT"), ...options });
  for (const run of indices(job.runs).reverse()) await sortRun(job, run, onCpu);
  await makeCuts(job);
  for (const part of indices(job.parts).reverse()) await mergePart(job, part, onCpu);
  await finishJob(job);
  return job;
}

const parts = async (job: JobFolder) =>
  Promise.all(indices(job.parts).map((part) => fs.readFile(job.partPath(part))));

const bytesOf = (keys: ArrayBufferView) => Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);

/** The lengths of n items in p parts. */
const equalParts = (n: number, p: number) =>
  indices(p).map((i) => Math.floor(((i + 1) * n) / p) - Math.floor((i * n) / p));

describe("a job", () => {
  const input = fc.record({
    sizes: fc.array(fc.nat({ max: 700 }), { minLength: 1, maxLength: 5 }),
    type: fc.constantFrom(...elementTypes),
    keys: fc.constantFrom(...Object.keys(distributions)),
    runs: fc.integer({ min: 1, max: 6 }),
    parts: fc.integer({ min: 1, max: 9 }),
    descending: fc.boolean(),
    memoryBytes: fc.constantFrom(2 ** 12, 2 ** 16, 2 ** 26),
  });

  it("writes what one sort writes, in parts of equal lengths, for any runs, sizes and keys", async () => {
    await fc.assert(
      fc.asyncProperty(input, async ({ sizes, type, keys, runs, parts: p, ...options }) => {
        await freshFolder();
        const names = sizes.map((_, i) => `in${i}.${type.name}`);
        for (const [i, size] of sizes.entries()) {
          await fs.writeFile(at(names[i]!), bytesOf(distributions[keys]!(type, size)));
        }
        const total = sizes.reduce((sum, size) => sum + size, 0);
        const runBytes = Math.max(1, Math.ceil(total / runs)) * type.bytes;
        const job = await runJob(names, { ...options, parts: p, runBytes });
        const written = await parts(job);
        expect(written.map(({ length }) => length / type.bytes)).toEqual(equalParts(total, p));
        expect(job.plan.runs.flat().reduce((sum, [, , taken]) => sum + taken!, 0)).toBe(total);
        await sortFile(names.map(at), at("one"), { ...onCpu, descending: options.descending, to: "raw" });
        expect(sameKeys(type, Buffer.concat(written), await fs.readFile(at("one")))).toBe(true);
      }),
      { numRuns: 6 },
    );
  });

  it("keeps the order of records with equal keys, across runs and parts", async () => {
    const record = fc.record({
      sizes: fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 4 }),
      values: fc.constantFrom(1, 2, 5, 1000),
      runItems: fc.integer({ min: 60, max: 200 }),
      parts: fc.integer({ min: 1, max: 9 }),
      descending: fc.boolean(),
      memoryBytes: fc.constantFrom(2 ** 13, 2 ** 26),
    });
    await fc.assert(
      fc.asyncProperty(record, async ({ sizes, values, runItems, parts: p, ...options }) => {
        await freshFolder();
        let serial = 0;
        const names = sizes.map((_, i) => `in${i}.bin`);
        const all: { key: number; serial: number }[] = [];
        for (const [i, size] of sizes.entries()) {
          const bytes = Buffer.alloc(size * 8);
          for (let j = 0; j < size; j++, serial++) {
            const key = Math.imul(serial + 1, 0x9e3779b1) >>> 0;
            bytes.writeUInt32BE(key % values, j * 8);
            bytes.writeUInt32LE(serial, j * 8 + 4);
            all.push({ key: key % values, serial });
          }
          await fs.writeFile(at(names[i]!), bytes);
        }
        const keys = [{ offset: 0, bytes: 4 }];
        const reading = { recordBytes: 8, keys, runBytes: runItems * 8, parts: p };
        const written = await parts(await runJob(names, { ...options, ...reading }));
        all.sort((a, b) => (options.descending ? b.key - a.key : a.key - b.key)); // stable
        const output = Buffer.concat(written);
        const serials = indices(output.length / 8).map((i) => output.readUInt32LE(i * 8 + 4));
        expect(serials).toEqual(all.map((one) => one.serial));
        expect(written.map(({ length }) => length / 8)).toEqual(equalParts(all.length, p));
      }),
      { numRuns: 5 },
    );
  });

  it("keeps the first of equal keys, although they lie in several runs", async () => {
    const unique = fc.record({
      sizes: fc.array(fc.nat({ max: 500 }), { minLength: 1, maxLength: 4 }),
      values: fc.constantFrom(1, 3, 50, 5000),
      runItems: fc.integer({ min: 100, max: 300 }),
      parts: fc.integer({ min: 1, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(unique, async ({ sizes, values, runItems, parts: p }) => {
        await freshFolder();
        const arrays = sizes.map((size, i) =>
          Uint32Array.from({ length: size }, (_, j) => (Math.imul(j + 7 * i, 0x9e3779b1) >>> 0) % values),
        );
        const names = sizes.map((_, i) => `in${i}.u32`);
        for (const [i, name] of names.entries()) await fs.writeFile(at(name), bytesOf(arrays[i]!));
        const job = await runJob(names, { unique: true, parts: p, runBytes: runItems * 4 });
        const expected = Uint32Array.from(new Set(arrays.flatMap((array) => [...array]))).sort();
        expect(Buffer.concat(await parts(job))).toEqual(bytesOf(expected));
      }),
      { numRuns: 6 },
    );
  });

  it("reads and writes NumPy arrays, text, compressed files and big-endian keys", async () => {
    const keys = Int32Array.from({ length: 5000 }, (_, i) => Math.imul(i, 0x9e3779b1));
    const sorted = keys.slice().sort();
    await fs.writeFile(at("a.i32"), bytesOf(keys.subarray(0, 2000)));
    await fs.writeFile(at("b.i32"), bytesOf(keys.subarray(2000)));
    const inputs = [at("a.i32"), at("b.i32")];
    const cases: readonly (readonly [string[], Partial<PlanOptions>])[] = [
      [["a.npy", "b.npy"], {}],
      [["a.txt", "b.txt"], { type: "i32" }],
      [["a.txt.gz", "b.txt.gz"], { type: "i32" }],
      [["a.i32.gz", "b.i32.gz"], {}],
    ];
    for (const [names, options] of cases) {
      const made = at(`made-${names[0]}`);
      await fs.mkdir(made);
      for (const [i, name] of names.entries()) {
        await sortFile(inputs[i]!, join(made, name), { ...onCpu, descending: i === 0 });
      }
      await fs.mkdir(at(`job-${names[0]}`));
      const job = await planAndRun(made, names, { ...options, parts: 3, runBytes: 4000 });
      const all = indices(job.parts).map((part) => job.partPath(part));
      await sortFile(all, at("one.i32"), { ...onCpu, type: "i32", to: "raw", merge: true });
      expect(await fs.readFile(at("one.i32"))).toEqual(bytesOf(sorted));
    }
    await fs.writeFile(at("big.i32"), bytesOf(keys).swap32());
    const job = await runJob(["big.i32"], { byteOrder: "big", parts: 2, runBytes: 5000 });
    expect(Buffer.concat(await parts(job)).swap32()).toEqual(bytesOf(sorted));
  });

  it.runIf(!nodeHasZstd)("is not planned if Node cannot compress its parts", async () => {
    await fs.writeFile(at("in.u32"), new Uint32Array(4));
    await expect(runJob(["in.u32"], { compress: "zst" })).rejects.toThrow(
      "cannot write the parts: this version of Node cannot compress to zstd",
    );
    expect(await fs.readdir(folder)).toEqual(["in.u32"]);
  });

  it("writes text from binary keys, with a header where the inputs have one", async () => {
    await fs.writeFile(at("a.txt"), "price\n3\n-1\n");
    await fs.writeFile(at("b.txt"), "price\n2\n");
    const job = await runJob(["a.txt", "b.txt"], { header: true, type: "f64", parts: 2, runBytes: 1 });
    const written = (await parts(job)).map(String);
    expect(written).toEqual(["price\n-1\n", "price\n2\n3\n"]);
  });

  it("does nothing twice, and says so", async () => {
    await fs.writeFile(at("a.u32"), bytesOf(Uint32Array.from([5, 3, 9, 1, 1, 7])));
    const job = await runJob(["a.u32"], { parts: 2, runBytes: 8 });
    const before = await fs.stat(job.partPath(1), { bigint: true });
    expect((await sortRun(job, 0, onCpu)).wasDone).toBe(true);
    expect((await makeCuts(job)).wasDone).toBe(true);
    expect((await mergePart(job, 1, onCpu)).wasDone).toBe(true);
    expect(await finishJob(job)).toEqual(await finishJob(job));
    expect((await fs.stat(job.partPath(1), { bigint: true })).ino).toBe(before.ino);
    const again = await planJob([at("a.u32")], { ...sameOptions(job), job: at("J"), output: at("OUT") });
    expect([again.wasDone, again.job.id]).toEqual([true, job.id]);
    expect(await jobStatus(job)).toEqual({
      job: job.id,
      runs: 3,
      parts: 2,
      sorted: [0, 1, 2],
      sorting: [],
      cut: true,
      merged: [0, 1],
      merging: [],
      finished: true,
    });
  });

  const sameOptions = ({ plan }: JobFolder) => ({ parts: 2, runBytes: 8, memoryBytes: plan.memoryBytes });

  it("writes the same bytes if two workers run one task at once", async () => {
    const keys = distributions.uniform!(elementType("u64"), 20_000);
    await fs.writeFile(at("a.u64"), bytesOf(keys));
    const { job } = await planJob([at("a.u64")], {
      job: at("J"),
      output: at("OUT"),
      parts: 3,
      runBytes: 50_000,
    });
    const twice = <T>(work: () => Promise<T>) => Promise.all([work(), work()]);
    for (const run of indices(job.runs)) await twice(() => sortRun(job, run, onCpu));
    await twice(() => makeCuts(job));
    for (const part of indices(job.parts)) await twice(() => mergePart(job, part, onCpu));
    await twice(() => finishJob(job));
    expect(Buffer.concat(await parts(job))).toEqual(bytesOf(keys.slice().sort()));
    expect((await fs.readdir(at("OUT"))).filter((name) => name.startsWith("."))).toEqual([]);
    expect(await fs.readdir(at("J/leases"))).toEqual([]);
  });

  it("writes the same in tasks that share an engine, of any sizes and in any order", async () => {
    const count = fc.integer({ min: 1, max: 30_000 });
    const tasks = fc.record({ count, runItems: fc.integer({ min: 4000, max: 20_000 }), parts: count });
    await fc.assert(
      fc.asyncProperty(tasks, async ({ count: n, runItems, parts: most }) => {
        await freshFolder();
        const keys = distributions.uniform!(elementType("u64"), n);
        await fs.writeFile(at("a.u64"), bytesOf(keys));
        const options = { parts: (most % 7) + 1, runBytes: runItems * 8 };
        const { job } = await planJob([at("a.u64")], { job: at("J"), output: at("OUT"), ...options });
        const tools = new TaskTools(2);
        try {
          const shared = { device: "cpu", threads: 2, tools };
          for (const run of indices(job.runs).reverse()) await sortRun(job, run, shared);
          await makeCuts(job);
          for (const part of indices(job.parts).reverse()) await mergePart(job, part, shared);
          const { engine } = await tools.engines.open("cpu");
          expect((await tools.engines.open("cpu")).engine).toBe(engine);
        } finally {
          await tools.close();
        }
        await finishJob(job);
        expect(Buffer.concat(await parts(job)).equals(bytesOf(keys.slice().sort()))).toBe(true);
      }),
      { numRuns: 6 },
    );
  });

  it("removes the runs at the end if that is asked for, and nothing that it needs", async () => {
    await fs.writeFile(at("a.u32"), bytesOf(Uint32Array.from([5, 3, 9])));
    const job = await runJob(["a.u32"], { parts: 2, runBytes: 4 });
    await finishJob(job, { removeRuns: true });
    expect((await fs.readdir(at("J/runs"))).every((name) => name.endsWith(".json"))).toBe(true);
    expect((await finishJob(job)).items).toBe(3);
  });
});

async function planAndRun(made: string, names: readonly string[], options: Partial<PlanOptions>) {
  const paths = names.map((name) => join(made, name));
  const { job } = await planJob(paths, { job: `${made}-J`, output: `${made}-OUT`, ...options });
  for (const run of indices(job.runs)) await sortRun(job, run, onCpu);
  await makeCuts(job);
  for (const part of indices(job.parts)) await mergePart(job, part, onCpu);
  await finishJob(job);
  return job;
}

/** Whether two files hold the same keys in the same order, where the order of NaNs among themselves is free. */
function sameKeys(type: ElementType, a: Buffer, b: Buffer): boolean {
  if (type.order !== "float") return a.equals(b);
  const numbers = (bytes: Buffer) => valuesOf(new type.array(new Uint8Array(bytes).buffer) as KeyArray);
  const [x, y] = [numbers(a), numbers(b)];
  return x.length === y.length && x.every((key, i) => Object.is(key, y[i]));
}
