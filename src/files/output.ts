import { promises as fs, fstatSync, type Stats, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { InputError } from "../core/errors.js";
import type { ByteOutput } from "../core/streams/byte_stream.js";
import { serialQueue } from "../core/streams/serial_queue.js";
import { keepOnExit, removeOnExit } from "./exit_cleanup.js";
import { Preallocation } from "./preallocate.js";
import { removeStaleFiles, temporaryName } from "./stale_files.js";
import { type FileSystem, nodeFiles, type OpenFile, writeFully } from "./system.js";

/** An output. The bytes of a file become visible all at once, when it is published. */
export interface OutputFile extends ByteOutput {
  /** Announces the length, so that the file's pages can be allocated beforehand. Call it at most once. */
  expect?(bytes: number): void;
  /** Gives the output its name. Call it after the last write. */
  publish(): Promise<void>;
  /** Removes the output. Call it instead of `publish`, or after `publish` failed. */
  discard(): Promise<void>;
}

/**
 * Opens an output: a temporary file beside the target, which takes the target's place when it is published.
 * Links are followed. The mode and the owner of an existing target are kept. A target that is not a regular
 * file (a pipe, a device) is written to directly.
 *
 * @param mayReplace whether an existing file may be replaced.
 * @throws InputError if the target exists and may not be replaced, or if it cannot be written.
 */
export async function createOutput(
  path: string,
  mayReplace: boolean,
  files: FileSystem = nodeFiles,
): Promise<OutputFile> {
  const existing = await fs.stat(path).catch(() => undefined);
  if (existing?.isDirectory()) {
    throw new InputError(`the output ${path} is a directory`, {
      hint: "name a file in it",
      options: ["output"],
    });
  }
  if (existing && !existing.isFile()) {
    // Not by the target of a link: /dev/stdout may point to a name that cannot be opened.
    const file = await files.open(path, "w").catch((cause) => Promise.reject(unwritable(path, cause)));
    return new DirectOutput(path, file);
  }
  if (existing && !mayReplace) throw exists(path);
  const target = await followLinks(path);
  await removeStaleFiles(target);
  const temporary = temporaryName(target);
  removeOnExit(temporary); // before the file is created, so that no signal can leave it behind
  const file = await files.open(temporary, "wx").catch((cause) => {
    keepOnExit(temporary);
    throw unwritable(path, cause);
  });
  const output = new AtomicOutput(path, target, temporary, file, mayReplace);
  if (existing) {
    await keepModeAndOwner(file, existing).catch(async (cause) => {
      await output.discard();
      throw unwritable(path, cause);
    });
  }
  return output;
}

/** The path at the end of a chain of links, whether or not there is a file. */
async function followLinks(path: string, links = 40): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch {
    const pointsTo = await fs.readlink(path).catch(() => undefined);
    if (pointsTo === undefined) return path;
    return links === 0 ? path : followLinks(resolve(dirname(path), pointsTo), links - 1);
  }
}

function exists(path: string): InputError {
  return new InputError(`the output ${path} exists already`, {
    hint: "allow it to be replaced, or name another output",
    options: ["replace", "output"],
  });
}

function unwritable(path: string, cause: NodeJS.ErrnoException): InputError {
  const hint =
    cause.code === "ENOSPC"
      ? "free some space, or name another output"
      : "check that its folder exists and may be written to, or name another output";
  return new InputError(`cannot write ${path}: ${cause.message}`, { hint, options: ["output"], cause });
}

/**
 * Gives the new file the mode and the owner of the old one. Only root may change the owner. If the group
 * cannot be kept either, the new group gets no permissions.
 */
async function keepModeAndOwner(file: OpenFile, { mode, uid, gid }: Stats): Promise<void> {
  const SET_IDS = 0o6000;
  const GROUP = 0o070;
  try {
    await file.chown(uid, gid);
    await file.chmod(mode & 0o7777);
  } catch {
    const keptGroup = await file.chown(-1, gid).then(
      () => true,
      () => false,
    );
    await file.chmod(mode & 0o7777 & ~SET_IDS & ~(keptGroup ? 0 : GROUP));
  }
}

class AtomicOutput implements OutputFile {
  readonly name: string;
  readonly seekable = true;
  readonly #target: string;
  readonly #temporary: string;
  readonly #file: OpenFile;
  readonly #mayReplace: boolean;
  #preallocation: Preallocation | undefined;
  #length = 0;

