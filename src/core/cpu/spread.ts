import { BucketTable } from "./buckets.js";
import type { Findings } from "./findings.js";
import { type PlannedWork, writeJob } from "./work.js";
import type { SpreadPlaces } from "./workspace.js";

/** A part of the elements that one call divides. */
interface SpreadPiece {
  readonly from: number;
  readonly count: number;
}

/** What a call that divides a piece is told: the address of its scratch and of its row, and the digit. */
export type SpreadWords = readonly [to: number, row: number, shift: number, mask: number];

/** What a call is told that divides nothing. */
export const NOT_SPREAD: SpreadWords = [0, 0, 0, 0];

/**
 * Divides elements by their top digit, or by buckets, while others are read: only one thread can copy an array
 * of the caller, and meanwhile the others divide what has come, which is in their caches. Each piece is divided
 * by itself, into the scratch; `radixSort` then collects the elements of each digit from all pieces, in the
 * order of the pieces.
 *
 * The elements of the first window decide which digit that is, and whether buckets are needed to divide them
 * evenly. If they are in order, nothing is divided; if later elements differ in higher bits, what was divided is in
 * vain, but still equal elements are in their order.
 */
export class Spread {
  readonly places: SpreadPlaces;
  readonly #work: PlannedWork;
  #digit: { readonly shift: number; readonly end: number; readonly mask: number } | undefined;
  #buckets: BucketTable | undefined;
  #isDecided = false;
  /** Pieces that came before the digit was known. */
  #waiting: SpreadPiece[] = [];
  #pieces = 0;
  #counted = 0;
  #counts = new Uint32Array(0);

  constructor(work: PlannedWork, places: SpreadPlaces) {
    this.#work = work;
    this.places = places;
  }

  /** Decides by what was found in the first elements. */
  decide(found: Findings): void {
    this.#isDecided = true;
    const { begin, end } = this.#work.ordering.bits;
    const top = Math.min(end, found.varying.end);
    const shift = Math.max(begin, top - this.places.bits);
    if (found.inversions === 0 || shift >= top) return;
    const digits = 2 ** (top - shift);
    this.#buckets = BucketTable.of(this.#work, this.places, found.count, { begin, shift, end: top });
    if (this.#buckets) {
      writeJob(this.#work, 0, this.places.buckets);
      this.#digit = { shift: this.#buckets.shift, end: top, mask: this.#buckets.ends.length - 1 };
    } else this.#digit = { shift, end: top, mask: digits - 1 };
    this.#counts = new Uint32Array(this.#digit.mask + 1);
  }

  /** What a call is told that turns these keys into elements, and may divide these. */
  wordsOf(piece: SpreadPiece): SpreadWords {
    const { form, at } = this.#work;
    if (!this.#digit) {
      if (!this.#isDecided) this.#waiting.push(piece);
      return NOT_SPREAD;
    }
    const { shift, mask } = this.#digit;
    return [at.scratch + piece.from * form.bytes, this.rowOf(this.#pieces++), shift, mask];
  }

  /** The pieces that came before the digit was known, if it is known now. They come before all others. */
  late(): SpreadPiece[] {
    return this.#digit ? this.#waiting.splice(0) : [];
  }

  /** Counts the elements of each digit in the pieces that have been divided since the last call. */
  count(): void {
    const { memory, form } = this.#work;
    const counts = this.#counts;
    for (; this.#counted < this.#pieces; this.#counted++) {
      const begins = new Uint32Array(memory.buffer, this.rowOf(this.#counted), counts.length + 1);
      let begin = begins[0]!;
      for (let digit = 0; digit < counts.length; digit++) {
        const end = begins[digit + 1]!;
        counts[digit]! += (end - begin) / form.bytes;
        begin = end;
      }
    }
  }

  /** The address of a piece's row. */
  rowOf(piece: number): number {
    return this.places.rows + piece * this.places.stride;
  }

  /** Whether all elements are divided that are read from now on. */
  get isDividing(): boolean {
    return this.#digit !== undefined;
  }

  /** Whether the elements were divided, and are in the scratch. */
  get isDivided(): boolean {
    return this.#digit !== undefined && this.#waiting.length === 0;
  }

  /** Whether elements that differ in these bits are in order once each digit's elements are sorted. */
  decides({ varying }: Findings): boolean {
    return this.isDivided && varying.end <= this.#digit!.end && varying.end > this.#digit!.shift;
  }

  /** The lowest bit of the digit. */
  get shift(): number {
    return this.#digit!.shift;
  }

  /** The address of the table of buckets; undefined if a digit decides. */
  get buckets(): number | undefined {
    return this.#buckets && this.places.buckets;
  }

  /** The bit above which the elements of a digit or bucket are equal. */
  endOf(digit: number): number {
    return this.#buckets?.ends[digit] ?? this.shift;
  }

  get pieces(): number {
    return this.#pieces;
  }

  /** The number of elements of each digit. */
  get counts(): Uint32Array {
    return this.#counts;
  }
}
