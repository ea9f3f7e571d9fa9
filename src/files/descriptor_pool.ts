import { readdirSync, readFileSync } from "node:fs";
import type { OpenFile } from "./system.js";

/** A file that is only read. */
export type ReadFile = Pick<OpenFile, "read" | "stat" | "close">;

/**
 * Files that are read, of which only some are open at a time: the one that was not read for the longest time is
 * closed for the sake of another one, and opened again when it is read. So there may be more inputs than
 * descriptors, and no sort and no merge asks how many there are. GNU sort merges groups of inputs into
 * temporary files instead, which reads and writes them all once more.
 */
export class DescriptorPool {
  readonly #limit: () => number;
  #most: number | undefined;
  #open = 0;
  /** Open files that nobody reads now, those first that were not read for the longest time. */
  readonly #idle = new Set<PooledFile>();
  readonly #waiting: (() => void)[] = [];

  /** @param limit the most files that are open at a time, at least 1. It is called once, when it is needed. */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /**
   * Takes over an open file.
   *
   * @param reopen opens the same file once more. It throws if the path names another one, or a changed one.
   */
  async adopt(file: OpenFile, reopen: () => Promise<OpenFile>): Promise<ReadFile> {
    await this.take();
    const pooled = new PooledFile(this, file, reopen);
    this.rest(pooled);
    return pooled;
  }

  /** Waits until one more file may be open. */
  async take(): Promise<void> {
    this.#most ??= this.#limit();
    if (this.#open < this.#most) {
      this.#open++;
      return;
    }
    const [oldest] = this.#idle;
    if (!oldest) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#idle.delete(oldest);
    await oldest.shut();
  }

  /** Lets another file be open, as one was closed. */
  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#open--;
  }

  /** An open file is not read now. */
  rest(file: PooledFile): void {
    if (this.#waiting.length === 0) this.#idle.add(file);
    else file.shut().finally(() => this.give());
  }

  /** A file is about to be read. */
  use(file: PooledFile): void {
    this.#idle.delete(file);
  }
}

/** The pool of all inputs of this process. */
export const inputPool = new DescriptorPool(mostOpenInputs);

class PooledFile implements ReadFile {
  readonly #pool: DescriptorPool;
  readonly #reopen: () => Promise<OpenFile>;
  #file: Promise<OpenFile> | undefined;
  #users = 0;
  #closed = false;

  constructor(pool: DescriptorPool, file: OpenFile, reopen: () => Promise<OpenFile>) {
    this.#pool = pool;
    this.#file = Promise.resolve(file);
    this.#reopen = reopen;
  }

  read(into: Uint8Array, position: number | null): Promise<number> {
    return this.#use((file) => file.read(into, position));
  }

  stat(): ReturnType<OpenFile["stat"]> {
    return this.#use((file) => file.stat());
  }

  /** What still reads the file ends first. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#users === 0) await this.#rest();
  }

  /** Closes the file until it is read again. Nobody reads it now. */
  async shut(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await (await file)?.close().catch(() => {}); // it was only read
  }

  async #use<T>(work: (file: OpenFile) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error("EBADF: the file was closed");
    this.#users++;
    this.#pool.use(this);
    this.#file ??= this.#openAgain();
    try {
      return await work(await this.#file);
    } finally {
      this.#users--;
      if (this.#users === 0) await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    if (this.#file === undefined) return;
    if (this.#closed) await this.#end();
    else this.#pool.rest(this);
  }

  async #openAgain(): Promise<OpenFile> {
    await this.#pool.take();
    try {
      return await this.#reopen();
    } catch (error) {
      this.#file = undefined;
      this.#pool.give();
      throw error;
    }
  }

  async #end(): Promise<void> {
    this.#pool.use(this); // it is idle no longer
    await this.shut();
    this.#pool.give();
  }
}

/** What macOS gives a process, the least of the usual systems. */
const USUAL_LIMIT = 256;

/** About as many descriptors are open when Node has started. */
const USUAL_OPEN = 24;

const LEAST_INPUTS = 4;

/**
 * How many descriptors inputs may take: half of those that are free now. Threads, the output, temporary files
 * and the driver of a device need the others. Node raises the soft limit to the hard one when it starts.
 */
function mostOpenInputs(): number {
  const { limit, open } = descriptorsNow() ?? { limit: USUAL_LIMIT, open: USUAL_OPEN };
  return Math.max(LEAST_INPUTS, Math.floor((limit - open) / 2));
}

/** What Linux tells about the descriptors of this process. */
function descriptorsNow(): { readonly limit: number; readonly open: number } | undefined {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const limit = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    if (limit === undefined) return undefined;
    const open = readdirSync("/proc/self/fd").length;
    return { limit: limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit), open };
  } catch {
    return undefined;
  }
}
