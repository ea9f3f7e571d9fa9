import { rmSync } from "node:fs";

/** Files that are being written and have no name yet that anyone knows. */
const paths = new Set<string>();

export function addUnpublished(path: string): void {
  paths.add(path);
}

/** To be called once the file has its name, or is gone. */
export function forgetUnpublished(path: string): void {
  paths.delete(path);
}

/** For a process that is about to end: removes what would be left over. */
export function removeUnpublished(): void {
  for (const path of paths) rmSync(path, { force: true });
}
