import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { endOf } from "../support/command.js";
import { needs } from "../support/needs.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

const linux = needs(process.platform === "linux", "Linux");

/** Whether the scripts run for as long as the documents say. Otherwise they only show that they work. */
const full = process.env.GPUSORT_TESTS === "full";

/** Runs a script. It prints its seed, so its output is shown whether or not it finds something. */
async function run(script: string, ...args: string[]) {
  const { code, stdout, stderr } = await endOf(
    spawn(process.execPath, [`test/trials/${script}`, ...args], { cwd: root }),
  );
  process.stderr.write(stdout + stderr);
  return { code, stdout: stdout.toString() };
}

/** The short form does the same each time; the full one only with GPUSORT_SEED. It prints its seed. */
const { GPUSORT_SEED = full ? undefined : "1" } = process.env;
const seed = GPUSORT_SEED === undefined ? [] : ["--seed", GPUSORT_SEED];

describe("a sort that is killed at a random moment", () => {
  linux.it("leaves the old output or the new one", async () => {
    const size = full ? ["--kills", "60"] : ["--kills", "20", "--devices", "cpu"];
    const { code, stdout } = await run("kills.js", ...size, ...seed);
    expect(stdout).toMatch(/torn outputs 0;/);
    expect(code, stdout).toBe(0);
  });
});

describe("a random sort", () => {
  it("gives what an independent oracle and NumPy give", async () => {
    // An adapter compiles kernels for longer than the short form takes.
    const time = full ? ["--seconds", "20"] : ["--seconds", "10", "--devices", "cpu"];
    const { code, stdout } = await run("fuzz.js", ...time, ...seed);
    expect(stdout).toMatch(/^cpu: [1-9]\d* cases/m);
    expect(stdout).not.toMatch(/^FAILED/m);
    expect(code, stdout).toBe(0);
  });
});
