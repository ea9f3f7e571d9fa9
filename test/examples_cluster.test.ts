import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, promises as fs, readFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HANG_MS } from "./support/hang_limit.js";
import { needs } from "./support/needs.js";

const examples = fileURLToPath(new URL("../examples/", import.meta.url));
const bin = fileURLToPath(new URL("../bin/gpusort.js", import.meta.url));
const folder = await fs.mkdtemp(join(tmpdir(), "gpusort-cluster-"));
const at = (name: string) => join(folder, name);
const keys = Uint32Array.from({ length: 100_000 }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
const sorted = Buffer.from(keys.slice().sort().buffer);
const plan = ["--parts", "3", "--run-size", "128K", "-S", "64M"];
const RUNS = 4;

/**
 * A command that fails once when it sorts run 1, once when it merges part 1, and once when it merges part 2:
 * with 3, with 4, and by a crash. It notes which GPU it was given, and uses the CPU.
 */
const failing = `#!/bin/sh
case "$1 $2 $4" in
  "job sort 1" | "job sort 1-1") mkdir "${at("failed-sort")}" 2>/dev/null && exit 3 ;;
  "job merge 1" | "job merge 1-1") mkdir "${at("failed-merge")}" 2>/dev/null && exit 4 ;;
  "job merge 2" | "job merge 2-2") mkdir "${at("failed-crash")}" 2>/dev/null && kill -SEGV $$ ;;
esac
[ -z "$GPUSORT_DEVICE" ] || echo "$2 $GPUSORT_DEVICE of $CUDA_VISIBLE_DEVICES" >>"${at("devices")}"
GPUSORT_DEVICE=cpu exec "${process.execPath}" "${bin}" "$@" 
`;

beforeAll(async () => {
  await fs.mkdir(at("in"));
  const bytes = Buffer.from(keys.buffer);
  await fs.writeFile(at("in/a.u32"), bytes.subarray(0, 160_000));
  await fs.writeFile(at("in/b.u32"), bytes.subarray(160_000));
  await fs.mkdir(at("bin"));
  await fs.writeFile(at("bin/gpusort"), failing, { mode: 0o755 });
});
afterAll(() => fs.rm(folder, { recursive: true, force: true }));

function run(script: string, args: readonly string[], environment: Record<string, string> = {}) {
  const PATH = [at("bin"), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH, ...environment };
  return spawnSync(join(examples, script), args, { env, encoding: "utf8" });
}

async function output(name: string): Promise<Buffer> {
  const parts = (await fs.readdir(at(name))).filter((part) => part.startsWith("part-")).sort();
  expect(parts).toHaveLength(3);
  return Buffer.concat(await Promise.all(parts.map((part) => fs.readFile(join(at(name), part)))));
}

/** Whether all tasks that were to fail once have failed; forgets it. */
async function allFailed(): Promise<boolean> {
  const failures = ["failed-sort", "failed-merge", "failed-crash"].map(at);
  const failed = failures.every((path) => existsSync(path));
  for (const path of failures) await fs.rm(path, { recursive: true, force: true });
  return failed;
}

describe("examples/parallel/sort.sh", () => {
  it("runs the tasks by xargs, and those that failed once more", async () => {
    const { status, stderr } = run("parallel/sort.sh", [at("J"), at("OUT"), at("in/*.u32"), ...plan]);
    expect(stderr).toContain("some tasks failed: once more");
    expect([status, await allFailed()]).toEqual([0, true]);
    expect(await output("OUT")).toEqual(sorted);
  });

  it("ends at an input that is wrong", () => {
    expect(run("parallel/sort.sh", [at("J2"), at("OUT2"), at("none"), ...plan]).status).toBe(2);
    expect(existsSync(at("OUT2"))).toBe(false);
  });
});

const slurm = ["slurmctld", "slurmd", "munged"].every((name) => spawnSync("which", [name]).status === 0);
const mayRunSlurm = needs(slurm && process.getuid?.() === 0, "Slurm, and root");

mayRunSlurm.describe("examples/slurm/submit.sh", () => {
  const daemons: ChildProcess[] = [];
  const environment = { SLURM_CONF: at("slurm.conf"), GPUSORT_DEVICE: "gpu" };

  /** A cluster of this machine alone, with files and ports of its own. */
  beforeAll(async () => {
    const host = hostname();
    for (const name of ["state", "spool", "munge"]) await fs.mkdir(at(name), { mode: 0o755 });
    const gpus = [0, 1].map((number) => at(`gpu${number}`));
    for (const gpu of gpus) execFileSync("mknod", [gpu, "c", "1", "3"]); // as /dev/null
    await fs.writeFile(at("gres.conf"), gpus.map((gpu) => `Name=gpu File=${gpu}\n`).join(""));
    await fs.writeFile(at("munge/key"), Buffer.alloc(128, 7), { mode: 0o600 });
    await fs.writeFile(
      at("slurm.conf"),
      [
        "ClusterName=test",
        `SlurmctldHost=${host}(127.0.0.1)`,
        "SlurmctldPort=26817",
        "SlurmdPort=26818",
        "SlurmUser=root",
        "AuthType=auth/munge",
        // A task that was requeued waits as long as a credential is valid: two minutes, unless this is set.
        `AuthInfo=socket=${at("munge/socket")},cred_expire=10`,
        "SchedulerParameters=sched_interval=1,bf_interval=1",
        "ProctrackType=proctrack/linuxproc",
        "TaskPlugin=task/none",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_Core",
        "GresTypes=gpu",
        "MailProg=/bin/true",
        "ReturnToService=2",
        "MessageTimeout=30",
        `SlurmctldPidFile=${at("ctld.pid")}`,
        `SlurmdPidFile=${at("d.pid")}`,
        `StateSaveLocation=${at("state")}`,
        `SlurmdSpoolDir=${at("spool")}`,
        `SlurmctldLogFile=${at("ctld.log")}`,
        `SlurmdLogFile=${at("d.log")}`,
        `NodeName=${host} NodeAddr=127.0.0.1 CPUs=2 Gres=gpu:2 State=UNKNOWN`,
        `PartitionName=all Nodes=${host} Default=YES MaxTime=INFINITE State=UP`,
        "",
      ].join("\n"),
    );
    const munge = ["key-file", "socket", "pid-file", "log-file", "seed-file"].map(
      (option) => `--${option}=${at(`munge/${option.replace("-file", "")}`)}`,
    );
    const start = (name: string, args: readonly string[]) =>
      daemons.push(
        spawn(name, args, { env: { ...process.env, SLURM_CONF: at("slurm.conf") }, stdio: "ignore" }),
      );
    start("munged", ["--foreground", "--force", ...munge]);
    await until(() => existsSync(at("munge/socket")));
    start("slurmctld", ["-D"]);
    start("slurmd", ["-D", "-N", host]);
    await until(() => /\bidle\b/.test(slurmText("sinfo")));
  });
  afterAll(async () => {
    for (const daemon of daemons.toReversed()) {
      const ended = new Promise((resolve) => daemon.once("exit", resolve));
      daemon.kill("SIGTERM");
      await Promise.race([ended, sleep(5000)]);
      daemon.kill("SIGKILL");
    }
  });

  const slurmText = (command: string, ...args: string[]) =>
    spawnSync(command, args, { env: { ...process.env, ...environment }, encoding: "utf8" }).stdout ?? "";

  async function until(condition: () => boolean): Promise<void> {
    const end = performance.now() + HANG_MS;
    while (!condition()) {
      if (performance.now() > end) {
        const log = existsSync(at("ctld.log")) ? readFileSync(at("ctld.log"), "utf8") : "";
        throw new Error(`not within ${HANG_MS} ms\n${slurmText("squeue")}${log.slice(-4000)}`);
      }
      await sleep(200);
    }
  }

  it("sorts by job arrays, a GPU for each task, and a task that failed with 3 or 4, or crashed, runs again", async () => {
    const submitted = run("slurm/submit.sh", [at("SJ"), at("SOUT"), at("in/*.u32"), ...plan], environment);
    expect(submitted.stdout, submitted.stderr).toMatch(/^\d+ \d+ \d+ \d+\n$/);
    await until(() => existsSync(at("SOUT/_SUCCESS.json")));
    expect(await allFailed()).toBe(true);
    expect(await output("SOUT")).toEqual(sorted);
    const devices = (await fs.readFile(at("devices"), "utf8")).trim().split("\n");
    const sortOrMerge = devices.filter((line) => /^(sort|merge) /.test(line));
    expect(sortOrMerge.filter((line) => !/^\w+ ([01]) of \1$/.test(line))).toEqual([]);
    expect(sortOrMerge).toHaveLength(RUNS + 3); // those that failed noted nothing
    const logs = await fs.readdir(at("SJ/logs"));
    expect(logs.filter((name) => name.startsWith("gpusort-sort-"))).toHaveLength(RUNS);
  });
});
