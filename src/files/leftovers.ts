import { createHash, randomBytes } from "node:crypto";
import { promises as fs, readFileSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Names for files that are to become others, which tell who is writing them: so what a killed process left can be told
 * from what a living one is writing, and is removed by the next that writes there.
 */
export function temporaryName(target: string): string {
  const name = `.${basename(target)}.${realm()}-${process.pid}-${randomBytes(6).toString("hex")}.gpusort`;
  return join(dirname(target), name);
}

/** Removes what processes that are no more left beside `target`. What other machines write there is left alone. */
export async function removeLeftovers(target: string): Promise<void> {
  const folder = dirname(target);
  const prefix = `.${basename(target)}.${realm()}-`;
  for (const name of await fs.readdir(folder).catch(() => [])) {
    const [, pid] =
      (name.startsWith(prefix) && /^(\d+)-[0-9a-f]{12}\.gpusort$/.exec(name.slice(prefix.length))) || [];
    if (pid !== undefined && !isAlive(Number(pid))) await fs.rm(join(folder, name), { force: true });
  }
}

/** Where a process number means the same process: on this machine, since it started, in this container. */
function realm(): string {
  const known = [
    () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"),
    () => readlinkSync("/proc/self/ns/pid"),
  ];
  try {
    return createHash("sha256")
      .update(known.map((tell) => tell()).join())
      .digest("hex")
      .slice(0, 8);
  } catch {
    return "unknown"; // and none is ever taken for dead: see below
  }
}

function isAlive(pid: number): boolean {
  if (realm() === "unknown") return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
