import { type BigIntStats, promises as fs } from "node:fs";
import { basename, dirname, join } from "node:path";
import { followLinks } from "./links.js";

type Inode = Pick<BigIntStats, "dev" | "ino">;

/** Whether writing to one path changes what the other one holds. Neither file needs to exist. */
export async function isSameFile(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([a, b].map(statOf));
  if (first && second) return sameInode(first, second) && !first.isCharacterDevice();
  if (first || second) return false;
  const [one, other] = await Promise.all([a, b].map(placeOf));
  return one === other;
}

/** Whether two answers of the system are about one file. */
export function sameInode(a: Inode, b: Inode): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

function statOf(path: string): Promise<BigIntStats | undefined> {
  return fs.stat(path, { bigint: true }).catch(() => undefined);
}

/** Where a file would be created: its folder without links, and its name. */
async function placeOf(path: string): Promise<string> {
  const target = await followLinks(path);
  const folder = await fs.realpath(dirname(target)).catch(() => dirname(target));
  return join(folder, basename(target));
}
