import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Whether the scripts run for as long as the documents say. Otherwise they only show that they work. */
const full = process.env.GPUSORT_TRIALS === "full";

/** Runs a script. It prints its seed, so its output is shown whether or not it finds something. */
function run(script: string, ...args: string[]) {
  const ended = spawnSync(process.execPath, [`scripts/${script}`, ...args], { cwd: root, encoding: "utf8" });
  process.stderr.write(ended.stdout + ended.stderr);
  return ended;
}

/** The short form does the same each time; the full one does something else each time, and prints its seed. */
const seed = full ? [] : ["--seed", "1"];

describe("a sort that is killed at a random moment", () => {
  it.runIf(process.platform === "linux")(
    "leaves the old output or the new one",
    { timeout: 1_200_000 },
    () => {
      const size = full ? ["--kills", "200"] : ["--kills", "20", "--devices", "cpu"];
      const { status, stdout } = run("kills.js", ...size, ...seed);
      expect(stdout).toMatch(/torn outputs 0;/);
      expect(status, stdout).toBe(0);
    },
  );
});

describe("a random sort", () => {
  it("gives what an independent oracle and NumPy give", { timeout: 1_200_000 }, () => {
    const { status, stdout } = run("fuzz.js", "--seconds", full ? "60" : "10", ...seed);
    expect(stdout).toMatch(/^cpu: [1-9]\d* cases/m);
    expect(stdout).not.toMatch(/^FAILED/m);
    expect(status, stdout).toBe(0);
  });
});
