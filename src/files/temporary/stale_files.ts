import { promises as fs, readFileSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** A longer name is shortened, because file systems limit names to 255 bytes, some to 143. */
const LONGEST_LABEL = 80;

/**
 * A name for the temporary file that will replace `target`. It contains the id of this process. So the next
 * process that writes to the same target can recognise and remove the file of a killed process.
 */
export function temporaryName(target: string): string {
  // Not by `join`: it would drop "link/..", which need not be ".".
  return `${dirname(target)}/.${label(target)}.${realm()}-${process.pid}-${randomName()}.gpusort`;
}

/** The name of a target; of a long name the first characters and a hash. */
function label(target: string): string {
  const name = basename(target);
  const bytes = Buffer.from(name);
  if (bytes.length <= LONGEST_LABEL) return name;
  const { createHash } = process.getBuiltinModule("node:crypto"); // few names need it, and it takes 4 ms
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const start = bytes.subarray(0, LONGEST_LABEL - hash.length - 1);
  return `${new TextDecoder().decode(start, { stream: true })}~${hash}`; // drops half a character at the end
}

/**
 * Removes temporary files of `target` whose processes no longer exist, but no files of other machines. What
 * it may not remove it leaves: in a folder of all users, anybody can put something of such a name.
 *
 * @param recursive whether they are folders.
 */
export async function removeStaleFiles(target: string, { recursive = false } = {}): Promise<void> {
  const folder = dirname(target);
  const prefix = `.${label(target)}.${realm()}-`;
  for (const name of await fs.readdir(folder).catch(() => [])) {
    const [, pid] =
      (name.startsWith(prefix) && /^(\d+)-[0-9a-f]{12}\.gpusort$/.exec(name.slice(prefix.length))) || [];
    if (pid !== undefined && !isAlive(Number(pid)))
      await fs.rm(join(folder, name), { recursive, force: true }).catch(() => {});
  }
}

/**
 * Removes the temporary files of a folder, also those of other processes and machines. Call it when no process
 * writes there any more.
 *
 * @param isRemoved tells by the name of a target whether its temporary files are removed. Default: all are.
 */
export async function removeTemporaryFiles(
  folder: string,
  isRemoved: (target: string) => boolean = () => true,
): Promise<void> {
  for (const name of await fs.readdir(folder).catch(() => [])) {
    const [, target] = /^\.(.+)\.\w+-\d+-[0-9a-f]{12}\.gpusort$/.exec(name) ?? [];
    if (target !== undefined && isRemoved(target)) await fs.unlink(join(folder, name)).catch(() => {});
  }
}

/** Identifies the scope in which a process id is valid: this boot of this machine, and this container. */
function realm(): string {
  try {
    const boot = Number.parseInt(readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8), 16);
    const [container] = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))!;
    return ((boot ^ Number(container)) >>> 0).toString(16).padStart(8, "0");
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

/**
 * A part of a name that no other file has: 12 hexadecimal digits. It keeps no secret: who uses it must create
 * the file anew ("wx"). So it needs no node:crypto, which takes 4 ms to load.
 */
export function randomName(): string {
  return Math.floor(Math.random() * 2 ** 48)
    .toString(16)
    .padStart(12, "0");
}
