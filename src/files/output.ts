import { promises as fs, fstatSync, type Stats, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { InputError } from "../errors.js";
import type { ByteOutput } from "../formats/format.js";
import { removeLeftovers, temporaryName } from "./leftovers.js";
import { Room } from "./room.js";
import { type FileSystem, nodeFiles, type OpenFile, writeFully } from "./system.js";
import { addUnpublished, forgetUnpublished } from "./unpublished.js";

/** Bytes that become visible all at once, or not at all. */
export interface OutputFile extends ByteOutput {
  /** Tells how long it will be about, so that the system can find the room beforehand. Once, when no write is under way. */
  expect?(bytes: number): void;
  /** After the last write: makes the output what the path names. */
  publish(): Promise<void>;
  /** Instead of `publish`: leaves no trace. */
  discard(): Promise<void>;
}

/**
 * Opens an output: a new file beside the target that replaces it when it is published. Links are followed; the
 * target's mode and owner are kept. A target that is no regular file (a pipe, a device) is written to directly.
 *
 * @param mayReplace whether a file that exists already may be replaced.
 * @throws InputError if it exists and may not be replaced, or if it cannot be written.
 */
export async function createOutput(
  path: string,
  mayReplace: boolean,
  files: FileSystem = nodeFiles,
): Promise<OutputFile> {
  const existing = await fs.stat(path).catch(() => undefined);
  if (existing?.isDirectory()) {
    throw new InputError(`the output ${path} is a directory`, { hint: "name a file in it with --output" });
  }
  if (existing && !existing.isFile()) {
    // By the path as it was given: what /dev/stdout points to has a name that cannot be opened.
    const file = await files.open(path, "w").catch((cause) => Promise.reject(unwritable(path, cause)));
    return new DirectOutput(path, file);
  }
  if (existing && !mayReplace) throw exists(path);
  const target = await followLinks(path);
  await removeLeftovers(target);
  const temporary = temporaryName(target);
  addUnpublished(temporary); // before it is there, so that a signal in between leaves nothing
  const file = await files.open(temporary, "wx").catch((cause) => {
    forgetUnpublished(temporary);
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

/** What a path names in the end, be it there or not: a link to nothing yet names what it points to. */
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
    hint: "replace it with --force, or name another with --output",
  });
}

function unwritable(path: string, cause: NodeJS.ErrnoException): InputError {
  const hint =
    cause.code === "ENOSPC"
      ? "free some space, or name another place with --output"
      : "name another place with --output";
  return new InputError(`cannot write ${path}: ${cause.message}`, { hint, cause });
}

/** Only root may give a file away; who may not keep the group either must not let the new group in. */
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
  #room: Room | undefined;
  #length = 0;

  constructor(name: string, target: string, temporary: string, file: OpenFile, mayReplace: boolean) {
    this.name = name;
    this.#target = target;
    this.#temporary = temporary;
    this.#file = file;
    this.#mayReplace = mayReplace;
  }

  expect(bytes: number): void {
    this.#room = new Room(this.#file, dirname(this.#target), this.#length, bytes);
  }

  async write(from: Uint8Array, offset: number): Promise<void> {
    await this.#room?.ready();
    this.#length = Math.max(this.#length, offset + from.length);
    await writeFully(this.#file, from, offset).catch((cause) => Promise.reject(unwritable(this.name, cause)));
  }

  async publish(): Promise<void> {
    try {
      await this.#room?.ready();
      if (this.#room && this.#room.end > this.#length) await this.#file.truncate(this.#length);
      await this.#file.sync();
      await this.#file.close();
      if (this.#mayReplace) await fs.rename(this.#temporary, this.#target);
      else await this.#publishWhereNothingIs();
      forgetUnpublished(this.#temporary);
      await syncFolder(dirname(this.#target));
    } catch (cause) {
      throw cause instanceof InputError ? cause : unwritable(this.name, cause as NodeJS.ErrnoException);
    }
  }

  /** A rename would replace a file that came into being since; a link refuses. */
  async #publishWhereNothingIs(): Promise<void> {
    try {
      await fs.link(this.#temporary, this.#target);
    } catch (cause) {
      const { code = "" } = cause as NodeJS.ErrnoException;
      if (code === "EEXIST") throw exists(this.name);
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code)) throw cause;
      // A file system without links: the best that is left.
      if (await fs.lstat(this.#target).catch(() => undefined)) throw exists(this.name);
      await fs.rename(this.#temporary, this.#target);
      return;
    }
    await fs.unlink(this.#temporary);
  }

  async discard(): Promise<void> {
    await this.#room?.ready();
    await this.#file.close().catch(() => {}); // closed already if publishing failed
    await fs.rm(this.#temporary, { force: true });
    forgetUnpublished(this.#temporary);
  }
}

/** The rename itself must survive a power cut. Some file systems cannot sync a folder; they need not. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder).catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** Pieces come in order but several at a time; a stream takes one after the other. */
abstract class StreamOutput implements OutputFile {
  abstract readonly name: string;
  readonly seekable = false;
  #last: Promise<void> = Promise.resolve();

  protected abstract append(from: Uint8Array): Promise<void>;

  write(from: Uint8Array): Promise<void> {
    this.#last = this.#last.then(() => this.append(from));
    return this.#last;
  }

  async publish(): Promise<void> {}
  async discard(): Promise<void> {}
}

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

/** An output that is a stream already open, such as `process.stdout`. */
export class StandardOutput extends StreamOutput {
  readonly name = "standard output";
  readonly #stream: NodeJS.WritableStream & { readonly fd?: number };

  constructor(stream: NodeJS.WritableStream & { readonly fd?: number }) {
    super();
    this.#stream = stream;
  }

  protected async append(from: Uint8Array): Promise<void> {
    const { fd } = this.#stream;
    // Node's stream on a file takes a short write for a whole one, so a full disk would pass for success.
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
