import { rmSync } from "node:fs";

/** Unfinished files, which must not outlive the process. */
const paths = new Set<string>();

/** Registers a file for removal when the process ends. Call it before the file is created. */
export function removeOnExit(path: string): void {
  paths.add(path);
}

/** Undoes `removeOnExit`, once the file has its final name or is gone. */
export function keepOnExit(path: string): void {
  paths.delete(path);
}

/** Removes the registered files. Call it when the process is about to end. */
export function cleanUpAtExit(): void {
  for (const path of paths) rmSync(path, { force: true });
}
