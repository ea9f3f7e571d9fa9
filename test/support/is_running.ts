import { readFileSync } from "node:fs";

/** Whether a process runs. One that has ended may stay as a zombie until its parent asks. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return (
      process.platform !== "linux" || !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
    );
  } catch {
    return false;
  }
}
