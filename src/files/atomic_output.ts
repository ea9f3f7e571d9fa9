import { type BigIntStats, promises as fs, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { GpusortError, InputError, type OptionName } from "../core/errors.js";
import { exists, unwritable } from "./errors.js";
import { keepOnExit } from "./exit_cleanup.js";
import type { OutputFile } from "./output_file.js";
import { Preallocation } from "./preallocate.js";
import type { WrittenPieces } from "./read_back.js";
import { sameInode } from "./same_file.js";
import { type FileSystem, type OpenFile, writeFully } from "./system.js";

interface AtomicOutputParts {
  /** The path that the caller gave. */
  readonly path: string;
  /** The path of the file to replace, behind all links. */
  readonly target: string;
  readonly temporary: string;
  /** The open temporary file. */
  readonly file: OpenFile;
  readonly files: FileSystem;
  readonly option: OptionName;
  readonly mayReplace: boolean;
  /** The file to replace. */
  readonly existing: BigIntStats | undefined;
  readonly inputs: readonly BigIntStats[];
  /** Collects sums of what is written, to be compared with the file. */
  readonly pieces: WrittenPieces | undefined;
}

/** A hidden file beside its target, which takes the target's place when it is published. */
export class AtomicOutput implements OutputFile {
  readonly name: string;
  readonly seekable = true;
  readonly path: string;
  readonly #parts: AtomicOutputParts;
  #preallocation: Preallocation | undefined;
  #length = 0;

  constructor(parts: AtomicOutputParts) {
    this.name = parts.path;
    this.path = parts.temporary;
    this.#parts = parts;
  }

  expect(bytes: number): void {
    const { file, target } = this.#parts;
    this.#preallocation = new Preallocation(file, dirname(target), this.#length, bytes);
  }

  async write(from: Uint8Array, offset: number): Promise<void> {
    const { file, pieces } = this.#parts;
    await this.#preallocation?.makeWay();
    this.#length = Math.max(this.#length, offset + from.length);
    const writing = this.#named(() => writeFully(file, from, offset));
    pieces?.add(from, offset); // during the write
    await writing;
  }

  async publish(lastCheck: () => Promise<void> = async () => {}): Promise<void> {
    await this.#named(() => this.#complete());
    await lastCheck();
    await this.#named(() => this.#rename());
  }

  /** Brings all bytes to the disk. */
  async #complete(): Promise<void> {
    const { file, existing, inputs } = this.#parts;
    await this.#preallocation?.stop();
    if (this.#preallocation && this.#preallocation.end > this.#length) await file.truncate(this.#length);
    await this.#readBack();
    await givePermissions(file, existing, inputs);
    await file.sync();
    await file.close();
  }

  async #readBack(): Promise<void> {
    const { file, files, path, temporary, pieces } = this.#parts;
    if (!pieces) return;
    await file.sync();
    const { readBack } = await import("./read_back.js");
    await readBack(path, temporary, this.#length, pieces, files);
  }

  async #rename(): Promise<void> {
    const { temporary, target, mayReplace, files } = this.#parts;
    await this.#requireUnchangedInPlace();
    if (mayReplace) await fs.rename(temporary, target);
    else await this.#publishUnlessExists();
    keepOnExit(temporary);
    await syncFolder(dirname(target), files);
  }

  /** In place, what somebody else put into the target meanwhile would be lost. */
  async #requireUnchangedInPlace(): Promise<void> {
    const { path, target, inputs, existing } = this.#parts;
    const input = existing && inputs.find((one) => sameInode(one, existing));
    if (!input) return;
    const now = await fs.stat(target, { bigint: true }).catch(() => undefined);
    const identity = ["dev", "ino", "size", "mtimeNs", "ctimeNs"] as const;
    if (now && identity.every((field) => now[field] === input[field])) return;
    throw new InputError(`${path} was changed or replaced while it was sorted in place`, {
      hint: "run again when no other program uses it",
    });
  }

  /** Publishes by a hard link, which fails if the target exists by now. A rename would replace the target. */
  async #publishUnlessExists(): Promise<void> {
    const { temporary, target, option } = this.#parts;
    try {
      await fs.link(temporary, target);
    } catch (cause) {
      const { code = "" } = cause as NodeJS.ErrnoException;
      if (code === "EEXIST") throw exists(this.name, option);
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code)) throw cause;
      // The file system has no hard links.
      if (await fs.lstat(target).catch(() => undefined)) throw exists(this.name, option);
      await fs.rename(temporary, target);
      return;
    }
    // The output is complete. If its other name stays, the next run with this output removes it.
    await fs.unlink(temporary).catch(() => {});
  }

  async discard(): Promise<void> {
    const { file, temporary } = this.#parts;
    await this.#preallocation?.stop();
    await file.close().catch(() => {}); // closed already if publishing failed
    await fs.rm(temporary, { force: true });
    keepOnExit(temporary);
  }

  /** Does some work. Its errors name the output rather than the temporary file. */
  async #named(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      if (cause instanceof GpusortError) throw cause;
      throw unwritable(this.name, cause as NodeJS.ErrnoException, this.#parts.option);
    }
  }
}

