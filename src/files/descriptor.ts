import { type BigIntStats, promises as fs, fstatSync, readFileSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { MAX_LINKS, targetOf } from "./same_file.js";

/**
 * The number of the descriptor of this process that a path names, such as 1 for /dev/stdout, /dev/fd/1,
 * /proc/self/fd/1, or a symbolic link to one of them. Undefined for any other path. The descriptor need not
 * be open.
 */
export async function ownDescriptor(path: string): Promise<number | undefined> {
  let current = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const folder = await fs.realpath(dirname(current)).catch(() => undefined);
    if (folder === undefined) return undefined;
    const name = basename(current);
    if (/^\d+$/.test(name) && (await isDescriptorFolder(folder))) return Number(name);
    const pointsTo = await fs.readlink(current).catch(() => undefined);
    if (pointsTo === undefined) return undefined;
    current = targetOf(current, pointsTo);
  }
  return undefined;
}

async function isDescriptorFolder(folder: string): Promise<boolean> {
  if (folder === "/dev/fd") return true; // a link into /proc on Linux, a folder elsewhere
  const self = await fs.realpath("/proc/self").catch(() => undefined);
  if (self === undefined || !folder.startsWith(`${self}/`)) return false;
  return /^(\/task\/\d+)?\/fd$/.test(folder.slice(self.length));
}

/** What a descriptor of this process refers to; undefined if it is not open for the user. */
export function statDescriptor(descriptor: number): BigIntStats | undefined {
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    return isUsable(stats) && !wasClosedAtStart(descriptor, stats) ? stats : undefined;
  } catch {
    return undefined;
  }
}

/** Node's own descriptors for events are none of these. */
function isUsable(stats: BigIntStats): boolean {
  return (
    stats.isFile() ||
    stats.isDirectory() ||
    stats.isFIFO() ||
    stats.isSocket() ||
    stats.isCharacterDevice() ||
    stats.isBlockDevice()
  );
}

/**
 * Whether a standard descriptor was closed when the process started. Node then opens /dev/null for reading
 * and writing in its place. A shell's `< /dev/null` and `> /dev/null` open it for one of them only.
 */
function wasClosedAtStart(descriptor: number, stats: BigIntStats): boolean {
  const ACCESS_MODE = 0o3;
  const READ_AND_WRITE = 0o2;
  if (descriptor > 2 || !stats.isCharacterDevice()) return false;
  try {
    if (stats.rdev !== statSync("/dev/null", { bigint: true }).rdev) return false;
    const flags = field(descriptor, "flags");
    return flags !== undefined && (Number.parseInt(flags, 8) & ACCESS_MODE) === READ_AND_WRITE;
  } catch {
    return false;
  }
}

/** The position of an open file; undefined if the system does not tell it. */
export function positionOf(descriptor: number): number | undefined {
  const position = field(descriptor, "pos");
  return position === undefined ? undefined : Number(position);
}

/** A field of what Linux tells about a descriptor. */
function field(descriptor: number, name: string): string | undefined {
  try {
    const text = readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8");
    return new RegExp(`^${name}:\\s*(\\d+)$`, "m").exec(text)?.[1];
  } catch {
    return undefined;
  }
}
