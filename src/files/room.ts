import { promises as fs } from "node:fs";
import { totalmem } from "node:os";
import type { OpenFile } from "./system.js";

/** Linux's number for a file system in memory. */
const TMPFS = 0x01021994;

/** On a disk, more than such a share of the memory would be written out before it is written over. */
const DISK_SHARE = 1 / 20;

const PIECE_BYTES = 64 << 20;
/** While one is written others wait in the system's queue: this thread may be busy with an adapter for a while. */
const PIECES = 4;

/**
 * Makes room for a file in memory while there is nothing to write yet: to find and clear fresh pages takes the system
 * three times as long as to copy into them. Zeros are written until the first real bytes come.
 */
export class Room {
  readonly #file: OpenFile;
  readonly #bytes: number;
  readonly #writing: Promise<unknown>;
  #next: number;
  #stopped = false;
  #isReady = false;

  /** @param from where real bytes have been written already: there must be no zeros before. */
  constructor(file: OpenFile, folder: string, from: number, bytes: number) {
    this.#file = file;
    this.#next = from;
    this.#bytes = bytes;
    this.#writing = this.#make(folder);
  }

  /** Past the last zero that was written. */
  get end(): number {
    return this.#next;
  }

  /** No zeros are, or will be, on their way. */
  async ready(): Promise<void> {
    if (this.#isReady) return;
    this.#stopped = true;
    await this.#writing;
    this.#isReady = true;
  }

  async #make(folder: string): Promise<void> {
    try {
      const { type } = await fs.statfs(folder);
      if (type !== TMPFS && this.#bytes > totalmem() * DISK_SHARE) return;
      await Promise.all(Array.from({ length: PIECES }, () => this.#run()));
    } catch {
      // Whoever writes real bytes there is told.
      this.#stopped = true;
    }
  }

  async #run(): Promise<void> {
    while (!this.#stopped && this.#next < this.#bytes) {
      const at = this.#next;
      this.#next = Math.min(this.#bytes, at + PIECE_BYTES);
      await this.#file.writeZeros(this.#next - at, at);
    }
  }
}
