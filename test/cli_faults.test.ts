import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  promises as fs,
  mkdirSync,
  readdirSync,
  rmdirSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { Workplace } from "./support/command.js";
import { writeParquet } from "./support/duckdb.js";
import { needs } from "./support/needs.js";

const work = await Workplace.create();
const mounts: string[] = [];
afterAll(async () => {
  for (const path of mounts) execFileSync("umount", [path]);
  for (const path of madeGroups) rmdirSync(path);
  await work.remove();
});

const bin = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const linux = needs(process.platform === "linux", "Linux");

/** Mounts a file system in memory of this many bytes. Returns undefined if this process may not mount one. */
function small(name: string, bytes: number, options = ""): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined;
  const path = work.path(name);
  mkdirSync(path);
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}${options}`, "tmpfs", path]);
  if (status !== 0) return undefined;
  mounts.push(path);
  return path;
}
const disk = small("disk", 1 << 20);
const readOnly = small("read-only", 8 << 20, ",ro");
const withDisk = needs(disk, "a small disk, which this process may not mount");
const withReadOnly = needs(readOnly, "a read-only disk, which this process may not mount");

/** Makes a group of processes with this limit of memory, or returns undefined. */
function limitedGroup(bytes: number): string | undefined {
  const groups = [
    ["/sys/fs/cgroup/memory", "memory.limit_in_bytes"],
    ["/sys/fs/cgroup", "memory.max"],
  ] as const;
  for (const [root, limit] of groups) {
    const path = `${root}/gpusort-test-${process.pid}`;
    try {
      mkdirSync(path);
      madeGroups.push(path);
      writeFileSync(`${path}/${limit}`, String(bytes));
      return path;
    } catch {} // there are no such groups, or this process may not make one
  }
  return undefined;
}
const madeGroups: string[] = [];
const LIMIT = 192 << 20;
const TMPFS = 0x01021994; // its files are no cache
const group = statfsSync(work.folder).type === TMPFS ? undefined : limitedGroup(LIMIT);
const withGroup = needs(group, "a limit of memory, which this process may not set, and a disk");

const keys = Uint32Array.from({ length: 2 ** 19 }, (_, i) => Math.imul(i, 0x9e3779b1));
const bytes = Buffer.from(keys.buffer);
const sorted = Buffer.from(keys.slice().sort().buffer);
beforeEach(() => work.write("keys.u32", bytes));

/** Expects one message with a hint, no stack trace, and exit code 2. */
function expectRefusal(ended: { code: number | null; stderr: string }, message: RegExp): void {
  expect(ended.stderr).toMatch(message);
  expect(ended.stderr).toMatch(/^gpusort: .+\n {2}\S.*\n$/);
  expect(ended.code).toBe(2);
}

withDisk.describe("a disk that is full", () => {
  it("under the output keeps the old output and no other file", async () => {
    await fs.writeFile(`${disk}/out.u32`, "old");
    const message =
      /^gpusort: cannot write .*out\.u32: ENOSPC.*\n {2}free some space, or name another output \(--output\)/;
    for (const memory of [[], ["-S", "1M", "-T", work.folder]]) {
      const ended = await work.onCpu(["keys.u32", "-o", `${disk}/out.u32`, ...memory]);
      expectRefusal(ended, message);
      expect(readdirSync(disk!)).toEqual(["out.u32"]);
      expect((await fs.readFile(`${disk}/out.u32`)).toString()).toBe("old");
    }
  });

  it("under the temporary files is reported before anything is read", async () => {
    const ended = await work.onCpu(["keys.u32", "-o", "out.u32", "-S", "1M", "-T", disk!]);
    const [problem, hint] = ended.stderr.split("\n", 2);
    expect(problem).toMatch(/disk has \d+ bytes free, but the temporary files of this sort need 2097152$/);
    expect(hint).toMatch(/^ {2}.*--temp-dir.*--memory/);
    expectRefusal(ended, /^gpusort: /);
    expect(existsSync(work.path("out.u32"))).toBe(false);
  });

  it("under the output of a table, or under what DuckDB spills, keeps the old output and no other file", async () => {
    // The text is random, so that neither the spilled rows nor the output are much smaller.
    await writeParquet(
      work.path("a.parquet"),
      "SELECT i AS id, uuid()::VARCHAR || uuid() AS text FROM range(300000) t(i)",
    );
    await fs.writeFile(`${disk}/out.parquet`, "old");
    const args = ["a.parquet", "--by", "text", "--force"];
    const onDisk = await work.onCpu([...args, "-o", `${disk}/out.parquet`, "-T", work.folder]);
    expectRefusal(onDisk, /^gpusort: cannot write .*out\.parquet: ENOSPC/);
    expect((await fs.readFile(`${disk}/out.parquet`)).toString()).toBe("old");
    await fs.rm(`${disk}/out.parquet`);
    await writeParquet(
      work.path("b.parquet"),
      "SELECT i AS id, repeat(uuid()::VARCHAR, 4) AS text FROM range(1200000) t(i)",
    );
    const spilled = await work.onCpu([
      "b.parquet",
      "--by",
      "text",
      "-o",
      "out.parquet",
      "-S",
      "128M",
      "-T",
      disk!,
    ]);
    expectRefusal(
      spilled,
      /^gpusort: this takes more than 134217728 bytes of memory, and .*disk has \d+ bytes free: /,
    );
    expect(readdirSync(disk!)).toEqual(["out.u32"]);
  });

  it("under the temporary files of an input of unknown length is reported once it is full", async () => {
    const ended = await work.onCpu(["-", "-t", "u32", "-o", "out.u32", "-S", "1M", "-T", disk!], bytes);
    expectRefusal(
      ended,
      /^gpusort: cannot keep temporary files in .*disk: ENOSPC.*\n {2}free some space.*--temp-dir/,
    );
    expect(existsSync(work.path("out.u32"))).toBe(false);
    expect(readdirSync(disk!)).toEqual(["out.u32"]);
  });
});

withGroup.it("a container whose memory holds files that were read sorts at once", async () => {
  const fills = `head -c ${LIMIT} /dev/zero > read; sync read; cat read > /dev/null`;
  const script = `echo $$ > ${group}/cgroup.procs; ${fills}; exec "$0" "$@" --explain`;
  const words = [process.execPath, bin, "keys.u32", "-o", "out.u32", "--device", "cpu"];
  const ended = spawnSync("sh", ["-c", script, ...words], { cwd: work.folder, encoding: "utf8" });
  expect(ended.stderr).toMatch(/^all 524,288 items at once/m);
  expect([ended.status, (await work.read("out.u32")).equals(sorted)]).toEqual([0, true]);
});

withReadOnly.describe("a read-only disk", () => {
  it("is refused for the output and for temporary files", async () => {
    const output = await work.onCpu(["keys.u32", "-o", `${readOnly}/out.u32`]);
    expectRefusal(output, /^gpusort: cannot write .*out\.u32: EROFS/);
    const temporary = await work.onCpu(["keys.u32", "-o", "out.u32", "-S", "1M", "-T", readOnly!]);
    expectRefusal(temporary, /^gpusort: cannot keep temporary files in .*read-only: EROFS/);
  });
});

const full = needs(existsSync("/dev/full"), "/dev/full");
full.describe("/dev/full", () => {
  it("is reported as a full output, also for a sort out of core", async () => {
    for (const memory of [[], ["-S", "1M"]]) {
      expectRefusal(
        await work.onCpu(["keys.u32", "-o", "/dev/full", ...memory, "-T", work.folder]),
        /^gpusort: cannot write \/dev\/full: ENOSPC/,
      );
    }
  });
});

linux.describe("links and named pipes", () => {
  it("a sort in place through a link sorts the link's target, and keeps its mode", async () => {
    await fs.mkdir(work.path("there"), { recursive: true });
    await work.write("there/real.u32", bytes);
    await fs.chmod(work.path("there/real.u32"), 0o640);
    await fs.symlink("there/real.u32", work.path("link.u32"));
    expect((await work.onCpu(["link.u32", "-o", "link.u32", "-S", "1M"])).code).toBe(0);
    expect((await work.read("there/real.u32")).equals(sorted)).toBe(true);
    expect((await fs.lstat(work.path("link.u32"))).isSymbolicLink()).toBe(true);
    expect((await fs.stat(work.path("there/real.u32"))).mode & 0o777).toBe(0o640);
    expect(readdirSync(work.path("there"))).toEqual(["real.u32"]);
  });

  it("named pipes may be the input and the output, for more keys than memory holds", () => {
    const script = [
      'mkfifo in out; cat keys.u32 > in & "$0" "$1" in -t u32 -o out -q --device cpu -S 1M -T . &',
      "cat out > got; wait $!",
    ].join(" ");
    const bin = new URL("../bin/gpusort.js", import.meta.url).pathname;
    const { status } = spawnSync("bash", ["-c", script, process.execPath, bin], { cwd: work.folder });
    expect(status).toBe(0);
    const got = spawnSync("cmp", ["got", "-"], { cwd: work.folder, input: sorted });
    expect(got.stdout.toString()).toBe("");
  });

  it("a sort out of core ends without an error if the reader closes the pipe", async () => {
    const { child, ended } = work.start(["keys.u32", "-o", "-", "--device", "cpu", "-S", "1M", "-T", "."]);
    child.stdout!.once("data", () => child.stdout!.destroy());
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("two sorts with one folder for temporary files", () => {
  it("do not disturb each other", async () => {
    await fs.mkdir(work.path("temp"), { recursive: true });
    const ended = await Promise.all(
      ["a", "b", "c"].map((name) => work.onCpu(["keys.u32", "-o", `${name}.u32`, "-S", "1M", "-T", "temp"])),
    );
    for (const { code } of ended) expect(code).toBe(0);
    for (const name of ["a", "b", "c"]) expect((await work.read(`${name}.u32`)).equals(sorted)).toBe(true);
    expect(readdirSync(work.path("temp"))).toEqual([]);
  });
});

linux.describe("an input", () => {
  it("that is changed while it is sorted in place keeps its new content", async () => {
    // A FIFO as the second input delays the sort until the first input has been changed.
    execFileSync("mkfifo", [work.path("hold")]);
    await work.write("grows.u32", bytes);
    const { ended } = work.start(["grows.u32", "hold", "-t", "u32", "-o", "grows.u32", "--device", "cpu"]);
    const hold = await fs.open(work.path("hold"), "w");
    await new Promise((resolve) => setTimeout(resolve, 50));
    await fs.appendFile(work.path("grows.u32"), "more");
    await hold.close();
    expectRefusal(await ended, /^gpusort: grows\.u32 was (written to|cut short) while it was read/);
    expect((await work.read("grows.u32")).equals(Buffer.concat([bytes, Buffer.from("more")]))).toBe(true);
  });
});

/** The number of sorts to kill. Set GPUSORT_KILLS=200 for a longer test. */
const KILLS = Number(process.env.GPUSORT_KILLS ?? 12);

linux.describe("a sort in place that is killed at any moment", () => {
  it.each([
    ["in core", []],
    ["out of core", ["-S", "1M", "-T", "temp"]],
  ])("%s leaves either the old bytes or the new ones", async (_, options) => {
    await fs.rm(work.path("temp"), { recursive: true, force: true });
    await fs.mkdir(work.path("temp"));
    const args = ["victim.u32", "-o", "victim.u32", "-q", "--device", "cpu", ...options];
    await work.write("victim.u32", bytes);
    const begin = performance.now();
    expect((await work.start(args).ended).code).toBe(0);
    const wholeMs = performance.now() - begin;
    const signals = ["SIGKILL", "SIGTERM", "SIGINT"] as const;
    const seen = { old: 0, new: 0 };
    for (let i = 0; i < KILLS; i++) {
      await work.write("victim.u32", bytes);
      const signal = signals[i % 3]!;
      const { child, ended } = work.start(args);
      // The golden ratio distributes the moments over the run and a little beyond.
      const timer = setTimeout(() => child.kill(signal), 1.4 * wholeMs * ((0.618034 * (i + 1)) % 1));
      await ended;
      clearTimeout(timer);
      const after = await work.read("victim.u32");
      const state = after.equals(bytes) ? "old" : after.equals(sorted) ? "new" : "damaged";
      expect(state).not.toBe("damaged");
      seen[state as "old" | "new"]++;
      const left = (await work.names()).filter((name) => name.endsWith(".gpusort"));
      if (signal !== "SIGKILL") expect(left).toEqual([]);
      for (const name of left) await fs.rm(work.path(name));
      expect(readdirSync(work.path("temp"))).toEqual([]);
    }
    expect(seen.old).toBeGreaterThan(0);
    process.stderr.write(`${KILLS} sorts killed: ${seen.old} left the old bytes, ${seen.new} the new ones\n`);
  });
});
