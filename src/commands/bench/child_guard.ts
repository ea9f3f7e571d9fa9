import { spawn } from "node:child_process";

/** Reads the numbers of processes until the pipe closes, which the system does however its writer ends. */
const KILL_LAST = 'while read -r pid; do last=$pid; done; [ -z "$last" ] || kill -KILL "$last"';

/**
 * Kills a child of this process if this process is killed. It is one process for all children, one after
 * another, so that the time of none of them contains its start. Without a POSIX shell it does nothing.
 */
export class ChildGuard {
  readonly #shell = spawn("sh", ["-c", KILL_LAST], { stdio: ["pipe", "ignore", "ignore"], detached: true });

  constructor() {
    this.#shell.on("error", () => {});
    this.#shell.stdin.on("error", () => {});
  }

  /** @param pid the child that runs now; undefined if none does. */
  watch(pid: number | undefined): void {
    this.#shell.stdin.write(`${pid ?? ""}\n`);
  }

  close(): void {
    this.#shell.stdin.end("\n");
  }
}
