import { bytesOf, elementsAt } from "../bytes.js";
import type { SortArrays, SortJob, SortReport } from "../engines/engine.js";
import { GpusortError, InputError } from "../errors.js";
import { Float16Bits } from "../float16.js";
import type { AbortSignal } from "../host_types.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import type { ArrayEngine } from "./gpu_engine_later.js";

/** A typed array of any class, from any JavaScript realm. */
export type TypedArray = ArrayBufferView & {
  /** The number of elements. */
  readonly length: number;
  /** Bytes per element. */
  readonly BYTES_PER_ELEMENT: number;
};

/** @returns the class name of a typed array; undefined for any other value, including a DataView. */
export function classOf(value: unknown): string | undefined {
  if (!ArrayBuffer.isView(value) || value instanceof DataView) return undefined;
  return (value as unknown as Record<symbol, string>)[Symbol.toStringTag];
}

/**
 * @returns a new array of the same class, and by default of the same length.
 * @throws InputError if there is not enough memory for it.
 */
export function newLike<T extends TypedArray>(array: T, length = array.length): T {
  const classes = globalThis as unknown as Record<string, new (length: number) => T>;
  const like = array instanceof Float16Bits ? Float16Bits : classes[classOf(array)!]!;
  return allocate(length * array.BYTES_PER_ELEMENT, () => new like(length) as unknown as T);
}

/**
 * Copies items from one array to another.
 *
 * @param size elements per item.
 * @param into takes the item from[indices[i]] as item i. It may share memory with `from`.
 */
export function gather<T extends TypedArray>(from: T, size: number, indices: Uint32Array, into: T): void {
  const bytes = size * from.BYTES_PER_ELEMENT;
  const elements = bytesOf(from);
  bytesOf(into).set(allocate(indices.length * bytes, () => elementsAt(elements, bytes, indices)));
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

/**
 * @throws InputError if an array has no memory any more, as its buffer was transferred, say to a worker, or was
 *   resized so that the array lies outside; or if it has another length than it had.
 */
export function requireMemory(name: string, array: TypedArray, length = array.length, cause?: unknown): void {
  try {
    // Refuses an array without memory, where its length is only 0.
    Uint8Array.prototype.keys.call(array);
    if (array.length === length) return;
  } catch {}
  throw new InputError(`${name} has lost its memory: its ArrayBuffer was transferred or resized`, {
    hint: "leave the arrays alone until the call is done, or pass copies",
    cause,
  });
}

/**
 * Notes the lengths of the arrays of a call.
 *
 * @returns what throws an InputError if an array has lost its memory, or has another length, since.
 */
export function memoryGuard(
  arrays: Readonly<Record<string, TypedArray | undefined>>,
): (cause?: unknown) => void {
  const lengths = Object.values(arrays).map((array) => array?.length);
  return (cause) => {
    for (const [i, [name, array]] of Object.entries(arrays).entries()) {
      if (classOf(array) !== undefined) requireMemory(name, array!, lengths[i], cause);
    }
  };
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
 * every read and write fails with the signal's reason, and an engine may end the sort. From the first write
 * of the result on, the signal has no effect, so that the result is written as a whole.
 */
export class ArrayStreams {
  readonly #signal: AbortSignal;
  /** Throws an InputError if an array of the call has lost its memory since the call began. */
  readonly requireMemory: (cause?: unknown) => void;
  #writing = false;

  constructor(signal: AbortSignal, { keys, into, values, counts }: SortArrays) {
    this.#signal = signal;
    const [from, moved] = [values?.from, values?.into];
    this.requireMemory = memoryGuard({ keys, values: from, into, "into.values": moved, counts });
  }

  /** For a part of the call's work, the result of which no caller sees yet. */
  part(arrays: SortArrays): ArrayStreams {
    return new ArrayStreams(this.#signal, arrays);
  }

  /** Sorts the arrays by an engine. @param indices whether `into` takes indices instead of keys. */
  sort(
    engine: ArrayEngine,
    job: SortJob,
    { keys, into, values, counts }: SortArrays,
    indices: boolean,
  ): Promise<SortReport> {
    const own = { ...job, signal: this.#signal };
    const [source, sink] = [this.source(keys), this.sink(into)];
    if (indices) return engine.argsort(own, source, sink);
    const moved = values && { source: this.source(values.from), sink: this.sink(values.into) };
    return engine.sort(own, source, sink, moved, counts && this.sink(counts));
  }

  /** Presents bytes as what is read. */
  source(bytes: Uint8Array): ItemSource {
    return {
      shared: isShared(bytes) ? bytes : undefined,
      read: async (into, offset) => {
        if (!this.#writing) this.#signal.throwIfAborted();
        this.requireMemory();
        into.set(bytes.subarray(offset, offset + into.length));
      },
    };
  }

  /** Presents bytes as what takes the result. */
  sink(bytes: Uint8Array): ItemSink {
    return {
      write: async (from, offset) => {
        if (!this.#writing) this.#signal.throwIfAborted();
        this.requireMemory();
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
   * Waits for `work`. If the signal aborts first, rejects immediately with its reason: work that cannot be
   * interrupted continues in the background, and its result is dropped.
   *
   * @returns the result of `work`.
   * @throws InputError if `work` fails by an error that is not gpusort's own, and an array of the call has
   *   lost its memory.
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
    } catch (error) {
      if (!this.#signal.aborted && !(error instanceof GpusortError)) this.requireMemory(error);
      throw error;
    } finally {
      this.#signal.removeEventListener("abort", abort);
    }
  }
}

/**
 * Copies few keys and their values, as the caller may change them before their order is known.
 *
 * @param indices whether `into` takes indices instead of keys.
 * @returns a function that writes the result by the indices of the keys in their order.
 */
export function inOrder(
  { type, payloadBytes = 0 }: SortJob,
  { keys, into, values }: SortArrays,
  indices: boolean,
): (order: Uint32Array) => void {
  const requireInto = memoryGuard({ into, "into.values": values?.into });
  if (indices) {
    return (order) => {
      requireInto();
      into.set(bytesOf(order));
    };
  }
  const keysBefore = keys.slice();
  const valuesBefore = values?.from.slice();
  return (order) => {
    requireInto();
    for (const [i, index] of order.entries()) {
      copyElement(keysBefore, index, into, i, type.bytes);
      if (values) copyElement(valuesBefore!, index, values.into, i, payloadBytes);
    }
  };
}

function copyElement(from: Uint8Array, index: number, into: Uint8Array, at: number, bytes: number): void {
  into.set(from.subarray(index * bytes, (index + 1) * bytes), at * bytes);
}

/** Whether threads can share an array. */
export function isShared({ buffer }: ArrayBufferView): boolean {
  return Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";
}
