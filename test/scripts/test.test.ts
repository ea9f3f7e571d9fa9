import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { HANG_MS } from "../support/hang_limit.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const config = "test/support/samples/vitest.config.ts";

/** Starts the tests of a file of test/support/samples as `npm test` starts all tests. */
function start(sample: string): { child: ChildProcess; output: () => string; end: Promise<number | null> } {
  const env = { ...process.env };
  for (const name of ["VITEST", "FORCE_COLOR", "NO_COLOR"]) delete env[name];
  const child = spawn(process.execPath, ["scripts/test.js", "--config", config, sample], { cwd: root, env });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (text += data));
  const end = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, output: () => text, end };
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("a run of tests", () => {
  it("skips what needs something that is missing, says so once, and passes", async () => {
    const { output, end } = start("missing");
    expect(await end, output()).toBe(0);
    expect(output()).toMatch(/Tests +2 skipped/);
    expect(output().match(/^SKIPPED: tests that need what no machine has$/gm)).toHaveLength(1);
    expect(output()).not.toContain("\x1b");
  });

  it("fails if a file has no tests", async () => {
    const { output, end } = start("empty");
    expect(await end).toBe(1);
    expect(output()).toContain("No test suite found");
  });

  it("says why a test failed while others run, and leaves no worker behind when it is killed", async () => {
    const { child, output, end } = start("endless");
    await expect.poll(output, { timeout: HANG_MS }).toMatch(/FAILED .*endless\.sample\.ts fails first/);
    await expect.poll(output, { timeout: HANG_MS }).toContain("expected 1 to be 2");
    await expect.poll(output, { timeout: HANG_MS }).toMatch(/worker \d+/);
    const worker = Number(/worker (\d+)/.exec(output())![1]);
    expect(isAlive(worker)).toBe(true);
    child.kill("SIGKILL");
    await end;
    await expect.poll(() => isAlive(worker), { timeout: HANG_MS }).toBe(false);
  });
});
