import { createHash, randomBytes } from "node:crypto";
import { promises as fs, readFileSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * A name for the temporary file that will replace `target`. It contains the id of this process. So the next
 * process that writes to the same target can recognise and remove the file of a killed process.
 */
export function temporaryName(target: string): string {
  const name = `.${basename(target)}.${realm()}-${process.pid}-${randomBytes(6).toString("hex")}.gpusort`;
  return join(dirname(target), name);
}

/**
 * Removes temporary files of `target` whose processes no longer exist, but no files of other machines. What it
 * may not remove it leaves: in a folder of all users, anybody can put something of such a name.
 */
export async function removeStaleFiles(target: string): Promise<void> {
  const folder = dirname(target);
  const prefix = `.${basename(target)}.${realm()}-`;
  for (const name of await fs.readdir(folder).catch(() => [])) {
    const [, pid] =
      (name.startsWith(prefix) && /^(\d+)-[0-9a-f]{12}\.gpusort$/.exec(name.slice(prefix.length))) || [];
    if (pid !== undefined && !isAlive(Number(pid))) await fs.unlink(join(folder, name)).catch(() => {});
  }
}

/** Identifies the scope in which a process id is valid: this boot of this machine, and this container. */
function realm(): string {
  const sources = [
    () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"),
    () => readlinkSync("/proc/self/ns/pid"),
  ];
  try {
    return createHash("sha256")
      .update(sources.map((read) => read()).join())
      .digest("hex")
      .slice(0, 8);
  } catch {
    return "unknown"; // then every process counts as alive
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
