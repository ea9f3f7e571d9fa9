import { promises as fs } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { InputError } from "../core/errors.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { type FileSystem, nodeFiles, type OpenFile, readFully, standardInput } from "./system.js";

/** An open input: a file, which can be read in any order, or a stream, which can be read once in order. */
export interface InputFile extends ByteInput {
  /** @throws InputError if the file was written to since it was opened. A stream is not checked. */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a file, or a stream by its path (a named pipe, a terminal, a device).
 *
 * @throws InputError if there is no such file, if it is a directory, or if it may not be read.
 */
export async function openInput(path: string, files: FileSystem = nodeFiles): Promise<InputFile> {
  const file = await files.open(path, "r").catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause);
  });
  const stats = await file.stat();
  if (stats.isFile()) return new RegularInput(path, file, Number(stats.size), stats.mtimeNs);
  if (!stats.isDirectory()) return streamOf(path, file);
  await file.close();
  throw new InputError(`${path} is a directory`, { hint: "name a file in it" });
}

/** Opens standard input: as a file if it is one and Linux shows that it is at its start, else as a stream. */
export async function openStandardInput(): Promise<InputFile> {
  const name = "standard input";
  const file = standardInput();
  const stats = await file.stat();
  const position = await fs.readFile("/proc/self/fdinfo/0", "utf8").catch(() => "");
  const isWhole = stats.isFile() && /^pos:\s*0$/m.test(position);
  return isWhole ? new RegularInput(name, file, Number(stats.size), stats.mtimeNs) : streamOf(name, file);
}

/** Makes an input of the chunks of a stream. */
export function iterableInput(chunks: AsyncIterable<Uint8Array>, name = "the stream"): InputFile {
  const iterator = chunks[Symbol.asyncIterator]();
  let chunk = new Uint8Array(0);
  const read = async (into: Uint8Array): Promise<number> => {
    while (chunk.length === 0) {
      const { done, value } = await iterator.next();
      if (done) return 0;
      chunk = value as Uint8Array<ArrayBuffer>;
    }
    const taken = chunk.subarray(0, into.length);
    into.set(taken);
    chunk = chunk.subarray(taken.length);
    return taken.length;
  };
  return new StreamInput(name, read, async () => void (await iterator.return?.()));
}

/** Makes an input of a file without positions: a pipe, a terminal, a device. */
function streamOf(name: string, file: OpenFile): StreamInput {
  const read = async (into: Uint8Array): Promise<number> => {
    for (;;) {
      try {
        return await file.read(into, null);
      } catch (cause) {
        // Another process that shares the pipe may have made it non-blocking.
        if ((cause as NodeJS.ErrnoException).code !== "EAGAIN") {
          throw unreadable(name, cause as NodeJS.ErrnoException);
        }
        await sleep(5);
      }
    }
  };
  return new StreamInput(name, read, () => file.close());
}

function unreadable(path: string, cause: NodeJS.ErrnoException): InputError {
  if (cause.code === "ENOENT") {
    return new InputError(`there is no file ${path}`, {
      hint: "check the path",
      cause,
    });
  }
  const hint =
    cause.code === "EIO" ? "the disk failed: check it, or use a copy" : "check the path and its permissions";
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
    throw new InputError(`${this.name} was cut short while it was read: it now ends at byte ${end}`, {
      hint: "run again when no other program writes to it",
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
      hint: "run again when no other program writes to it",
    });
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** An input of unknown length, whose bytes can be read once, in order. */
class StreamInput implements InputFile {
  readonly name: string;
  readonly byteLength = undefined;
  readonly #read: (into: Uint8Array) => Promise<number>;
  readonly #close: () => Promise<void>;
  #peeked = new Uint8Array(0);

  /** @param read fills a part of its argument and returns that part's length; 0 at the end. */
  constructor(name: string, read: (into: Uint8Array) => Promise<number>, close: () => Promise<void>) {
    this.name = name;
    this.#read = read;
    this.#close = close;
  }

  async peek(count: number): Promise<Uint8Array> {
    if (this.#peeked.length < count) {
      const more = new Uint8Array(count);
      const known = this.#peeked.length;
      more.set(this.#peeked);
      this.#peeked = more.subarray(0, known + (await this.#fill(more.subarray(known))));
    }
    return this.#peeked.subarray(0, count);
  }

  async next(into: Uint8Array): Promise<number> {
    const head = this.#peeked.subarray(0, into.length);
    into.set(head);
    this.#peeked = this.#peeked.subarray(head.length);
    return head.length + (await this.#fill(into.subarray(head.length)));
  }

  /** Reads until `into` is full or the stream ends: one read of a pipe returns at most 64 KiB. */
  async #fill(into: Uint8Array): Promise<number> {
    let filled = 0;
    while (filled < into.length) {
      const bytesRead = await this.#read(into.subarray(filled));
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }

  async checkUnchanged(): Promise<void> {}

  close(): Promise<void> {
    return this.#close();
  }
}
