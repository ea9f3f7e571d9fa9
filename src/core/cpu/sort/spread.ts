import type { Findings } from "../findings.js";
import { FindingsLog } from "../findings.js";
import type { KernelName } from "../kernels.js";
import type { SpreadPlaces } from "../workspace.js";
import { type BucketTable, bucketTable } from "./buckets.js";
import type { Steps } from "./steps.js";
import { type Piece, type PlannedWork, piecesOf, writeJob } from "./work.js";

/** The arguments of a call that divides a piece: the address of its scratch and of its row, and the digit. */
export type SpreadWords = readonly [to: number, row: number, shift: number, mask: number];

/** Those of a call that divides nothing. */
export const NOT_SPREAD: SpreadWords = [0, 0, 0, 0];

/**
 * Divides elements by their top digit, or by buckets, while others are read: only one thread can copy an array
 * of the caller, and meanwhile the others divide what has come, which is in their caches. Each piece is divided
 * by itself, into the scratch; `radixSort` then collects the elements of each digit from all pieces, in the
 * order of the pieces.
 *
 * A sample of the elements decides which digit that is, and whether buckets are needed to divide them evenly.
 * If it is in order, nothing is divided; if other elements differ in higher bits, what was divided is in vain,
 * but still equal elements are in their order.
 */
export class Spread {
  readonly places: SpreadPlaces;
  readonly #work: PlannedWork;
  #digit: { readonly shift: number; readonly end: number; readonly mask: number } | undefined;
  #buckets: BucketTable | undefined;
  #pieces = 0;
  #counts = new Uint32Array(0);

  constructor(work: PlannedWork, places: SpreadPlaces) {
    this.#work = work;
    this.places = places;
  }

  /** Decides by a sample of the keys, which are at the address of the first buffer. */
  *decide(sampled: number): Steps<void> {
    const work = this.#work;
    const { inversions, varying } = yield* this.#inspect(sampled);
    const { begin, end } = work.ordering.bits;
    const top = Math.min(end, varying.end);
    const shift = Math.max(begin, top - this.places.bits);
    if (inversions === 0 || shift >= top) return;
    this.#buckets = yield* bucketTable(work, this.places, sampled, { begin, shift, end: top });
    if (this.#buckets) {
      writeJob(work, 0, this.places.buckets);
      this.#digit = { shift: this.#buckets.shift, end: top, mask: this.#buckets.ends.length - 1 };
    } else this.#digit = { shift, end: top, mask: 2 ** (top - shift) - 1 };
  }

  /** Turns the keys of the sample into elements in the scratch. */
  *#inspect(sampled: number): Steps<Findings> {
    const { form, at } = this.#work;
    const log = new FindingsLog(this.#work);
    const [row] = log.rows(1);
    const calls = [[this.places.buffers, at.scratch, sampled, 0, row!, at.job, ...NOT_SPREAD]];
    const kernel = `encode_${form.keyBytes}_${form.bytes}` as KernelName;
    yield { phase: "convert", kernel, calls, isShort: true };
    log.keep([0]);
    return log.combined();
  }

  /** Arguments of the call that turns these keys into elements, and may divide these. */
  wordsOf(piece: Piece): SpreadWords {
    const { form, at } = this.#work;
    if (!this.#digit) return NOT_SPREAD;
    const { shift, mask } = this.#digit;
    return [at.scratch + piece.from * form.bytes, this.rowOf(this.#pieces++), shift, mask];
  }

  /** Counts the elements of each digit in all pieces. */
  *count(): Steps<void> {
    const { memory, form, at, threads } = this.#work;
    const digits = this.#digit!.mask + 1;
    const calls = piecesOf(digits, threads)
      .filter(({ count }) => count > 0)
      .map(({ from, count }) => {
        const { rows, stride } = this.places;
        return [rows, this.#pieces, stride, from, from + count - 1, at.countTables];
      });
    yield { phase: "convert", kernel: "total_bytes", calls, isShort: true };
    this.#counts = new Uint32Array(memory.buffer, at.countTables, digits).map((bytes) => bytes / form.bytes);
  }

  /** The address of a piece's row. */
  rowOf(piece: number): number {
    return this.places.rows + piece * this.places.stride;
  }

  /** Whether the elements are divided, and go to the scratch. */
  get isDividing(): boolean {
    return this.#digit !== undefined;
  }

  /** Whether elements that differ in these bits are in order once each digit's elements are sorted. */
  decides({ varying }: Findings): boolean {
    return this.isDividing && varying.end <= this.#digit!.end && varying.end > this.#digit!.shift;
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
