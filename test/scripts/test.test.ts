import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { HANG_MS } from "../support/hang_limit.js";
import { isRunning } from "../support/is_running.js";
import { needs } from "../support/needs.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const config = "test/support/samples/vitest.config.ts";
// Less than a test may take, so that a failure says what was awaited.
const poll = { timeout: HANG_MS / 2 };

/** The command that runs the tests of a file of test/support/samples as `npm test` runs all tests. */
const testsOf = (sample: string) => ["node", "scripts/test.js", "--config", config, sample];

/** Starts a command, and keeps what it prints. */
function start([program = "", ...args]: readonly string[], variables: NodeJS.ProcessEnv = {}) {
  const env = {
    ...process.env,
    VITEST: undefined,
    FORCE_COLOR: undefined,
    NO_COLOR: undefined,
    ...variables,
  };
  const child = spawn(program, args, { cwd: root, env });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (text += data));
  const end = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, output: () => text, end };
}

const onLinux = needs(process.platform === "linux", "Linux, whose /proc shows what belongs to a run");

describe("a run of tests", () => {
  it("skips what needs something that is missing, says so once, and passes", async () => {
    const { output, end } = start(testsOf("missing"));
    expect(await end, output()).toBe(0);
    expect(output()).toMatch(/Tests +2 skipped/);
    expect(output().match(/^SKIPPED: tests that need what no machine has$/gm)).toHaveLength(1);
  });

  it("fails if a file has no tests, and says so without escape sequences, though its parent wants colours", async () => {
    const { output, end } = start(testsOf("empty"), { CI: "true", FORCE_COLOR: "1" });
    expect(await end).toBe(1);
    expect(output()).toContain("No test suite found");
    expect(output()).not.toContain("\x1b");
  });

  it("prints colours into a pipe if it is asked to", async () => {
    const { output, end } = start([...testsOf("empty"), "--color"]);
    await end;
    expect(output()).toContain("\x1b[");
  });

  onLinux.it.each([
    ["it is killed", testsOf("endless")],
    ["npm is killed", ["npm", "exec", "-c", `true && ${testsOf("endless").join(" ")}`]],
  ])("says why tests failed while others run, and leaves no process behind when %s", async (_, command) => {
    const { child, output, end } = start(command);
    for (const line of [
      /^FAILED .*endless\.sample\.ts fails first\n.*expected 1 to be 2/m,
      /^FAILED .*endless\.sample\.ts a suite\n.*its hook fails/m,
      /^FAILED .*endless\.sample\.ts another suite\n.*its last hook fails/m,
      /^FAILED Unhandled Rejection\n.*nobody handles this/m,
      /^processes \d+ \d+$/m,
    ]) {
      await expect.poll(output, poll).toMatch(line);
    }
    const processes = /^processes (\d+) (\d+)$/m.exec(output())!.slice(1).map(Number);
    expect(processes.map(isRunning)).toEqual([true, true]);
    child.kill("SIGKILL");
    await expect.poll(() => processes.some(isRunning), poll).toBe(false);
    await end;
  });
});
