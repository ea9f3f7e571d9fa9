import { InputError } from "../core/errors.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import type { PhaseClock } from "../core/streams/phase_clock.js";
import { firstInversion } from "./neighbours.js";
import { RowReader } from "./reader.js";
import type { RowOrder } from "./row_order.js";
import { type RowPlace, RowText } from "./text.js";
import type { RowWorkspace } from "./workspace.js";

/** Rows that were read of an input, one after the other, and not written yet. */
interface Held {
  readonly bytes: Uint8Array;
  /** Where each row begins in the bytes, and the end of the last one. */
  readonly starts: Uint32Array;
}

/** What a sorted input needs besides its bytes. */
export interface SortedInputOptions {
  readonly order: RowOrder;
  readonly header: boolean;
  readonly verify: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A sorted input of a merge, which is read bit by bit. It holds whole rows that were read and not written yet. */
export class SortedInput {
  readonly #space: RowWorkspace;
  readonly #options: SortedInputOptions;
  readonly #reader: RowReader;
  readonly #text: RowText;
  #held: Held[] = [];
  #last: Uint8Array | undefined;
  #bytes = 0;
  #rows = 0;
  #hashes = 0n;
  #ended = false;

  constructor(space: RowWorkspace, input: ByteInput, clock: PhaseClock, options: SortedInputOptions) {
    this.#space = space;
    this.#options = options;
    this.#reader = new RowReader([input], options);
    this.#text = new RowText(space, this.#reader, clock, options.signal);
  }

  /** What comes before the first row. Known after the first `extend`. */
  get header(): Uint8Array {
    return this.#reader.header;
  }
  /** Whether all rows were read. */
  get ended(): boolean {
    return this.#ended;
  }
  /** The rows that are held, and their bytes. */
  get rows(): number {
    return this.#rows;
  }
  get bytes(): number {
    return this.#bytes;
  }
  /** Rows that were read so far, their bytes, and the sum of their hashes, modulo 2^64. */
  get read(): { readonly rows: number; readonly bytes: number; readonly hashes: bigint } {
    return { rows: this.#text.rows, bytes: this.#text.bytes, hashes: BigInt.asUintN(64, this.#hashes) };
  }
  /** The last row that was read, with its terminator. */
  get last(): Uint8Array {
    return this.#last!;
  }

  /**
   * Reads more rows, about so many bytes of them. The workspace is free for it.
   *
   * @throws InputError if the rows are not in order; as `RowText.next`.
   */
  async extend(bytes: number): Promise<void> {
    const { batch, ended, firstRow } = await this.#text.next(this.#last, bytes);
    this.#ended = ended;
    const carried = this.#last ? 1 : 0;
    if (batch.rows === carried) return;
    const wrong = await firstInversion(this.#space, batch, this.#options.signal);
    if (wrong !== undefined) throw this.#notSorted(firstRow + wrong - carried);
    if (this.#options.verify) this.#hashes += await batch.hash(carried);
    const begin = batch.start(carried);
    const end = batch.start(batch.rows);
    const held = this.#space.bytes(batch.places.text + begin, end - begin).slice();
    const starts = this.#space.words(batch.places.starts + 4 * carried, batch.rows - carried + 1).slice();
    for (let i = 0; i < starts.length; i++) starts[i]! -= begin;
    this.#held.push({ bytes: held, starts });
    this.#bytes += held.length;
    this.#rows += batch.rows - carried;
    this.#last = batch.rowBytes(batch.rows - 1);
  }

  /** Copies the rows that are held. */
  copyTo(into: Uint8Array): void {
    let at = 0;
    for (const { bytes } of this.#held) {
      into.set(bytes, at);
      at += bytes.length;
    }
  }

  /** Forgets the first rows that are held, as they were written. */
  drop(rows: number): void {
    this.#rows -= rows;
    let left = rows;
    while (left > 0) {
      const { bytes, starts } = this.#held[0]!;
      const own = starts.length - 1;
      const dropped = Math.min(own, left);
      const begin = starts[dropped]!;
      this.#bytes -= begin - starts[0]!;
      left -= dropped;
      if (dropped === own) this.#held.shift();
      else {
        const rest = starts.slice(dropped).map((start) => start - begin);
        this.#held[0] = { bytes: bytes.slice(begin), starts: rest };
      }
    }
  }

  /** Where a row is. @param row its number among those that are held. */
  placeOf(row: number): RowPlace {
    return this.#text.placeOf(this.#text.rows - this.#rows + row);
  }

  #notSorted(row: number): InputError {
    const place = this.#text.placeOf(row);
    return new InputError(`cannot merge ${place.input}: its row ${place.row + 1} is not in order`, {
      hint: "sort all inputs instead, by leaving the merge out, or give the options that it was sorted by",
      options: ["merge"],
    });
  }
}
