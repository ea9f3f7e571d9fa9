/** A file or a pipe to read bytes from. */
export interface ByteInput {
  /** The path, or "standard input", for messages. */
  readonly name: string;
  /** Undefined if the length is not known before the end, as with a pipe. */
  readonly byteLength: number | undefined;
  /** @returns the first `count` bytes, or all if there are fewer. They can still be read afterwards. */
  peek(count: number): Promise<Uint8Array>;
  /**
   * Fills `into` from an offset. Several calls may run at a time. Absent if bytes can only be read in order.
   */
  read?(into: Uint8Array, offset: number): Promise<void>;
  /**
   * Fills `into` with the next bytes.
   *
   * @returns their number, which is less than `into.length` only at the end.
   */
  next(into: Uint8Array): Promise<number>;
}

/** A file or a pipe to write bytes to. */
export interface ByteOutput {
  /** The path, or "standard output", for messages. */
  readonly name: string;
  /** Whether bytes may be written at any offset. Otherwise they must be written in order, each once. */
  readonly seekable: boolean;
  /** Writes all bytes of `from` at an offset. `from` must not change before the promise settles. */
  write(from: Uint8Array, offset: number): Promise<void>;
}

/** The bytes of several inputs; undefined if a length is not known. */
export function totalBytes(inputs: readonly Pick<ByteInput, "byteLength">[]): number | undefined {
  let bytes = 0;
  for (const { byteLength } of inputs) {
    if (byteLength === undefined) return undefined;
    bytes += byteLength;
  }
  return bytes;
}

/** Holds bytes for a while, usually in a temporary file. They can be written and read in any order. */
export interface ByteStore {
  read(into: Uint8Array, offset: number): Promise<void>;
  write(from: Uint8Array, offset: number): Promise<void>;
  close(): Promise<void>;
}
