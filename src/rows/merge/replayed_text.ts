import type { ByteStore } from "../../core/streams/byte_stream.js";
import type { RowReader } from "../reader.js";

/** Where the text of all inputs comes from. */
export type RowTextReader = Pick<
  RowReader,
  "header" | "byteLength" | "bytesRead" | "starts" | "read" | "unread"
>;

/** The text of inputs that can be read once only, again from its begin: what was kept of it, then the rest. */
export class ReplayedText implements RowTextReader {
  readonly #store: ByteStore;
  readonly #kept: number;
  readonly #rest: RowTextReader;
  #next = 0;
  #pending: Uint8Array = new Uint8Array(0);

  /** @param kept bytes of the text in the store, which come before those that `rest` reads next. */
  constructor(store: ByteStore, kept: number, rest: RowTextReader) {
    this.#store = store;
    this.#kept = kept;
    this.#rest = rest;
  }

  get header(): Uint8Array {
    return this.#rest.header;
  }
  get byteLength(): number | undefined {
    return this.#rest.byteLength;
  }
  get bytesRead(): number {
    return this.#next + this.#rest.bytesRead;
  }
  get starts(): RowTextReader["starts"] {
    return this.#rest.starts;
  }

  unread(bytes: Uint8Array): void {
    this.#pending = Buffer.concat([bytes, this.#pending]);
  }

  async read(into: Uint8Array, begun = () => {}): Promise<number> {
    const pending = this.#pending.subarray(0, into.length);
    into.set(pending);
    this.#pending = this.#pending.subarray(pending.length);
    let filled = pending.length;
    const kept = Math.min(into.length - filled, this.#kept - this.#next);
    if (kept > 0) {
      await this.#store.read(into.subarray(filled, filled + kept), this.#next);
      this.#next += kept;
      filled += kept;
    }
    begun();
    return filled < into.length ? filled + (await this.#rest.read(into.subarray(filled))) : filled;
  }
}
