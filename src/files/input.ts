import { type BigIntStats, promises as fs, read as readAsync } from "node:fs";
import { promisify } from "node:util";
import type { KeySource } from "../engines/engine.js";
import { InputError } from "../errors.js";

const read = promisify(readAsync);

/** A window is read in pieces by several threads of libuv's pool: one thread reads a cached file at 4 GB/s. */
const PIECE_BYTES = 4 << 20;

/** A piece of an input of unknown length. */
const CHUNK_BYTES = 1 << 20;

/** Bytes to sort, of known length, to be read in any order. */
export interface InputFile extends KeySource {
  /** For messages: the path, or "standard input". */
  readonly name: string;
  readonly byteLength: number;
  close(): Promise<void>;
}

/**
 * Opens a file, or standard input for "-". What is no regular file (a pipe, a terminal) has no length, so it
 * is read to its end at once and kept.
 *
 * @throws InputError if there is no such file, if it is a directory, or if it may not be read.
 */
export async function openInput(path: string): Promise<InputFile> {
  if (path === "-") return collect("standard input", 0);
  const handle = await fs.open(path).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause);
  });
  const stats = await handle.stat({ bigint: true });
  if (stats.isFile()) return new RegularFile(path, handle, stats);
  try {
    if (stats.isDirectory()) {
      throw new InputError(`${path} is a directory`, { hint: "name a file in it" });
    }
    return await collect(path, handle.fd);
  } finally {
    await handle.close();
  }
}

function unreadable(path: string, cause: NodeJS.ErrnoException): InputError {
  if (cause.code === "ENOENT") {
    return new InputError(`there is no file ${path}`, {
      hint: "check the path; - reads standard input",
      cause,
    });
  }
  return new InputError(`cannot read ${path}: ${cause.message}`, { hint: "check its permissions", cause });
}

class RegularFile implements InputFile {
  readonly name: string;
  readonly byteLength: number;
  readonly #handle: fs.FileHandle;

  constructor(name: string, handle: fs.FileHandle, stats: BigIntStats) {
    this.name = name;
    this.#handle = handle;
    this.byteLength = Number(stats.size);
  }

  async read(into: Uint8Array<ArrayBuffer>, offset: number): Promise<void> {
    const pieces: Promise<void>[] = [];
    for (let from = 0; from < into.length; from += PIECE_BYTES) {
      pieces.push(this.#fill(into.subarray(from, from + PIECE_BYTES), offset + from));
    }
    const outcomes = await Promise.allSettled(pieces);
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }

  /** A read may return less than it was asked for, and nothing at all only at the end of the file. */
  async #fill(into: Uint8Array<ArrayBuffer>, offset: number): Promise<void> {
    for (let filled = 0; filled < into.length; ) {
      const { bytesRead } = await read(this.#handle.fd, into, filled, into.length - filled, offset + filled);
      if (bytesRead === 0) {
        throw new InputError(
          `${this.name} was cut short while it was read: it ends at byte ${offset + filled}`,
          {
            hint: "sort it again when nothing writes to it",
          },
        );
      }
      filled += bytesRead;
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

async function collect(name: string, fd: number): Promise<InputFile> {
  const chunks: Uint8Array[] = [];
  let byteLength = 0;
  // A pipe hands out 64 KiB at a time: chunks are filled to their ends, or most of their memory would lie idle.
  for (let chunk = new Uint8Array(0), filled = 0; ; ) {
    if (filled === chunk.length) {
      chunk = new Uint8Array(CHUNK_BYTES);
      filled = 0;
      chunks.push(chunk);
    }
    const { bytesRead } = await read(fd, chunk, filled, chunk.length - filled, null).catch((cause) => {
      throw unreadable(name, cause);
    });
    if (bytesRead === 0) break;
    filled += bytesRead;
    byteLength += bytesRead;
  }
  return new CollectedBytes(name, chunks, byteLength);
}

class CollectedBytes implements InputFile {
  readonly name: string;
  readonly byteLength: number;
  readonly #chunks: readonly Uint8Array[];

  constructor(name: string, chunks: readonly Uint8Array[], byteLength: number) {
    this.name = name;
    this.#chunks = chunks;
    this.byteLength = byteLength;
  }

  async read(into: Uint8Array, offset: number): Promise<void> {
    let start = 0;
    for (const chunk of this.#chunks) {
      const from = Math.max(offset, start);
      const to = Math.min(offset + into.length, start + chunk.length);
      if (from < to) into.set(chunk.subarray(from - start, to - start), from - offset);
      start += chunk.length;
    }
  }

  async close(): Promise<void> {}
}
