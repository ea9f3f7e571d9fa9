import type { BigIntStats } from "node:fs";
import { isErrored, isReadable, Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { InputError } from "../core/errors.js";
import { unreadable } from "./errors.js";
import type { InputFile } from "./input_file.js";
import type { OpenFile } from "./system.js";

/** What is known of what is read as a stream. */
interface Origin {
  readonly stats?: BigIntStats;
  /** Throws if it is a file that was written to. */
  readonly check?: () => Promise<void>;
}

/**
 * Makes an input of the chunks of a stream.
 *
 * @param signal aborts a read whose chunk may never come.
 */
export function iterableInput(
  chunks: AsyncIterable<Uint8Array>,
  name = "the stream",
  signal?: AbortSignal,
): InputFile {
  requireUnread(chunks, name);
  const iterator = chunks[Symbol.asyncIterator]();
  const next = () => unlessAborted(iterator.next(), signal);
  const close = async () => {
    const ended = Promise.resolve(iterator.return?.());
    // A generator that waits for its next chunk does not end before that comes.
    if (signal?.aborted) ended.catch(() => {});
    else await ended;
  };
  return new StreamInput(name, readerOf({ next }, name), close);
}

/**
 * One that was read to its end, or cancelled, would seem to be empty.
 *
 * @throws InputError if another reader has a stream of the web, or if nothing is left of a stream.
 */
function requireUnread(chunks: AsyncIterable<Uint8Array>, name: string): void {
  const stream = chunks as unknown as Readable & ReadableStream;
  const hint = "pass a stream that nothing else reads, or the path of its file";
  if (stream.locked === true) throw new InputError(`${name} is locked by another reader`, { hint });
  // One without bytes may end before anybody reads it, as the output of a process that prints nothing.
  const isEnded =
    Readable.isDisturbed(stream) &&
    (stream.readableEnded ?? (isReadable(stream) === false && !isErrored(stream)));
  if (isEnded) throw new InputError(`${name} was read to its end or cancelled before`, { hint });
}

/** The result of a step, or the signal's reason if that aborts it first. */
export async function unlessAborted<T>(step: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return step;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([step, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Makes an input of chunks that are made from another input. It changes when that one does, and closes it.
 */
export function derivedInput(from: InputFile, chunks: AsyncGenerator<Uint8Array>): InputFile {
  const { name, stats } = from;
  const close = async () => {
    await chunks.return(undefined);
    await from.close();
  };
  const regular = { ...(stats && { stats }), check: () => from.checkUnchanged() };
  return new StreamInput(name, readerOf(chunks, name), close, regular);
}

/** The bytes of a chunk. @throws InputError if it has none. */
function bytesOf(chunk: unknown, name: string): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  throw new InputError(
    `${name} gives a chunk that is no bytes, but ${chunk === null ? "null" : `a ${typeof chunk}`}`,
    {
      hint: "give chunks of bytes; read a stream of Node without an encoding",
    },
  );
}

/** Fills as much of `into` as the next chunk has. After an error, an iterator would seem to have ended. */
function readerOf(chunks: AsyncIterator<Uint8Array>, name: string): (into: Uint8Array) => Promise<number> {
  let chunk = new Uint8Array(0);
  let failure: { cause: unknown } | undefined;
  return async (into) => {
    while (chunk.length === 0) {
      if (failure) throw failure.cause;
      const { done, value } = await chunks.next().catch((cause) => {
        failure = { cause };
        throw cause;
      });
      if (done) return 0;
      chunk = bytesOf(value, name) as Uint8Array<ArrayBuffer>;
    }
    const taken = chunk.subarray(0, into.length);
    into.set(taken);
    chunk = chunk.subarray(taken.length);
    return taken.length;
  };
}

const BLOCK_BYTES = 1 << 20;

/**
 * Makes an input of a file that the system makes while it is read. Its reads are long, because some such
 * files end after the first read.
 */
export function generatedInput(name: string, file: OpenFile, stats: BigIntStats): InputFile {
  const blocks = async function* () {
    for (;;) {
      const block = new Uint8Array(BLOCK_BYTES);
      const length = await file.read(block, null).catch((cause) => Promise.reject(unreadable(name, cause)));
      if (length === 0) return;
      yield block.subarray(0, length);
    }
  };
  return new StreamInput(name, readerOf(blocks(), name), () => closeRead(file), { stats });
}

/** Makes an input of a file that is read from where it is: a pipe, a terminal, a device. */
export function streamOf(name: string, file: OpenFile, origin: Origin): InputFile {
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
  return new StreamInput(name, read, () => closeRead(file), origin);
}

/** Closes a file that was only read, so that nothing can be lost. */
function closeRead(file: OpenFile): Promise<void> {
  return file.close().catch(() => {});
}

/** An input of unknown length, whose bytes can be read once, in order. */
class StreamInput implements InputFile {
  readonly name: string;
  readonly byteLength = undefined;
  readonly stats: BigIntStats | undefined;
  readonly #read: (into: Uint8Array) => Promise<number>;
  readonly #close: () => Promise<void>;
  readonly #check: (() => Promise<void>) | undefined;
  #peeked = new Uint8Array(0);
  /** A terminal would wait for more keys, and for another end. */
  #ended = false;

  /** @param read fills a part of its argument and returns that part's length; 0 at the end. */
  constructor(
    name: string,
    read: (into: Uint8Array) => Promise<number>,
    close: () => Promise<void>,
    { stats, check }: Origin = {},
  ) {
    this.name = name;
    this.stats = stats;
    this.#read = read;
    this.#close = close;
    this.#check = check;
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
    while (filled < into.length && !this.#ended) {
      const bytesRead = await this.#read(into.subarray(filled));
      this.#ended = bytesRead === 0;
      filled += bytesRead;
    }
    return filled;
  }

  async checkUnchanged(): Promise<void> {
    await this.#check?.();
  }

  close(): Promise<void> {
    return this.#close();
  }
}
