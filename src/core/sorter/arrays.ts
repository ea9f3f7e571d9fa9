import type { Engine, SortArrays, SortJob, SortReport } from "../engines/engine.js";
import { InputError } from "../errors.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";

/** A typed array of any class, from any JavaScript realm. */
export type TypedArray = ArrayBufferView & { readonly length: number; readonly BYTES_PER_ELEMENT: number };

/** @returns the class name of a typed array; undefined for any other value, including a DataView. */
export function classOf(value: unknown): string | undefined {
  if (!ArrayBuffer.isView(value) || value instanceof DataView) return undefined;
  return (value as unknown as Record<symbol, string>)[Symbol.toStringTag];
}

/** @returns the name of a value's class or type, for error messages. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return classOf(value) ?? (value as object).constructor?.name ?? typeof value;
}

/**
 * @returns a new array of the same class and length.
 * @throws InputError if there is not enough memory for it.
 */
export function newLike<T extends TypedArray>(array: T): T {
  const classes = globalThis as unknown as Record<string, new (length: number) => T>;
  return allocate(array.byteLength, () => new classes[classOf(array)!]!(array.length));
}

/**
 * Calls `make`, which allocates an array of `bytes` bytes.
 *
 * @throws InputError if the allocation fails.
 */
export function allocate<T>(bytes: number, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new InputError(`cannot allocate ${bytes} bytes for the result`, {
      hint: "pass an array in `into`, or sort in parts",
      cause,
    });
  }
}

/** @returns whether two views share at least one byte. */
export function overlap(a: ArrayBufferView, b: ArrayBufferView): boolean {
  return (
    a.buffer === b.buffer &&
    a.byteOffset < b.byteOffset + b.byteLength &&
    b.byteOffset < a.byteOffset + a.byteLength
  );
}

/**
 * Presents the arrays of one call as the sources and sinks of an engine. After the caller's `signal` aborts,
 * every read and write fails with the signal's reason, and an engine may end the sort. From the first write of
 * the result on, the signal has no effect, so that the result is written as a whole.
 */
export class ArrayStreams {
  readonly #signal: AbortSignal;
  #writing = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Sorts the arrays by an engine. @param indices whether `into` takes indices instead of keys. */
  sort(
    engine: Engine,
    job: SortJob,
    { keys, into, values }: SortArrays,
    indices: boolean,
  ): Promise<SortReport> {
    const own = { ...job, signal: this.#signal };
    const [source, sink] = [this.#source(keys), this.#sink(into)];
    if (indices) return engine.argsort(own, source, sink);
    const moved = values && { source: this.#source(values.from), sink: this.#sink(values.into) };
    return engine.sort(own, source, sink, moved);
  }

  #source(bytes: Uint8Array): ItemSource {
    return {
      shared: isShared(bytes) ? bytes : undefined,
      read: async (into, offset) => {
        if (!this.#writing) this.#signal.throwIfAborted();
        into.set(bytes.subarray(offset, offset + into.length));
      },
    };
  }

  #sink(bytes: Uint8Array): ItemSink {
    return {
      write: async (from, offset) => {
        if (!this.#writing) this.#signal.throwIfAborted();
        this.#writing = true;
        bytes.set(from, offset);
      },
      fill: isShared(bytes)
        ? async (fill) => {
            if (!this.#writing) this.#signal.throwIfAborted();
            this.#writing = true;
            await fill(bytes);
          }
        : undefined,
      end: async () => {},
    };
  }

  /**
   * Waits for `work`. If the signal aborts first, rejects at once with its reason: work that cannot be
   * interrupted continues in the background, and its result is dropped.
   *
   * @returns the result of `work`.
   */
  async settle<T>(work: () => Promise<T>): Promise<T> {
    this.#signal.throwIfAborted();
    let abort!: () => void;
    const aborted = new Promise<never>((_, reject) => {
      abort = () => {
        if (!this.#writing) reject(this.#signal.reason);
      };
    });
    this.#signal.addEventListener("abort", abort);
    try {
      return await Promise.race([work(), aborted]);
    } finally {
      this.#signal.removeEventListener("abort", abort);
    }
  }
}

/** Whether threads can share an array. */
export function isShared({ buffer }: ArrayBufferView): boolean {
  return Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";
}

export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
