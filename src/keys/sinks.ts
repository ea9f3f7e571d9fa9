import type { KeySink } from "../engines/engine.js";
import { oneByOne } from "../formats/in_order.js";
import type { ItemOrder } from "./order.js";
import { compareItems } from "./scan.js";

/** Duplicates split what is kept into stretches; short ones are put together before they are handed on. */
const PIECE_BYTES = 1 << 20;
const LONG_STRETCH_BYTES = 1 << 16;

/** Takes items in order, and hands on the first of each place in the order. */
export class UniqueSink implements KeySink {
  readonly #order: ItemOrder;
  readonly #itemBytes: number;
  readonly #sink: KeySink;
  readonly #inOrder = oneByOne();
  readonly #piece = new Uint8Array(PIECE_BYTES);
  #filled = 0;
  #bytes = 0;
  #last: Uint8Array | undefined;

  constructor(order: ItemOrder, sink: KeySink) {
    this.#order = order;
    this.#itemBytes = order.item.bytes;
    this.#sink = sink;
  }

  write(from: Uint8Array<ArrayBuffer>): Promise<void> {
    return this.#inOrder(() => this.#take(from));
  }

  /** Hands on what is left. @returns how many items were kept. */
  async finish(): Promise<number> {
    await this.#inOrder(() => this.#flush());
    return this.#bytes / this.#itemBytes;
  }

  async #take(from: Uint8Array<ArrayBuffer>): Promise<void> {
    if (from.length === 0) return;
    const size = this.#itemBytes;
    const view = this.#order.view(from);
    const { compare } = this.#order;
    const count = from.length / size;
    const repeats =
      this.#last !== undefined && compareItems(this.#last, from.subarray(0, size), this.#order) === 0;
    let start = repeats ? 1 : 0;
    for (let i = 1; i < count; i++) {
      if (compare(view, i - 1, view, i) !== 0) continue;
      // Item i repeats: the stretch before it ends, unless it did with the item before.
      if (start < i) await this.#keep(from.subarray(start * size, i * size));
      start = i + 1;
    }
    if (start < count) await this.#keep(from.subarray(start * size));
    this.#last = from.slice(-size);
  }

  async #keep(stretch: Uint8Array<ArrayBuffer>): Promise<void> {
    if (stretch.length > PIECE_BYTES - this.#filled || stretch.length >= LONG_STRETCH_BYTES)
      await this.#flush();
    if (stretch.length >= LONG_STRETCH_BYTES) return this.#emit(stretch);
    this.#piece.set(stretch, this.#filled);
    this.#filled += stretch.length;
  }

  async #flush(): Promise<void> {
    const filled = this.#piece.subarray(0, this.#filled);
    this.#filled = 0;
    if (filled.length > 0) await this.#emit(filled);
  }

  async #emit(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const offset = this.#bytes;
    this.#bytes += bytes.length;
    await this.#sink.write(bytes, offset);
  }
}

/** Hands on the first so many bytes. */
export class HeadSink implements KeySink {
  readonly #most: number;
  readonly #sink: KeySink;
  #bytes = 0;

  constructor(bytes: number, sink: KeySink) {
    this.#most = bytes;
    this.#sink = sink;
  }

  /** How many bytes were handed on. */
  get bytes(): number {
    return this.#bytes;
  }

  async write(from: Uint8Array<ArrayBuffer>, offset: number): Promise<void> {
    const kept = from.subarray(0, Math.max(0, this.#most - offset));
    if (kept.length === 0) return;
    this.#bytes += kept.length;
    await this.#sink.write(kept, offset);
  }
}
