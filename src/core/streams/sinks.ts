import type { Bytes } from "../bytes.js";
import type { ItemSink } from "./item_stream.js";
import { serialQueue } from "./serial_queue.js";

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

  async write(from: Bytes, offset: number): Promise<void> {
    const kept = from.subarray(0, Math.max(0, this.#limit - offset));
    if (kept.length === 0) return;
    this.#bytes += kept.length;
    await this.#sink.write(kept, offset);
  }

  end(): Promise<void> {
    return this.#sink.end();
  }
}

/** Compares items by their indices in views of bytes that hold the items end to end. */
export interface ItemComparator<View> {
  readonly itemBytes: number;
  view(bytes: Uint8Array): View;
  /**
   * @returns below 0 if item i of `a` comes first, above 0 if item j of `b` comes first, 0 if they are equal.
   */
  compare(a: View, i: number, b: View, j: number): number;
}

/**
 * Duplicates cut the kept items into stretches. Short stretches are collected in a piece before they are
 * passed on.
 */
const PIECE_BYTES = 1 << 20;
const LONG_STRETCH_BYTES = 1 << 16;

/** Takes sorted items, and passes the first of every run of equal items on to another sink. */
export class UniqueSink<View> implements ItemSink {
  readonly #comparator: ItemComparator<View>;
  readonly #sink: ItemSink;
  readonly #inTurn = serialQueue("stop");
  readonly #piece = new Uint8Array(PIECE_BYTES);
  #filled = 0;
  #bytes = 0;
  #last: Uint8Array | undefined;

  constructor(comparator: ItemComparator<View>, sink: ItemSink) {
    this.#comparator = comparator;
    this.#sink = sink;
  }

  write(from: Bytes): Promise<void> {
    return this.#inTurn(() => this.#take(from));
  }

  end(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#flush();
      await this.#sink.end();
    });
  }

  async #take(from: Bytes): Promise<void> {
    if (from.length === 0) return;
    const { itemBytes: size, compare } = this.#comparator;
    const view = this.#comparator.view(from);
    const count = from.length / size;
    let start = this.#isRepeat(view) ? 1 : 0;
    for (let i = 1; i < count; i++) {
      if (compare(view, i - 1, view, i) !== 0) continue;
      // Item i is a duplicate. It ends the current stretch, if that is not empty.
      if (start < i) await this.#keep(from.subarray(start * size, i * size));
      start = i + 1;
    }
    if (start < count) await this.#keep(from.subarray(start * size));
    this.#last = from.slice(-size);
  }

  /** @returns whether the first item of the view equals the last item of the previous write. */
  #isRepeat(view: View): boolean {
    if (!this.#last) return false;
    return this.#comparator.compare(this.#comparator.view(this.#last), 0, view, 0) === 0;
  }

  async #keep(stretch: Bytes): Promise<void> {
    if (stretch.length > PIECE_BYTES - this.#filled || stretch.length >= LONG_STRETCH_BYTES) {
      await this.#flush();
    }
    if (stretch.length >= LONG_STRETCH_BYTES) return this.#emit(stretch);
    this.#piece.set(stretch, this.#filled);
    this.#filled += stretch.length;
  }

  async #flush(): Promise<void> {
    const filled = this.#piece.subarray(0, this.#filled);
    this.#filled = 0;
    if (filled.length > 0) await this.#emit(filled);
  }

  async #emit(bytes: Bytes): Promise<void> {
    const offset = this.#bytes;
    this.#bytes += bytes.length;
    await this.#sink.write(bytes, offset);
  }
}
