import { spawn } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { HANG_MS } from "../../support/hang_limit.js";
import { isRunning } from "../../support/is_running.js";
import { needs } from "../../support/needs.js";

const built = pathToFileURL("dist/commands/bench/child_guard.js");

/** Starts two children that never end, one after another, and says which process is which. */
const program = `
  import { spawn } from "node:child_process";
  import { ChildGuard } from ${JSON.stringify(built.href)};
  const guard = new ChildGuard();
  const [first, second] = [0, 1].map(() => spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]));
  guard.watch(first.pid);
  guard.watch(undefined);
  guard.watch(second.pid);
  console.log(first.pid + " " + second.pid);
`;

const withShell = needs(process.platform !== "win32", "a POSIX shell");

withShell.it(
  "the child that runs when its parent is killed is killed, and none that ran before",
  async () => {
    const args = ["--input-type=module", "-e", program];
    const parent = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(parent.stdout, "data");
    const children = String(line).split(" ").map(Number);
    try {
      expect(children.map(isRunning)).toEqual([true, true]);
      parent.kill("SIGKILL");
      await once(parent, "exit");
      await expect.poll(() => children.map(isRunning), { timeout: HANG_MS }).toEqual([true, false]);
    } finally {
      for (const child of children) if (isRunning(child)) process.kill(child, "SIGKILL");
    }
  },
);
