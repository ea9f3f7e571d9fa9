import { type BigIntStats, promises as fs } from "node:fs";
import { dirname } from "node:path";
import { GpusortError, InputError, type OptionName } from "../core/errors.js";
import { exists, unwritable } from "./errors.js";
import { keepOnExit } from "./exit_cleanup.js";
import type { OutputFile } from "./output_file.js";
import { givePermissions } from "./permissions.js";
import { Preallocation } from "./preallocate.js";
import { sameInode } from "./same_file.js";
import { type FileSystem, type OpenFile, writeFully } from "./system.js";
import type { WrittenPieces } from "./written_pieces.js";

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
