import { crc32 } from "node:zlib";
import type { ByteStore } from "../core/streams/byte_stream.js";
import { temporaryFileChanged } from "./errors.js";

/** Bytes that have a checksum of their own, and are read together. */
const BLOCK_BYTES = 1 << 16;

/** Bytes in a store, one after the other. */
export interface StoredBytes {
  /** Where they begin in the store. */
  readonly at: number;
  readonly byteLength: number;
  /** The CRC-32 of each block of them. */
  readonly checksums: readonly number[];
}

/** Writes bytes to a store, one after the other. */
export class BlockWriter {
  readonly #store: ByteStore;
  readonly #at: number;
  readonly #checksums: number[] = [];
  #byteLength = 0;

  constructor(store: ByteStore, at: number) {
    this.#store = store;
    this.#at = at;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  /** What was written so far. */
  get stored(): StoredBytes {
    return { at: this.#at, byteLength: this.#byteLength, checksums: [...this.#checksums] };
  }

  async write(bytes: Uint8Array): Promise<void> {
    const at = this.#at + this.#byteLength;
    for (let from = 0; from < bytes.length; ) {
      const inBlock = this.#byteLength % BLOCK_BYTES;
      const some = bytes.subarray(from, from + BLOCK_BYTES - inBlock);
      if (inBlock === 0) this.#checksums.push(0);
      this.#checksums.push(crc32(some, this.#checksums.pop()));
      this.#byteLength += some.length;
      from += some.length;
    }
    await this.#store.write(bytes, at);
  }
}

/** Reads stored bytes, one after the other. Each block is compared with its checksum before it is used. */
export class BlockReader {
  readonly #store: ByteStore;
  readonly #stored: StoredBytes;
  /** Bytes that were read from the store, and those of them that were not taken yet. */
  #bytesRead = 0;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(store: ByteStore, stored: StoredBytes) {
    this.#store = store;
    this.#stored = stored;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  /**
   * Fills `into` with the next bytes.
   *
   * @returns their number, which is less only at the end.
   * @throws VerifyError if a block is not what was written.
   */
  async read(into: Uint8Array): Promise<number> {
    let filled = 0;
    while (filled < into.length) {
      const open = into.subarray(filled);
      const left = this.#stored.byteLength - this.#bytesRead;
      if (this.#rest.length > 0) {
        const some = this.#rest.subarray(0, open.length);
        open.set(some);
        this.#rest = this.#rest.subarray(some.length);
        filled += some.length;
      } else if (left === 0) {
        break;
      } else if (open.length >= Math.min(left, BLOCK_BYTES)) {
        const whole = open.length >= left ? left : open.length - (open.length % BLOCK_BYTES);
        await this.#readBlocks(open.subarray(0, whole));
        filled += whole;
      } else {
        this.#rest = new Uint8Array(Math.min(left, BLOCK_BYTES));
        await this.#readBlocks(this.#rest);
      }
    }
    return filled;
  }

  async #readBlocks(into: Uint8Array): Promise<void> {
    const { at, checksums } = this.#stored;
    await this.#store.read(into, at + this.#bytesRead);
    for (let from = 0; from < into.length; from += BLOCK_BYTES) {
      const expected = checksums[(this.#bytesRead + from) / BLOCK_BYTES];
      if (crc32(into.subarray(from, from + BLOCK_BYTES)) !== expected) throw temporaryFileChanged();
    }
    this.#bytesRead += into.length;
  }
}
