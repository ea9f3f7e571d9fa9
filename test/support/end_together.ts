import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const NAME = "GPUSORT_TEST_RUN";
const program = fileURLToPath(new URL("../../scripts/end_with.js", import.meta.url));

/**
 * Vitest's main process may be killed, and so may npm. Whatever tests have started then ends, too: workers, commands,
 * browsers, clusters. Each project comes here once.
 */
export function setup(): void {
  const run = String(process.pid);
  if (process.platform !== "linux" || process.env[NAME] === run) return;
  const env = { ...process.env, [NAME]: undefined };
  const args = [program, run, `${NAME}=${run}`];
  spawn(process.execPath, args, { detached: true, stdio: "ignore", env }).unref();
  process.env[NAME] = run;
}
