import { type Findings, FindingsLog } from "../findings.js";
import type { KernelName } from "../kernels.js";
import { SAMPLE_PLACES } from "../tuning.js";
import { BUCKET_COUNT_AT, BUCKET_ENDS_AT, PREFIX_BITS, type SpreadPlaces } from "../workspace.js";
import { type Piece, type PlannedWork, piecesOf, type Steps, writeJob } from "./work.js";

/** Digits divide elements evenly enough if none has as many times the mean. */
const SKEW = 8;

/**
 * Where keys grow along a file, all that a sample has of one place may have one digit, and of the next place,
 * too.
 */
const SHARE_OF_TWO_PLACES = 2 / SAMPLE_PLACES;

/** The bits of a digit: from `shift` to `end` - 1. `begin` is the lowest bit that decides the order. */
interface Digit {
  readonly begin: number;
  readonly shift: number;
  readonly end: number;
}

/**
 * Buckets of adjacent values that have about as many elements each, where some digits would have far more than
 * others: of floats, which differ in few exponents, and of clusters. A sample says where they begin, as in
 * W. Frazer and A. McKellar, "Samplesort", JACM 1970.
 */
export interface BucketTable {
  /** The lowest bit of the prefixes. */
  readonly shift: number;
  /** The bit above which the elements of each bucket are equal. */
  readonly ends: Uint8Array;
}

/**
 * Makes a table of buckets in the memory that the kernels work in.
 *
 * @param sampled the elements of the sample, in the scratch.
 * @returns undefined if the digit divides them evenly enough, or if they differ in too few bits.
 */
function* bucketTable(
  { form, memory, at }: PlannedWork,
  { buckets }: SpreadPlaces,
  sampled: number,
  { begin, shift, end }: Digit,
): Steps<BucketTable | undefined> {
  const lowest = end - PREFIX_BITS;
  if (lowest < begin) return undefined;
  const most = Math.ceil(sampled * Math.max(SKEW / 2 ** (end - shift), SHARE_OF_TWO_PLACES));
  const call = [at.scratch, sampled, form.bytes, lowest, end - shift, most, buckets];
  yield { phase: "convert", kernel: "make_buckets", calls: [call], isShort: true };
  const [count] = new Uint32Array(memory.buffer, buckets + BUCKET_COUNT_AT, 1);
  if (count === 0) return undefined;
  return { shift: lowest, ends: new Uint8Array(memory.buffer, buckets + BUCKET_ENDS_AT, count).slice() };
}

/** The arguments of a call that divides a piece: the address of its scratch and of its row, and the digit. */
export type DivideArguments = readonly [to: number, row: number, shift: number, mask: number];

/** Those of a call that divides nothing. */
export const DIVIDES_NOTHING: DivideArguments = [0, 0, 0, 0];

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
    const calls = [[this.places.buffers, at.scratch, sampled, 0, row!, at.job, ...DIVIDES_NOTHING]];
    const kernel = `encode_${form.keyBytes}_${form.bytes}` as KernelName;
    yield { phase: "convert", kernel, calls, isShort: true };
    log.keep([0]);
    return log.combined();
  }

  /** Arguments of the call that turns these keys into elements, and may divide these. */
  argumentsOf(piece: Piece): DivideArguments {
    const { form, at } = this.#work;
    if (!this.#digit) return DIVIDES_NOTHING;
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
