import { type Bytes, bytesOf } from "../bytes.js";

/*
 * Streams of items of one fixed size, end to end and little-endian: keys, records, values or indices. Offsets
 * and lengths are in bytes, and they are always multiples of the item size.
 */

/** Items that can be read in any order, some of them twice. Several reads may run at a time. */
export interface ItemSource {
  /** Fills `into` with the bytes from `offset` on: whole items. */
  read(into: Bytes, offset: number): Promise<void>;
  /** Reads bytes that are read again later, so that nobody counts them twice. Default: the source. */
  readonly sample?: Pick<ItemSource, "read"> | undefined;
  /** All bytes, if they lie in memory that threads share. */
  readonly shared?: Uint8Array | undefined;
}

/** Takes items. Whoever writes the last item ends the sink. After a failure nobody ends it. */
export interface ItemSink {
  /**
   * Takes the bytes from `offset` on. Calls come in ascending order of offsets, but several may run at a
   * time.
   */
  write(from: Bytes, offset: number): Promise<void>;
  /**
   * Takes all bytes at once, where `fill` puts them. Absent unless that is memory that threads share. */
  fill?: ((fill: (bytes: Uint8Array) => Promise<void>) => Promise<void>) | undefined;
  /**
   * Writes everything that is still buffered, and ends the sinks behind this one. Call it once, after all
   * writes.
   */
  end(): Promise<void>;
}

/** Items that are read in order. */
export interface ItemStream {
  /** Undefined if the number is not known before the end. */
  readonly itemCount: number | undefined;
  /**
   * Fills `into` with the next whole items.
   *
   * @returns their bytes, which are less than fit only at the end.
   */
  next(into: Uint8Array): Promise<number>;
}

/** @returns a `next` that reads a source of `bytes` bytes in order. Several calls may run at a time. */
export function sequential(source: ItemSource, bytes: number): ItemStream["next"] {
  let at = 0;
  return async (into) => {
    const from = at;
    const length = Math.min(into.length, bytes - from);
    at += length;
    await source.read(into.subarray(0, length) as Bytes, from);
    return length;
  };
}

/** @returns a source that reads the items of an array. */
export function memorySource(items: ArrayBufferView): ItemSource {
  const bytes = bytesOf(items);
  return { read: async (into, offset) => into.set(bytes.subarray(offset, offset + into.length)) };
}

/** @returns a sink that writes items to an array. */
export function memorySink(items: ArrayBufferView): ItemSink {
  const bytes = bytesOf(items);
  return { write: async (from, offset) => bytes.set(from, offset), end: async () => {} };
}
