import { type BigIntStats, promises as fs } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { InputError, type OptionName } from "../core/errors.js";

type Inode = Pick<BigIntStats, "dev" | "ino">;

/** Whether writing to one path changes what the other one holds. Neither file needs to exist. */
async function isSameFile(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([a, b].map(statOf));
  if (first && second) return sameInode(first, second) && !first.isCharacterDevice();
  if (first || second) return false;
  const [one, other] = await Promise.all([a, b].map(placeOf));
  return one === other;
}

/**
 * Refuses a file to write that also has another part in the command, because that would overwrite it.
 *
 * @param option the option that names the file.
 * @param others paths by what they are, such as "the input"; "-" is a standard stream.
 */
export async function requireDistinct(
  path: string,
  option: OptionName,
  others: readonly (readonly [what: string, path: string | undefined])[],
): Promise<void> {
  for (const [what, other] of others) {
    if (other === undefined || !(await isSameFile(path, other))) continue;
    throw new InputError(`${path} is also ${what}, which would be overwritten`, {
      hint: "name another file",
      options: [option],
    });
  }
}

/**
 * Refuses an output that is written where it stands, and that is an input, too: a file would be changed before
 * it is known that the sort succeeds, and a pipe would wait for itself.
 *
 * @param output what the system says about it; undefined if that is not known.
 * @param option the option that names it.
 */
export function requireNoInput(
  name: string,
  output: BigIntStats | undefined,
  inputs: readonly BigIntStats[],
  option: OptionName,
): void {
  const isFile = output?.isFile();
  if (!output || !(isFile || output.isFIFO()) || !inputs.some((one) => sameInode(one, output))) return;
  throw new InputError(`${name} is also an input, and would be written to while it is read`, {
    hint: `name another output${isFile ? ", or the path of the file, which is replaced when all is sorted" : ""}`,
    options: [option],
  });
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

/** As many links as Linux follows. */
export const MAX_LINKS = 40;

/** The path at the end of a chain of links, whether or not there is a file. */
export async function followLinks(path: string, links = MAX_LINKS): Promise<string> {
  const pointsTo = await fs.readlink(path).catch(() => undefined);
  if (pointsTo === undefined || links === 0) return path;
  return followLinks(targetOf(path, pointsTo), links - 1);
}

/** Where a link leads, from its path and its text. Not by `join`, as "link/.." need not be ".". */
export function targetOf(link: string, pointsTo: string): string {
  return isAbsolute(pointsTo) ? pointsTo : `${dirname(link)}/${pointsTo}`;
}
