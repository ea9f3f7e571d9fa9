import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";

const NAME = "GPUSORT_TEST_RUN";
const program = fileURLToPath(new URL("../../scripts/end_with.js", import.meta.url));

/**
 * Vitest's main process may be killed, and so may npm. Whatever tests have started then ends, too: workers,
 * commands, browsers, clusters. Each project comes here once.
 */
export function setup(): void {
  if (process.platform !== "linux" || process.env[NAME]?.startsWith(`${process.pid}-`)) return;
  // Processes of containers have the same numbers.
  const run = `${process.pid}-${randomUUID()}`;
  const env = { ...process.env, [NAME]: undefined };
  const args = [program, String(process.pid), `${NAME}=${run}`];
  spawn(process.execPath, args, { detached: true, stdio: "ignore", env }).unref();
  process.env[NAME] = run;
}
