import { promises as fs } from "node:fs";
import { totalmem } from "node:os";
import type { OpenFile } from "./system.js";

/** The type by which Linux's statfs names a file system in memory. */
const TMPFS = 0x01021994;

/**
 * On a disk, only files up to this share of the memory are preallocated. Of a longer file, the system would
 * write zeros to the disk before the real bytes replace them.
 */
const DISK_SHARE = 1 / 20;

const PIECE_BYTES = 64 << 20;

/** Pieces that are written at the same time: several, because this thread may be busy opening an adapter. */
const PIECES = 4;

/**
 * Allocates a file's pages before there is anything to write, because the system takes three times as long to
 * find and clear new pages as to copy into them. It writes zeros until the first real bytes come.
 */
export class Preallocation {
  readonly #file: OpenFile;
  readonly #bytes: number;
  readonly #writing: Promise<unknown>;
  #next: number;
  #stopped = false;
  #isDone = false;

  /** @param from the end of the real bytes written so far, which zeros must not overwrite. */
  constructor(file: OpenFile, folder: string, from: number, bytes: number) {
    this.#file = file;
    this.#next = from;
    this.#bytes = bytes;
    this.#writing = this.#run(folder);
  }

  /** The offset after the last zero. */
  get end(): number {
    return this.#next;
  }

  /** Stops writing zeros, and waits for the writes that are pending. */
  async stop(): Promise<void> {
    if (this.#isDone) return;
    this.#stopped = true;
    await this.#writing;
    this.#isDone = true;
  }

  async #run(folder: string): Promise<void> {
    try {
      const { type } = await fs.statfs(folder);
      if (type !== TMPFS && this.#bytes > totalmem() * DISK_SHARE) return;
      await Promise.all(Array.from({ length: PIECES }, () => this.#writeZeros()));
    } catch {
      this.#stopped = true; // the write of the real bytes will report the error
    }
  }

  async #writeZeros(): Promise<void> {
    while (!this.#stopped && this.#next < this.#bytes) {
      const at = this.#next;
      this.#next = Math.min(this.#bytes, at + PIECE_BYTES);
      await this.#file.writeZeros(this.#next - at, at);
    }
  }
}
