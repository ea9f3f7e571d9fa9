import { accessSync, constants, promises as fs } from "node:fs";
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
 * The program of util-linux that allocates a file by one system call, which Node lacks. In a file system in
 * memory, that takes a third of the time of writing zeros.
 */
const FALLOCATE = "/usr/bin/fallocate";

/** It takes longer to start the program than to write fewer zeros. */
const FALLOCATE_FROM_BYTES = 256 << 20;

/**
 * Allocates a file's pages before there is anything to write, because the system takes three times as long to
 * find and clear new pages as to copy into them.
 */
export class Preallocation {
  readonly #file: OpenFile;
  readonly #bytes: number;
  readonly #allocating: Promise<unknown>;
  #next: number;
  #writesZeros = true;
  #stopped = false;
  #isDone = false;

  /** @param from the end of the real bytes written so far, which zeros must not overwrite. */
  constructor(file: OpenFile, folder: string, from: number, bytes: number) {
    this.#file = file;
    this.#next = from;
    this.#bytes = bytes;
    this.#allocating = this.#run(folder);
  }

  /** The offset after the last byte that was allocated. */
  get end(): number {
    return this.#next;
  }

  /** To be called before real bytes are written: zeros are written no more. */
  async makeWay(): Promise<void> {
    if (this.#writesZeros) await this.stop();
  }

  /** Ends the allocation. */
  async stop(): Promise<void> {
    if (this.#isDone) return;
    this.#stopped = true;
    await this.#allocating;
    this.#isDone = true;
  }

  async #run(folder: string): Promise<void> {
    try {
      const { type } = await fs.statfs(folder);
      if (type !== TMPFS && this.#bytes > totalmem() * DISK_SHARE) return;
      if (type === TMPFS && this.#bytes >= FALLOCATE_FROM_BYTES && (await this.#allocate())) return;
      await Promise.all(Array.from({ length: PIECES }, () => this.#writeZeros()));
    } catch {
      this.#stopped = true; // the write of the real bytes will report the error
    }
  }

  /**
   * @returns whether the system was asked to allocate the file. If it refuses, the real bytes still can come.
   */
  async #allocate(): Promise<boolean> {
    const { descriptor } = this.#file;
    if (descriptor === undefined || !isProgram(FALLOCATE)) return false;
    const { spawn } = await import("node:child_process"); // few sorts come here, and it takes 2 ms
    if (this.#stopped) return true;
    this.#writesZeros = false;
    this.#next = this.#bytes; // it may be as long from now on
    const child = spawn(FALLOCATE, ["-l", `${this.#bytes}`, "/proc/self/fd/3"], {
      stdio: ["ignore", "ignore", "ignore", descriptor],
    });
    await new Promise((resolve) => {
      child.on("error", resolve);
      child.on("exit", resolve);
    });
    return true;
  }

  async #writeZeros(): Promise<void> {
    while (!this.#stopped && this.#next < this.#bytes) {
      const at = this.#next;
      this.#next = Math.min(this.#bytes, at + PIECE_BYTES);
      await this.#file.writeZeros(this.#next - at, at);
    }
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
