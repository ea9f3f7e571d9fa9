import { rmSync } from "node:fs";

/** Unfinished files and folders, which must not outlive the process. */
const paths = new Set<string>();

/** What is being created: it may appear after it was looked for. */
const creations = new Set<Promise<unknown>>();

/**
 * Creates a file or folder that is removed when the process ends.
 *
 * @throws what `create` throws; then there is nothing to remove.
 */
export async function createUntilExit<Result>(path: string, create: () => Promise<Result>): Promise<Result> {
  paths.add(path);
  const creation = create();
  creations.add(creation);
  try {
    return await creation;
  } catch (error) {
    paths.delete(path);
    throw error;
  } finally {
    creations.delete(creation);
  }
}

/** Ends when all that is being created is there, to be removed. */
export async function untilCreated(): Promise<void> {
  while (creations.size > 0) await Promise.allSettled(creations);
}

/** Undoes `createUntilExit`, once the file has its final name or is gone. */
export function keepOnExit(path: string): void {
  paths.delete(path);
}

/**
 * Removes what is registered. Call it when the process is about to end. What was created last goes first: a
 * folder of many files takes long, and meanwhile the threads of DuckDB could create the output anew, which is
 * older.
 */
export function cleanUpAtExit(): void {
  for (const path of [...paths].reverse()) rmSync(path, { force: true, recursive: true });
}
