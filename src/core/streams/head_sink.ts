import type { ItemSink } from "./item_stream.js";

/** Passes the first `limit` bytes on to another sink, and drops the rest. */
export class HeadSink implements ItemSink {
  readonly #limit: number;
  readonly #sink: ItemSink;
  #bytes = 0;

  constructor(limit: number, sink: ItemSink) {
    this.#limit = limit;
    this.#sink = sink;
  }

  /** The number of bytes that were passed on. */
  get bytes(): number {
    return this.#bytes;
  }

  async write(from: Uint8Array<ArrayBuffer>, offset: number): Promise<void> {
    const kept = from.subarray(0, Math.max(0, this.#limit - offset));
    if (kept.length === 0) return;
    this.#bytes += kept.length;
    await this.#sink.write(kept, offset);
  }

  end(): Promise<void> {
    return this.#sink.end();
  }
}
