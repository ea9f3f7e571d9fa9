import { spawnSync } from "node:child_process";
import { promises as fs } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";
import { rowsOf, writeParquet } from "./support/duckdb.js";
import { needs } from "./support/needs.js";
import { runPyarrow, withPyarrow } from "./support/pyarrow.js";

const bin = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const linux = needs(process.platform === "linux", "Linux");
const work = await Workplace.create();
afterAll(() => work.remove());

beforeAll(() =>
  writeParquet(work.path("a.parquet"), "SELECT (i * 7) % 10 AS id, i AS row FROM range(20) t(i)"),
);

const ids = async (name: string) => (await rowsOf(work.path(name))).map(([id, row]) => `${id} ${row}`);
const sorted = Array.from({ length: 20 }, (_, row) => [(row * 7) % 10, row] as const)
  .sort(([a, i], [b, j]) => a - b || i - j)
  .map((row) => row.join(" "));

describe("gpusort on Parquet", () => {
  it("names its output, and says how it sorts", async () => {
    const { code, stderr } = await work.run(["a.parquet", "--by", "id", "--explain"]);
    expect(stderr).toMatch(/^CPU, on up to \d+ threads?: DuckDB sorts tables there\n/);
    expect(stderr).toMatch(
      /\na\.parquet -> a\.sorted\.parquet: 20 rows \(.* kB|B\), by id\nDuckDB on CPU, verified, /,
    );
    expect(code).toBe(0);
    expect(await ids("a.sorted.parquet")).toEqual(sorted);
  });

  it("goes to folders here whose names DuckDB would take for those of other places", async () => {
    for (const folder of ["~", "s3:"]) {
      await fs.mkdir(work.path(folder));
      const name = `${folder}//out.parquet`;
      expect(await work.run(["a.parquet", "--by", "id", "-o", name, "-q"])).toMatchObject({
        code: 0,
        stderr: "",
      });
      expect(await work.run([name, "--by", "id", "-o", "out.parquet", "-T", folder, "-q"])).toMatchObject({
        code: 0,
      });
      expect(await ids("out.parquet")).toEqual(sorted);
    }
  });

  it("names an output of Parquet without the compression of its input, as that is of a whole file", async () => {
    await work.write("packed.csv.gz", gzipSync("id,row\n2,a\n1,b\n"));
    for (const compress of [[], ["--compress", "gz"]]) {
      const args = ["packed.csv.gz", "--by", "id", "--to", "parquet", "--force", ...compress];
      expect(await work.run([...args, "-q"])).toMatchObject({ code: 0, stderr: "" });
      expect(await ids("packed.sorted.parquet")).toEqual(["1 b", "2 a"]);
    }
  });

  it("checks the order, and says which row is out of order", async () => {
    const unsorted = await work.run(["a.parquet", "--by", "id", "-c"]);
    expect([unsorted.code, unsorted.stderr]).toEqual([
      1,
      "gpusort: a.parquet is not in order: row 3 must not follow row 2\n",
    ]);
    expect((await work.run(["a.sorted.parquet", "--by", "id", "-c"])).code).toBe(0);
    const repeated = await work.run(["a.sorted.parquet", "--by", "id", "-c", "-u"]);
    expect([repeated.code, repeated.stderr]).toEqual([
      1,
      "gpusort: a.sorted.parquet has a duplicate: row 2 must not follow row 1\n",
    ]);
    expect((await work.run(["a.sorted.parquet", "--by", "id,row", "-c", "-u"])).code).toBe(0);
  });

  it("verifies with the same meaning, and sums up rows in whatever order", async () => {
    const found = await Promise.all(
      ["a.parquet", "a.sorted.parquet"].map((name) => work.run(["verify", name, "--by", "id", "--json"])),
    );
    const [before, after] = found.map(({ stdout }) => JSON.parse(stdout.toString()));
    expect(found.map(({ code }) => code)).toEqual([1, 0]);
    expect(before).toMatchObject({ count: 20, inversions: 13, firstInversion: 1 });
    expect(after).toMatchObject({ count: 20, inversions: 0, firstInversion: null, duplicates: 10 });
    expect(after.checksum).toBe(before.checksum);
    const { stdout } = await work.run(["verify", "a.parquet", "--by", "id"]);
    expect(stdout.toString()).toMatch(
      /in order +no: 13 pairs of neighbours are out of order, the first pair begins at 1\n/,
    );
  });

  withPyarrow.it(
    "says of what it checks and verifies that digits below microseconds are not compared",
    async () => {
      const times = `pa.table({"x": pa.array([2001, 2000], pa.timestamp("ns", "UTC"))})`;
      const program = `import sys, pyarrow as pa, pyarrow.parquet as pq; pq.write_table(${times}, sys.argv[1])`;
      runPyarrow(program, work.path("ns.parquet"));
      const notice =
        "gpusort: ns.parquet: the column x is read in microseconds: digits below them are cut off\n";
      for (const args of [
        ["ns.parquet", "-c"],
        ["verify", "ns.parquet"],
      ]) {
        expect(await work.run([...args, "--by", "x"])).toMatchObject({ code: 0, stderr: notice });
      }
    },
  );

  it("says how it reads columns with control characters, on which a terminal would act", async () => {
    await work.write("odd.csv", "a\u001b[31m,b\n1,2\n");
    const { stderr } = await work.run(["odd.csv", "--by", "b", "-o", "odd.parquet"]);
    const columns = String.raw`a\u001b[31m BIGINT, b BIGINT`;
    expect(stderr.split("\n")[0]).toBe(`gpusort: the columns are read so: ${columns}`);
  });

  it("goes from standard input to standard output", async () => {
    const { code, stdout } = await work.run(["-", "--by", "id", "-o", "-"], await work.read("a.parquet"));
    expect(code).toBe(0);
    await work.write("piped.parquet", stdout);
    expect(await ids("piped.parquet")).toEqual(sorted);
  });

  it("writes the numbers of rows as NumPy arrays and as text", async () => {
    await work.run(["a.parquet", "a.parquet", "--by", "id", "--argsort", "-o", "rows.txt"]);
    const rows = (await work.read("rows.txt")).toString().trimEnd().split("\n").map(Number);
    const keys = Array.from({ length: 40 }, (_, i) => ((i % 20) * 7) % 10);
    expect(rows).toEqual([...keys.keys()].sort((a, b) => keys[a]! - keys[b]! || a - b));
    await work.run(["a.parquet", "--by", "id", "--argsort", "-o", "rows.npy"]);
    expect((await work.read("rows.npy")).subarray(1, 6).toString()).toBe("NUMPY");
  });

  it("reads back what was written with --verify=full", async () => {
    const { code } = await work.run(["a.parquet", "--by", "id", "-o", "full.parquet", "--verify=full"]);
    expect(code).toBe(0);
    expect(await ids("full.parquet")).toEqual(sorted);
  });

  it("refuses Arrow by its name and by its first bytes, with a line that makes Parquet of it", async () => {
    await work.write("a.feather", "");
    await work.write("b.bin", "ARROW1\0\0more");
    await work.write("c.bin", Buffer.from([255, 255, 255, 255, 120, 0, 0, 0, 16, 0, 0, 0]));
    for (const [name, what] of [
      ["a.feather", "an Arrow file"],
      ["b.bin", "an Arrow file"],
      ["c.bin", "an Arrow stream"],
    ] as const) {
      for (const by of [[], ["--by", "id"]]) {
        const { code, stderr } = await work.run([name, ...by]);
        expect(stderr).toContain(`gpusort: ${name} is ${what}\n  make Parquet of it`);
        expect(stderr).toContain(`pyarrow.parquet as p; p.write_table(`);
        expect(code).toBe(2);
      }
    }
  });
});

