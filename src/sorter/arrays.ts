import type { KeySink, KeySource } from "../engines/engine.js";
import { InputError } from "../errors.js";

/** Any view of numbers, of whatever realm. */
export type TypedArray = ArrayBufferView & { readonly length: number; readonly BYTES_PER_ELEMENT: number };

/** The name of a typed array's class; undefined for anything else, a DataView included. */
export function classOf(value: unknown): string | undefined {
  if (!ArrayBuffer.isView(value) || value instanceof DataView) return undefined;
  return (value as unknown as Record<symbol, string>)[Symbol.toStringTag];
}

/** What to call a value in a message. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return classOf(value) ?? (value as object).constructor?.name ?? typeof value;
}

/** A new array of the same class and length. */
export function newLike<T extends TypedArray>(array: T): T {
  const classes = globalThis as unknown as Record<string, new (length: number) => T>;
  return allocate(array.byteLength, () => new classes[classOf(array)!]!(array.length));
}

/** @throws InputError where the machine has not that much memory to give. */
export function allocate<T>(bytes: number, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new InputError(`the result takes ${bytes} bytes, which could not be allocated`, {
      hint: "pass an array to sort into, or sort in parts",
      cause,
    });
  }
}

/** Whether two views share bytes. */
export function overlap(a: ArrayBufferView, b: ArrayBufferView): boolean {
  return (
    a.buffer === b.buffer &&
    a.byteOffset < b.byteOffset + b.byteLength &&
    b.byteOffset < a.byteOffset + a.byteLength
  );
}

/**
 * One call's arrays as an engine's sources and sinks. Once the caller's `signal` has aborted, whatever the engine does next
 * fails with its reason; but not any more once the result is being written.
 */
export class ArrayStreams {
  readonly #signal: AbortSignal;
  #writing = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  source(array: ArrayBufferView): KeySource {
    const bytes = bytesOf(array);
    return {
      read: async (into, offset) => {
        if (!this.#writing) this.#signal.throwIfAborted();
        into.set(bytes.subarray(offset, offset + into.length));
      },
    };
  }

  sink(array: ArrayBufferView): KeySink {
    const bytes = bytesOf(array);
    return {
      write: async (from, offset) => {
        if (!this.#writing) this.#signal.throwIfAborted();
        this.#writing = true;
        bytes.set(from, offset);
      },
    };
  }

  /**
   * What `work` gives, or the signal's reason as soon as it aborts: work that cannot be interrupted then goes on in the
   * background, and nothing comes of it.
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

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
