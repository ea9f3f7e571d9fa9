import { execFileSync, spawnSync } from "node:child_process";
import { promises as fs, mkdirSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { Workplace } from "./support/command.js";
import { needs } from "./support/needs.js";

const posix = needs(process.platform !== "win32", "a POSIX system");
const bin = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));

const work = await Workplace.create();
const mounts: string[] = [];
afterAll(async () => {
  for (const path of mounts) execFileSync("umount", [path]);
  await work.remove();
});

const keys = BigUint64Array.from({ length: 2 ** 18 }, (_, i) =>
  BigInt.asUintN(64, BigInt(i) * 0x9e3779b97f4a7c15n),
);
const sorted = Buffer.from(keys.slice().sort().buffer);

beforeEach(async () => {
  for (const name of await work.names()) {
    if (!mounts.some((path) => path.endsWith(name))) await fs.rm(work.path(name), { recursive: true });
  }
  await work.write("keys.u64", new Uint8Array(keys.buffer));
});

const plan = ["job", "plan", "keys.u64", "--job", "J", "-o", "OUT", "--parts", "3", "--run-size", "1M"];
const RUNS = 2;
const onCpu = ["--device", "cpu"];

async function succeed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await work.run(args);
  expect([code, args.join(" ")], stderr).toEqual([0, args.join(" ")]);
  return stdout.toString() + stderr;
}

async function output(): Promise<Buffer> {
  const parts = readdirSync(work.path("OUT")).filter((name) => name.startsWith("part-"));
  return Buffer.concat(await Promise.all(parts.sort().map((name) => work.read(`OUT/${name}`))));
}

