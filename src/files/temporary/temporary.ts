import { constants, promises as fs } from "node:fs";
import { join } from "node:path";
import { InputError } from "../../core/errors.js";
import type { ByteStore } from "../../core/streams/byte_stream.js";
import { limitHint, reasonOf } from "../errors.js";
import { createUntilExit, keepOnExit } from "../exit_cleanup.js";
import { type FileSystem, nodeFiles, type OpenFile, readFully, writeFully } from "../system.js";
import { randomName, removeStaleFiles, temporaryName } from "./stale_files.js";

/** Linux's flag for a file without a name (on most architectures). Node's constants do not include it. */
const O_TMPFILE = 0o20000000;

/**
 * Creates a temporary file. It is gone when it is closed, or when the process ends, even if it is killed.
 *
 * @param bytes the length that the file will have; undefined if it is not known.
 * @throws InputError if the folder does not exist or cannot be written to, or if it has less than `bytes`
 *   bytes free.
 */
export async function createTemporary(
  folder: string,
  bytes: number | undefined,
  files: FileSystem = nodeFiles,
): Promise<ByteStore> {
  const fail = (cause: NodeJS.ErrnoException) => Promise.reject(unusable(folder, cause));
  const { bavail, bsize } = await fs.statfs(folder).catch(fail);
  if (bytes !== undefined && bavail * bsize < bytes) {
    throw new InputError(
      `${folder} has ${bavail * bsize} bytes free, but the temporary files of this sort need ${bytes}`,
      {
        hint: "name a folder with more space, or give the sort more memory",
        options: ["tempDir", "memoryBytes"],
        cause: Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" }),
      },
    );
  }
  const file = await openNameless(folder, files).catch(fail);
  return {
    async read(into, offset) {
      const end = await readFully(file, into, offset).catch(fail);
      if (end !== undefined) throw unusable(folder, new Error(`a temporary file ends at byte ${end}`));
    },
    write: (from, offset) => writeFully(file, from, offset).catch(fail),
    close: () => file.close().catch(() => {}), // its bytes are no longer needed
  };
}

async function openNameless(folder: string, files: FileSystem): Promise<OpenFile> {
  if (process.platform === "linux") {
    const nameless = await files
      .open(folder, constants.O_RDWR | constants.O_DIRECTORY | O_TMPFILE, 0o600)
      .catch(() => undefined);
    if (nameless) return nameless;
  }
  const path = join(folder, `.${randomName()}.gpusort`);
  const file = await createUntilExit(path, () => files.open(path, "wx+", 0o600));
  // Windows keeps the name while the file is open. There, the file is removed when the process ends.
  await fs.unlink(path).then(
    () => keepOnExit(path),
    () => {},
  );
  return file;
}

/** The error for a folder in which no temporary file can be kept. */
export function unusable(folder: string, cause: NodeJS.ErrnoException): InputError {
  const other = "name another folder";
  return new InputError(`cannot keep temporary files in ${folder}: ${reasonOf(cause)}`, {
    hint: limitHint(cause, other) ?? other,
    options: ["tempDir"],
    cause,
  });
}

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
  await createUntilExit(path, () => fs.mkdir(path, { mode: 0o700 })).catch((cause) =>
    Promise.reject(unusable(within, cause)),
  );
  return {
    path,
    async remove() {
      await fs.rm(path, { recursive: true, force: true });
      keepOnExit(path);
    },
  };
}
