import { rmSync } from "node:fs";

/** Unfinished files and folders, which must not outlive the process. */
const paths = new Set<string>();

/** Registers a file or folder for removal when the process ends. Call it before it is created. */
export function removeOnExit(path: string): void {
  paths.add(path);
}

/** Undoes `removeOnExit`, once it has its final name or is gone. */
export function keepOnExit(path: string): void {
  paths.delete(path);
}

/** Removes what is registered. Call it when the process is about to end. */
export function cleanUpAtExit(): void {
  for (const path of paths) rmSync(path, { force: true, recursive: true });
}