describe("gpusort job", () => {
  it("sorts, task by task, each in a process of its own", async () => {
    const planned = await succeed(...plan);
    expect(planned).toMatch(/^planned: .*J\n {2}inputs {5}1 file of u64 keys, 2\.10 MB, ascending\n/);
    expect(planned).toContain("parts      3, in ");
    for (let run = 0; run < RUNS; run++) {
      expect(await succeed("job", "sort", "J", String(run), ...onCpu)).toMatch(
        new RegExp(`^run ${run} of 2: 131,072 items \\(1\\.05 MB\\), sorted on CPU`),
      );
    }
    expect(await succeed("job", "sort", "J", ...onCpu)).toMatch(/^run 0 of 2: .*, done before\nrun 1 of 2: /);
    expect(await succeed("job", "status", "J")).toBe(
      "sorted    2 of 2\ncut       no\nmerged    0 of 3; missing: 0-2\nfinished  no\n",
    );
    await succeed("job", "cut", "J");
    await succeed("job", "merge", "J", "0-1", "2", ...onCpu);
    expect(await succeed("job", "finish", "J")).toMatch(
      /^finished: .*OUT: 262,144 items in 3 parts, ascending\n/,
    );
    expect(await output()).toEqual(sorted);
    const status = JSON.parse(await succeed("job", "status", "J", "--json"));
    expect(status).toMatchObject({ runs: 2, parts: 3, sorted: [0, 1], merged: [0, 1, 2], finished: true });
  });

  it("names the tasks that come next by the numbers that there are", async () => {
    const next = (planned: string) => planned.match(/(?<=gpusort job (?:sort|merge) \S+) .+$/gm);
    expect(next(await succeed(...plan))).toEqual([" 0   … 1", " 0   … 2"]);
    const folders = ["--job", "J1", "-o", "OUT1"];
    const one = ["job", "plan", "keys.u64", ...folders, "--parts", "1", "--run-size", "4M"];
    expect(next(await succeed(...one))).toEqual([" 0", " 0"]);
  });

  it("offers no way to read lines and tables, which it refuses", async () => {
    const { stdout } = await work.run(["job", "plan", "--help"]);
    expect(stdout.toString()).toMatch(/input format: raw, npy, text or records \(/);
    expect(stdout.toString()).not.toMatch(/of lines|arrow|parquet/);
  });

  it("prints a plan, receipts and the result as JSON", async () => {
    const planned = JSON.parse(await succeed(...plan, "--json", "-S", "64M"));
    expect(planned).toMatchObject({ runs: 2, parts: 3, wasDone: false, taskMemoryBytes: 2 ** 26 });
    expect(JSON.parse(await succeed(...plan, "--json"))).toEqual({ ...planned, wasDone: true });
    const receipts = (await succeed("job", "sort", "J", "--json", ...onCpu)).trim().split("\n");
    expect(receipts.map((line) => JSON.parse(line).index)).toEqual([0, 1]);
    expect(JSON.parse(await succeed("job", "cut", "J", "--json"))).toMatchObject({
      parts: 3,
      wasDone: false,
    });
    await succeed("job", "merge", "J", "-q", ...onCpu);
    const success = JSON.parse(await succeed("job", "finish", "J", "--json"));
    const verified = JSON.parse((await work.run(["verify", "keys.u64", "--json"])).stdout.toString());
    expect(success).toMatchObject({ items: keys.length, duplicates: 0, checksum: verified.checksum });
    expect(success.parts.map(({ name }: { name: string }) => name)).toEqual([
      "part-00000-of-00003.u64",
      "part-00001-of-00003.u64",
      "part-00002-of-00003.u64",
    ]);
  });

  it.each([
    [["job", "sort", "none"], /^gpusort: there is no job in .*none: it has no plan\.json\n {2}plan it first/],
    [[...plan.slice(0, -4), "--parts", "0"], /^gpusort: --parts/],
    [[...plan, "-S", "many"], /^gpusort: --memory 'many' is not an amount of memory/],
    [[...plan, "--run-size", "x"], /^gpusort: --run-size 'x' is not an amount of memory/],
    [[...plan, "--to", "lines"], /^gpusort: a job cannot write its parts as lines\n.*\(--to\)/],
    [["job", "plan", "keys.u64", "--job", "J"], /^gpusort: required option '-o, --output <folder>'/],
    [["job", "nonsense"], /unknown command 'nonsense'/],
  ])("refuses %j with 2, which tells an engine not to try again", async (args, message) => {
    const { code, stderr } = await work.run(args);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(await work.names()).toEqual(expect.not.arrayContaining(["J", "OUT"]));
  });

  it("refuses inputs that were changed since the plan, with 2", async () => {
    await succeed(...plan);
    await work.write("keys.u64", new Uint8Array(8));
    const { code, stderr } = await work.run(["job", "sort", "J", ...onCpu]);
    expect(stderr).toMatch(/keys\.u64 was changed since the job was planned\n {2}plan the job anew/);
    expect(code).toBe(2);
  });

  it("says a file beside the parts of a finished job, with 2, and keeps its success", async () => {
    await succeed(...plan);
    for (const command of ["sort", "merge"]) {
      await succeed("job", command, "J", ...onCpu);
      if (command === "sort") await succeed("job", "cut", "J");
    }
    await succeed("job", "finish", "J");
    await work.write("OUT/notes", "");
    const { code, stderr } = await work.run(["job", "finish", "J"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/OUT holds notes, which the job did not write\n {2}/),
    ]);
    expect(readdirSync(work.path("OUT"))).toContain("_SUCCESS.json");
    expect(await succeed("job", "status", "J")).toContain("finished  yes");
  });

  it("ends with 3 where the device is not there, with 4 where another task must run first", async () => {
    await succeed(...plan);
    const sort = await work.run(["job", "sort", "J", "--device", "no such GPU"]);
    expect(sort.stderr).toMatch(/no such GPU/);
    expect(sort.code).toBe(3);
    const cut = await work.run(["job", "cut", "J"]);
    expect(cut.stderr).toMatch(
      /^gpusort: 2 of 2 runs are not sorted yet\n {2}run gpusort job sort .*J 0-1, then/,
    );
    expect(cut.code).toBe(4);
  });

  it("leaves nothing half-written where a worker is killed, and another one goes on", async () => {
    await succeed(...plan);
    for (const delay of [150, 250, 350]) {
      const { child, ended } = work.start(["job", "sort", "J", "0", ...onCpu]);
      setTimeout(() => child.kill("SIGKILL"), delay);
      await ended;
      const { sorted: done } = JSON.parse(await succeed("job", "status", "J", "--json"));
      const names = readdirSync(work.path("J/runs")).filter((name) => !name.startsWith("."));
      if (names.includes("00000")) expect((await fs.stat(work.path("J/runs/00000"))).size).toBe(2 ** 20);
      expect(done).toEqual(names.includes("00000.json") ? [0] : []);
    }
    await succeed("job", "sort", "J", ...onCpu);
    await succeed("job", "cut", "J");
    await succeed("job", "merge", "J", ...onCpu);
    await succeed("job", "finish", "J");
    expect(await output()).toEqual(sorted);
    expect(readdirSync(work.path("J/runs")).filter((name) => name.startsWith("."))).toEqual([]);
  });

  posix.it("merges more runs than it may open files", async () => {
    await succeed(...plan.slice(0, -1), "30K");
    const { runs } = JSON.parse(await succeed("job", "status", "J", "--json"));
    expect(runs).toBeGreaterThan(64);
    await succeed("job", "sort", "J", "-q", ...onCpu);
    await succeed("job", "cut", "J");
    const command = [process.execPath, bin, "job", "merge", work.path("J"), ...onCpu];
    const script = 'ulimit -n 64 && exec "$0" "$@"';
    const { status, stderr } = spawnSync("sh", ["-c", script, ...command], { encoding: "utf8" });
    expect([status, stderr.includes("gpusort:")]).toEqual([0, false]);
    await succeed("job", "finish", "J");
    expect(await output()).toEqual(sorted);
  });

  it("shows a task that runs, by its lease, and forgets one whose worker was lost", async () => {
    await succeed(...plan);
    await work.write("J/leases/sort-00001", "{}\n");
    const status = async () => JSON.parse(await succeed("job", "status", "J", "--json"));
    expect(await status()).toMatchObject({ sorted: [], sorting: [1] });
    // A watcher whose clock is wrong asks the file system for the time.
    const skewed = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 3_600_000);
    expect(await status()).toMatchObject({ sorted: [], sorting: [1] });
    skewed.mockRestore();
    const past = new Date(Date.now() - 120_000);
    await fs.utimes(work.path("J/leases/sort-00001"), past, past);
    expect(await status()).toMatchObject({ sorted: [], sorting: [] });
  });
});

/** Mounts a file system in memory. Returns undefined if this process may not mount one. */
function disk(name: string, bytes: number): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined;
  const path = work.path(name);
  mkdirSync(path);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path]).status !== 0)
    return undefined;
  mounts.push(path);
  return path;
}
const full = disk("disk", 1 << 20);
const withDisk = needs(full, "a small disk, which this process may not mount");

withDisk.describe("a full disk", () => {
  it("ends a task with 4, and the output is not published", async () => {
    await succeed(...plan.map((word) => (word === "OUT" ? `${full}/OUT` : word)));
    await succeed("job", "sort", "J", ...onCpu);
    await succeed("job", "cut", "J");
    const { code, stderr } = await work.run(["job", "merge", "J", ...onCpu]);
    expect(stderr).toMatch(/cannot write .*part-0000\d-of-00003\.u64: ENOSPC/);
    expect(code).toBe(4);
    expect((await work.run(["job", "finish", "J"])).code).toBe(4);
    expect(readdirSync(`${full}/OUT`).filter((name) => name.startsWith("."))).toEqual([]);
    expect(readdirSync(`${full}/OUT`)).not.toContain("_SUCCESS.json");
  });
});