/** Makes the rename survive a power failure. File systems that cannot sync a folder do not need it. */
async function syncFolder(folder: string, files: FileSystem): Promise<void> {
  const opened = await files.open(folder, "r").catch(() => undefined);
  await opened?.sync().catch(() => {});
  await opened?.close().catch(() => {});
}

const SET_IDS = 0o6000;
const OWNER = 0o700;
const GROUP = 0o070;

/**
 * Gives a new file the mode and the owner of the file that it replaces. If it replaces none, it gets the mode
 * of other new files, without the permissions that one of its inputs does not give.
 *
 * The mode comes last, because the system drops a part of it when the owner changes. Some file systems have
 * no modes; there, the file stays as it is.
 */
async function givePermissions(
  file: OpenFile,
  existing: BigIntStats | undefined,
  inputs: readonly BigIntStats[],
): Promise<void> {
  const mode = existing ? await takeOwner(file, existing) : newMode(inputs, (await file.stat()).gid);
  await file.chmod(mode).catch((cause: NodeJS.ErrnoException) => {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(cause.code ?? "")) throw cause;
  });
}

/**
 * Gives a file the owner of the old one. Only root may change the owner. If the group cannot be kept either,
 * the new group gets no permissions.
 *
 * @returns the mode that the file may then have.
 */
async function takeOwner(file: OpenFile, old: BigIntStats): Promise<number> {
  const [uid, gid, mode] = [Number(old.uid), Number(old.gid), Number(old.mode) & 0o7777];
  const succeeds = (change: Promise<void>) =>
    change.then(
      () => true,
      () => false,
    );
  if (await succeeds(file.chown(uid, gid))) return mode;
  const keptGroup = await succeeds(file.chown(-1, gid));
  return mode & ~SET_IDS & ~(keptGroup ? 0 : GROUP);
}

/** @param gid the group of the new file. */
function newMode(inputs: readonly BigIntStats[], gid: bigint): number {
  // The mode of a pipe says nothing of what comes from it.
  const files = inputs.filter((input) => input.isFile());
  const allowed = files.map((input) => {
    const others = Number(input.mode) & 0o007;
    const group = input.gid === gid ? Number(input.mode) & GROUP : others << 3;
    return OWNER | group | others;
  });
  return allowed.reduce((mode, limit) => mode & limit, 0o666 & ~umask());
}

/** The permissions that new files do not get. Node's own function changes them for all threads meanwhile. */
function umask(): number {
  try {
    const [, mask] = /^Umask:\s*([0-7]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    if (mask !== undefined) return Number.parseInt(mask, 8);
  } catch {} // not Linux
  return process.umask();
}
