import {
  type BigIntStats,
  promises as fs,
  read as readDescriptor,
  fstat as statDescriptor,
  write as writeDescriptor,
} from "node:fs";
import { promisify } from "node:util";
import { settleAll } from "../core/settle_all.js";

/**
 * An open file. A read or a write may move fewer bytes than requested; a read moves none only at the end of
 * the file. Position null means the current position; it serves files without positions.
 */
export interface OpenFile {
  read(into: Uint8Array, position: number | null): Promise<number>;
  write(from: Uint8Array, position: number | null): Promise<number>;
  /** The number by which the system knows it; undefined if it is no file of the system. */
  readonly descriptor?: number;
  /** Writes zeros, with one system call. */
  writeZeros(length: number, position: number): Promise<number>;
  truncate(length: number): Promise<void>;
  stat(): Promise<BigIntStats>;
  chown(uid: number, gid: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens files: Node's file system, or in tests one that fails as disks do. */
export interface FileSystem {
  open(path: string, flags: string | number, mode?: number): Promise<OpenFile>;
}

/** Node's longest read or write is 2^31 - 1 bytes. */
const LONGEST_MOVE = 2 ** 30;

/** A short buffer, written repeatedly, so that it stays in the processor's cache. */
const ZEROS = new Uint8Array(1 << 20);

export const nodeFiles: FileSystem = {
  async open(path, flags, mode) {
    return openFile(await fs.open(path, flags, mode));
  },
};

function openFile(handle: fs.FileHandle): OpenFile {
  return {
    descriptor: handle.fd,
    read: async (into, position) =>
      (await handle.read(into, 0, Math.min(into.length, LONGEST_MOVE), position)).bytesRead,
    write: async (from, position) =>
      (await handle.write(from, 0, Math.min(from.length, LONGEST_MOVE), position)).bytesWritten,
    writeZeros: async (length, position) => {
      const whole = Array.from({ length: Math.floor(length / ZEROS.length) }, () => ZEROS);
      const zeros = [...whole, ZEROS.subarray(0, length % ZEROS.length)];
      return (await handle.writev(zeros, position)).bytesWritten;
    },
    truncate: (length) => handle.truncate(length),
    stat: () => handle.stat({ bigint: true }),
    chown: (uid, gid) => handle.chown(uid, gid),
    chmod: (mode) => handle.chmod(mode),
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

/**
 * A descriptor that this process was started with. It is used directly, because no path opens a socket, and
 * because a file that is opened again has another position. It stays open.
 */
export function descriptorFile(descriptor: number): OpenFile {
  const read = promisify(readDescriptor);
  const write = promisify(writeDescriptor);
  const stat = promisify(statDescriptor);
  const refuse = () => Promise.reject(new TypeError("a descriptor can only be read and written"));
  return {
    read: async (into, position) =>
      (await read(descriptor, into, 0, Math.min(into.length, LONGEST_MOVE), position)).bytesRead,
    write: async (from, position) =>
      (await write(descriptor, from, 0, Math.min(from.length, LONGEST_MOVE), position)).bytesWritten,
    stat: () => stat(descriptor, { bigint: true }),
    writeZeros: refuse,
    truncate: refuse,
    chown: refuse,
    chmod: refuse,
    sync: refuse,
    close: async () => {},
  };
}

/** Several threads of libuv's pool share a long read, as one thread reads a cached file at only 4 GB/s. */
const PIECE_BYTES = 4 << 20;

/**
 * Fills `into` from an offset in a file, several pieces at a time.
 *
 * @returns undefined; if the file ends before `into` is full, the offset of its end.
 */
export async function readFully(
  file: Pick<OpenFile, "read">,
  into: Uint8Array,
  offset: number,
): Promise<number | undefined> {
  const pieces: Promise<number | undefined>[] = [];
  for (let from = 0; from < into.length; from += PIECE_BYTES) {
    pieces.push(readPiece(file, into.subarray(from, from + PIECE_BYTES), offset + from));
  }
  // All pieces must settle before this returns, because the caller may then reuse `into`.
  const ends = (await settleAll(pieces)).filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

async function readPiece(
  file: Pick<OpenFile, "read">,
  into: Uint8Array,
  offset: number,
): Promise<number | undefined> {
  for (let filled = 0; filled < into.length; ) {
    const bytesRead = await file.read(into.subarray(filled), offset + filled);
    if (bytesRead === 0) return offset + filled;
    filled += bytesRead;
  }
  return undefined;
}

/** Writes all of `from`, with as many writes as needed. */
export async function writeFully(file: OpenFile, from: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < from.length; )
    written += await file.write(from.subarray(written), position + written);
}
