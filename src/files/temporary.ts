import { randomBytes } from "node:crypto";
import { constants, promises as fs } from "node:fs";
import { join } from "node:path";
import { InputError } from "../errors.js";
import { type FileSystem, nodeFiles, type OpenFile, readFully, writeFully } from "./system.js";
import { addUnpublished, forgetUnpublished } from "./unpublished.js";

/** Linux's flag for a file that never has a name; Node does not name it. 020000000 on most architectures. */
const O_TMPFILE = 0o20000000;

/** A file without a name, which is gone when it is closed, or when the process ends in whatever way. */
export interface TemporaryFile {
  read(into: Uint8Array, offset: number): Promise<void>;
  write(from: Uint8Array, offset: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param bytes how many it is to hold, if that is known.
 * @throws InputError if the folder is none, cannot be written to, or has not the space.
 */
export async function createTemporary(
  folder: string,
  bytes: number | undefined,
  files: FileSystem = nodeFiles,
): Promise<TemporaryFile> {
  const { bavail, bsize } = await fs.statfs(folder).catch((cause) => Promise.reject(unusable(folder, cause)));
  if (bytes !== undefined && bavail * bsize < bytes) {
    throw new InputError(
      `${folder} has ${bavail * bsize} bytes free, and the temporary files of this sort take ${bytes}`,
      { hint: "name a folder with more space with --temp-dir, or give the sort more --memory" },
    );
  }
  const file = await openNameless(folder, files).catch((cause) => Promise.reject(unusable(folder, cause)));
  return {
    async read(into, offset) {
      const end = await readFully(file, into, offset).catch((cause) =>
        Promise.reject(unusable(folder, cause)),
      );
      if (end !== undefined) throw unusable(folder, new Error(`a temporary file ends at byte ${end}`));
    },
    async write(from, offset) {
      await writeFully(file, from, offset).catch((cause) => Promise.reject(unusable(folder, cause)));
    },
    close: () => file.close(),
  };
}

async function openNameless(folder: string, files: FileSystem): Promise<OpenFile> {
  if (process.platform === "linux") {
    const nameless = await files
      .open(folder, constants.O_RDWR | constants.O_DIRECTORY | O_TMPFILE, 0o600)
      .catch(() => undefined);
    if (nameless) return nameless;
  }
  const path = join(folder, `.${randomBytes(6).toString("hex")}.gpusort`);
  addUnpublished(path); // before it is there, so that a signal in between leaves nothing
  try {
    const file = await files.open(path, "wx+", 0o600);
    // Windows keeps a name as long as the file is open; there it is removed at the end of the process.
    await fs.unlink(path).then(
      () => forgetUnpublished(path),
      () => {},
    );
    return file;
  } catch (error) {
    forgetUnpublished(path);
    throw error;
  }
}

function unusable(folder: string, cause: NodeJS.ErrnoException): InputError {
  const hint =
    cause.code === "ENOSPC"
      ? "free some space, or name another folder with --temp-dir"
      : "name another folder with --temp-dir";
  return new InputError(`cannot keep temporary files in ${folder}: ${cause.message}`, { hint, cause });
}
