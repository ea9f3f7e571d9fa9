import { randomBytes } from "node:crypto";
import { promises as fs } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { identityOf } from "./receipt.js";

/** A worker that did not renew its lease for so long is taken to be lost. */
export const LEASE_MS = 60_000;
const RENEW_MS = 10_000;

/**
 * Says that a task runs, for those who watch. It keeps nobody from running the same task: both write the same
 * bytes.
 */
export class Lease {
  readonly #path: string;
  readonly #timer: NodeJS.Timeout;

  private constructor(path: string) {
    this.#path = path;
    this.#timer = setInterval(() => void this.#renew().catch(() => {}), RENEW_MS).unref();
  }

  /** A lease that cannot be written is none: the task itself will say what is wrong with the disk. */
  static async take(path: string): Promise<Lease> {
    const lease = new Lease(path);
    await lease.#renew().catch(() => fs.rm(path, { force: true }).catch(() => {}));
    return lease;
  }

  /**
   * Writes the file again, so that the server of a network file system says when that was, by its own clock.
   */
  #renew(): Promise<void> {
    return fs.writeFile(this.#path, `${JSON.stringify({ host: hostname(), pid: process.pid })}\n`);
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await fs.rm(this.#path, { force: true }).catch(() => {}); // it ends by itself
  }
}

/** The time by the clock that leases are dated by, in milliseconds: that of the file system's server. */
export async function leaseClock(folder: string): Promise<number> {
  const probe = join(folder, `.clock-${randomBytes(6).toString("hex")}`);
  try {
    await fs.writeFile(probe, "");
    return (await fs.stat(probe)).mtimeMs;
  } catch {
    return Date.now(); // somebody who may only read
  } finally {
    await fs.rm(probe, { force: true }).catch(() => {});
  }
}

/** Whether somebody runs a task. @param now by `leaseClock`. */
export async function isLeased(path: string, now: number): Promise<boolean> {
  const identity = await identityOf(path).catch(() => undefined);
  return identity !== undefined && Math.abs(now - Number(identity.mtimeNs) / 1e6) < LEASE_MS;
}
