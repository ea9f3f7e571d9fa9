import { promises as fs } from "node:fs";
import { dirname, isAbsolute } from "node:path";

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
