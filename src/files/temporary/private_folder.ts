import { promises as fs } from "node:fs";
import { join } from "node:path";
import { keepOnExit, removeOnExit } from "../exit_cleanup.js";
import { removeStaleFiles, temporaryName } from "./stale_files.js";
import { unusable } from "./temporary.js";

/** The name of a folder for what another library keeps, of which its hidden name is made. */
const LABEL = "tables";

/** A new folder of this user and this process alone. */
export interface PrivateFolder {
  readonly path: string;
  /** Removes it with all that is in it. */
  remove(): Promise<void>;
}

/**
 * Makes a folder for temporary files of another library, and removes those of processes that were killed.
 *
 * @param within the folder for temporary files.
 * @throws InputError if nothing can be made there.
 */
export async function makePrivateFolder(within: string): Promise<PrivateFolder> {
  const target = join(within, LABEL);
  await removeStaleFiles(target, { recursive: true });
  const path = temporaryName(target);
  removeOnExit(path); // before it is made, so that no signal can leave it behind
  await fs.mkdir(path, { mode: 0o700 }).catch((cause) => {
    keepOnExit(path);
    throw unusable(within, cause);
  });
  return {
    path,
    async remove() {
      await fs.rm(path, { recursive: true, force: true });
      keepOnExit(path);
    },
  };
}