linux.describe("a sort of Parquet in place that is ended at any moment", () => {
  it("leaves either the old file or the new one, and no other but after SIGKILL", async () => {
    const rows = 200_000;
    await writeParquet(work.path("old.parquet"), `SELECT hash(i) AS id, i AS row FROM range(${rows}) t(i)`);
    await fs.mkdir(work.path("temp"));
    const args = ["victim.parquet", "--by", "id", "-o", "victim.parquet", "-q", "-T", "temp", "-S", "128M"];
    const old = await work.read("old.parquet");
    await work.write("victim.parquet", old);
    const begin = performance.now();
    expect((await work.start(args).ended).code).toBe(0);
    const wholeMs = performance.now() - begin;
    const signals = ["SIGKILL", "SIGTERM", "SIGINT"] as const;
    for (let i = 0; i < 12; i++) {
      await work.write("victim.parquet", old);
      const { child, ended } = work.start(args);
      const timer = setTimeout(() => child.kill(signals[i % 3]), 1.2 * wholeMs * ((0.618034 * (i + 1)) % 1));
      await ended;
      clearTimeout(timer);
      const after = await work.read("victim.parquet");
      if (!after.equals(old)) {
        const found = await rowsOf(work.path("victim.parquet"), "SELECT id::HUGEINT, row FROM");
        const values = found.map(([id]) => BigInt(id as string));
        expect(values.every((id, at) => at === 0 || values[at - 1]! <= id)).toBe(true);
        expect(new Set(found.map(([, row]) => row)).size).toBe(rows);
      }
      const left = [...(await work.names()), ...(await fs.readdir(work.path("temp")))].filter((name) =>
        name.endsWith(".gpusort"),
      );
      if (signals[i % 3] !== "SIGKILL") expect(left).toEqual([]);
      else {
        // The next sort removes what is left.
        expect((await work.start([...args, "--force"]).ended).code).toBe(0);
        expect(await fs.readdir(work.path("temp"))).toEqual([]);
        expect((await work.names()).filter((name) => name.endsWith(".gpusort"))).toEqual([]);
      }
    }
  });
});

describe("where DuckDB is not installed", () => {
  it("the error is the command that installs it", async () => {
    const hooks = `export async function resolve(name, context, next) {
      if (name !== "@duckdb/node-api") return next(name, context);
      throw Object.assign(new Error("not found"), { code: "ERR_MODULE_NOT_FOUND" });
    }`;
    await work.write("hooks.mjs", hooks);
    await work.write(
      "hide.mjs",
      'import { register } from "node:module"; register("./hooks.mjs", import.meta.url);',
    );
    const args = ["--import", `./hide.mjs`, bin, "a.parquet", "--by", "id", "-o", "none.parquet"];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: work.folder, encoding: "utf8" });
    expect(stderr).toBe(
      "gpusort: Parquet needs npm packages that are not installed\n  npm install @duckdb/node-api@1.5.6-r.1\n",
    );
    expect(status).toBe(2);
    expect(await work.names()).not.toContain("none.parquet");
  });
});