  constructor(name: string, target: string, temporary: string, file: OpenFile, mayReplace: boolean) {
    this.name = name;
    this.#target = target;
    this.#temporary = temporary;
    this.#file = file;
    this.#mayReplace = mayReplace;
  }

  expect(bytes: number): void {
    this.#preallocation = new Preallocation(this.#file, dirname(this.#target), this.#length, bytes);
  }

  async write(from: Uint8Array, offset: number): Promise<void> {
    await this.#preallocation?.stop();
    this.#length = Math.max(this.#length, offset + from.length);
    await writeFully(this.#file, from, offset).catch((cause) => Promise.reject(unwritable(this.name, cause)));
  }

  async publish(): Promise<void> {
    try {
      await this.#preallocation?.stop();
      if (this.#preallocation && this.#preallocation.end > this.#length)
        await this.#file.truncate(this.#length);
      await this.#file.sync();
      await this.#file.close();
      if (this.#mayReplace) await fs.rename(this.#temporary, this.#target);
      else await this.#publishUnlessExists();
      keepOnExit(this.#temporary);
      await syncFolder(dirname(this.#target));
    } catch (cause) {
      throw cause instanceof InputError ? cause : unwritable(this.name, cause as NodeJS.ErrnoException);
    }
  }

  /** Publishes by a hard link, which fails if the target exists by now. A rename would replace the target. */
  async #publishUnlessExists(): Promise<void> {
    try {
      await fs.link(this.#temporary, this.#target);
    } catch (cause) {
      const { code = "" } = cause as NodeJS.ErrnoException;
      if (code === "EEXIST") throw exists(this.name);
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code)) throw cause;
      // The file system has no hard links.
      if (await fs.lstat(this.#target).catch(() => undefined)) throw exists(this.name);
      await fs.rename(this.#temporary, this.#target);
      return;
    }
    await fs.unlink(this.#temporary);
  }

  async discard(): Promise<void> {
    await this.#preallocation?.stop();
    await this.#file.close().catch(() => {}); // closed already if publishing failed
    await fs.rm(this.#temporary, { force: true });
    keepOnExit(this.#temporary);
  }
}

/** Makes the rename survive a power failure. File systems that cannot sync a folder do not need it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder).catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** An output without offsets: the pieces of pending writes are appended in the order of the calls. */
abstract class StreamOutput implements OutputFile {
  abstract readonly name: string;
  readonly seekable = false;
  readonly #inTurn = serialQueue("stop");

  protected abstract append(from: Uint8Array): Promise<void>;

  write(from: Uint8Array): Promise<void> {
    return this.#inTurn(() => this.append(from));
  }

  async publish(): Promise<void> {}
  async discard(): Promise<void> {}
}

/** An output to a pipe or a device, opened by its path. */
class DirectOutput extends StreamOutput {
  readonly name: string;
  readonly #file: OpenFile;

  constructor(name: string, file: OpenFile) {
    super();
    this.name = name;
    this.#file = file;
  }

  protected async append(from: Uint8Array): Promise<void> {
    await writeFully(this.#file, from, null).catch((cause) => Promise.reject(unwritable(this.name, cause)));
  }

  override publish(): Promise<void> {
    return this.#file.close();
  }

  override discard(): Promise<void> {
    return this.#file.close();
  }
}

/** An output to an open stream, which stays open. */
export class WritableOutput extends StreamOutput {
  readonly name: string;
  readonly #stream: NodeJS.WritableStream & { readonly fd?: number };

  constructor(stream: NodeJS.WritableStream & { readonly fd?: number }, name = "the stream") {
    super();
    this.#stream = stream;
    this.name = name;
  }

  protected async append(from: Uint8Array): Promise<void> {
    const { fd } = this.#stream;
    // Node's stream treats a partial write to a file as complete, so a full disk would look like success.
    if (fd !== undefined && fstatSync(fd).isFile()) return this.#appendToFile(fd, from);
    return new Promise((resolve, reject) => {
      this.#stream.write(from, (error) => (error ? reject(error) : resolve()));
    });
  }

  #appendToFile(fd: number, from: Uint8Array): void {
    try {
      for (let written = 0; written < from.length; ) written += writeSync(fd, from, written);
    } catch (cause) {
      throw unwritable(this.name, cause as NodeJS.ErrnoException);
    }
  }
}
