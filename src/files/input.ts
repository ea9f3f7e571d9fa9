import { promises as fs } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { InputError } from "../errors.js";
import type { ByteInput } from "../formats/format.js";
import { type FileSystem, nodeFiles, type OpenFile, readFully, standardInput } from "./system.js";

/** Bytes to sort: of a file in any order, of a pipe from its start to its end. */
export interface InputFile extends ByteInput {
  /**
   * @throws InputError if the file was written to since it was opened: what was read of it need not be any state
   *   that it ever was in.
   */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a file, or standard input for "-".
 *
 * @throws InputError if there is no such file, if it is a directory, or if it may not be read.
 */
export async function openInput(path: string, files: FileSystem = nodeFiles): Promise<InputFile> {
  if (path === "-") return openStandardInput();
  const file = await files.open(path, "r").catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause);
  });
  const stats = await file.stat();
  if (stats.isFile()) return new RegularInput(path, file, Number(stats.size), stats.mtimeNs);
  if (!stats.isDirectory()) return new StreamInput(path, file);
  await file.close();
  throw new InputError(`${path} is a directory`, { hint: "name a file in it" });
}

/** A file that a shell redirects is one; but whoever has read some of it first means what follows. */
async function openStandardInput(): Promise<InputFile> {
  const name = "standard input";
  const file = standardInput();
  const stats = await file.stat();
  const position = await fs.readFile("/proc/self/fdinfo/0", "utf8").catch(() => "");
  const isWhole = stats.isFile() && /^pos:\s*0$/m.test(position);
  return isWhole
    ? new RegularInput(name, file, Number(stats.size), stats.mtimeNs)
    : new StreamInput(name, file);
}

function unreadable(path: string, cause: NodeJS.ErrnoException): InputError {
  if (cause.code === "ENOENT") {
    return new InputError(`there is no file ${path}`, {
      hint: "check the path; - reads standard input",
      cause,
    });
  }
  const hint = cause.code === "EIO" ? "the disk failed: check it, or use a copy" : "check its permissions";
  return new InputError(`cannot read ${path}: ${cause.message}`, { hint, cause });
}

class RegularInput implements InputFile {
  readonly name: string;
  readonly byteLength: number;
  readonly #file: OpenFile;
  readonly #modified: bigint;
  #next = 0;

  constructor(name: string, file: OpenFile, byteLength: number, modified: bigint) {
    this.name = name;
    this.byteLength = byteLength;
    this.#file = file;
    this.#modified = modified;
  }

  async peek(count: number): Promise<Uint8Array> {
    const head = new Uint8Array(Math.min(count, this.byteLength));
    await this.read(head, 0);
    return head;
  }

  async read(into: Uint8Array, offset: number): Promise<void> {
    const end = await readFully(this.#file, into, offset).catch((cause) => {
      throw unreadable(this.name, cause);
    });
    if (end === undefined) return;
    throw new InputError(`${this.name} was cut short while it was read: it ends at byte ${end}`, {
      hint: "sort it again when nothing writes to it",
    });
  }

  async next(into: Uint8Array): Promise<number> {
    const length = Math.min(into.length, this.byteLength - this.#next);
    await this.read(into.subarray(0, length), this.#next);
    this.#next += length;
    return length;
  }

  async checkUnchanged(): Promise<void> {
    const { size, mtimeNs } = await this.#file.stat();
    if (Number(size) === this.byteLength && mtimeNs === this.#modified) return;
    throw new InputError(`${this.name} was written to while it was read`, {
      hint: "sort it again when nothing writes to it",
    });
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** A pipe, a terminal, a device: it has no length, and each byte is handed out once. */
class StreamInput implements InputFile {
  readonly name: string;
  readonly byteLength = undefined;
  readonly #file: OpenFile;
  #peeked = new Uint8Array(0);

  constructor(name: string, file: OpenFile) {
    this.name = name;
    this.#file = file;
  }

  async peek(count: number): Promise<Uint8Array> {
    if (this.#peeked.length < count) {
      const more = new Uint8Array(count);
      const had = this.#peeked.length;
      more.set(this.#peeked);
      this.#peeked = more.subarray(0, had + (await this.#fill(more.subarray(had))));
    }
    return this.#peeked.subarray(0, count);
  }

  async next(into: Uint8Array): Promise<number> {
    const again = this.#peeked.subarray(0, into.length);
    into.set(again);
    this.#peeked = this.#peeked.subarray(again.length);
    return again.length + (await this.#fill(into.subarray(again.length)));
  }

  /** A pipe hands out 64 KiB at a time. */
  async #fill(into: Uint8Array): Promise<number> {
    let filled = 0;
    while (filled < into.length) {
      const bytesRead = await this.#read(into.subarray(filled));
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }

  async #read(into: Uint8Array): Promise<number> {
    for (;;) {
      try {
        return await this.#file.read(into, null);
      } catch (cause) {
        // Whoever shares the pipe may have made it one that does not wait.
        if ((cause as NodeJS.ErrnoException).code !== "EAGAIN") {
          throw unreadable(this.name, cause as NodeJS.ErrnoException);
        }
        await sleep(5);
      }
    }
  }

  async checkUnchanged(): Promise<void> {}

  close(): Promise<void> {
    return this.#file.close();
  }
}
