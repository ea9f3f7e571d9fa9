import { piecesOf } from "../core/cpu/sort/work.js";
import { CALLS_PER_THREAD } from "../core/cpu/tuning.js";
import type { KernelOrder } from "./order/row_order.js";
import { talliesMoreKeys } from "./order/tally.js";
import { doubleWord, type Report, type ReportingCall, runReporting, sumOf } from "./report.js";
import { countRows, findRows, RowScan } from "./row_finder.js";
import type { RowKernel } from "./row_kernels.js";
import { ELEMENT_BYTES, type RowPlaces, type RowWorkspace } from "./workspace.js";

/** The fewest rows that threads share. */
export const LEAST_SHARED = 2 ** 14;

/** The bytes of long rows that a call works on, about. */
const PIECE_BYTES = 2 ** 24;

/** Rows that follow each other in a batch. */
export interface RowPiece {
  readonly from: number;
  readonly count: number;
}

/**
 * The rows of one text in memory. They are counted as the text comes in, then found, or have one length;
 * `RowSorter` sorts them.
 */
export class RowBatch {
  readonly space: RowWorkspace<KernelOrder>;
  readonly #signal: AbortSignal | undefined;
  readonly #scan = new RowScan(0);
  #places: RowPlaces | undefined;

  constructor(space: RowWorkspace<KernelOrder>, signal?: AbortSignal) {
    this.space = space;
    this.#signal = signal;
  }

  /** Whole rows so far. */
  get rows(): number {
    return this.#scan.rows;
  }

  /** Bytes of text that were counted, whole rows or not. */
  get textBytes(): number {
    return this.#scan.end;
  }

  get places(): RowPlaces {
    return this.#places!;
  }

  /** The first row in which text follows the closing quote of a field. */
  get misquoted(): number | undefined {
    return this.#scan.misquoted;
  }

  /** Counts the rows of the next `bytes` of text, which have arrived. */
  async count(bytes: number): Promise<void> {
    this.space.writeOrder(0);
    await countRows(this.space, [{ scan: this.#scan, bytes }], this.#signal);
  }

  /** Leaves the last piece out that was counted, unless it is the only one. @returns whether it did. */
  dropLast(): boolean {
    return this.#scan.dropLast();
  }

  /** Finds where rows begin. @returns the bytes of whole rows; what follows is the begin of another one. */
  async find(): Promise<number> {
    const places = this.#reserve();
    this.space.words(places.starts, 1)[0] = 0;
    await findRows(this.space, [{ scan: this.#scan, to: places.starts + 4 }], this.#signal);
    return this.start(this.rows);
  }

  /** Takes a text of rows of one length, which may arrive later. */
  divide(bytes: number, rowBytes: number): void {
    const rows = bytes / rowBytes;
    this.#scan.add({ from: 0, end: bytes, before: 0, after: 0, isOdd: false, rows, misquoted: undefined });
    const starts = this.space.words(this.#reserve().starts, rows + 1);
    for (let row = 0; row <= rows; row++) starts[row] = row * rowBytes;
  }

  #reserve(): RowPlaces {
    const places = this.space.placesFor(this.textBytes, this.rows);
    this.space.reserve(places.end);
    this.#places = places;
    this.space.writeOrder(places.starts);
    return places;
  }

  /** The position at which a row begins. That of the row after the last one is the end of the last one. */
  start(row: number): number {
    return this.space.words(this.places.starts + 4 * row, 1)[0]!;
  }

  /** A copy of a row, with its terminator. */
  rowBytes(row: number): Uint8Array {
    const begin = this.start(row);
    return this.space.bytes(this.places.text + begin, this.start(row + 1) - begin).slice();
  }

  /** Takes another order for the same rows. */
  reorder(order: KernelOrder): void {
    this.space.order = order;
    this.space.writeOrder(this.places.starts);
  }

  /** Adds up hashes of all rows from number `from` on. @returns their sum, modulo 2^64. */
  async hash(from: number): Promise<bigint> {
    const pieces = this.share(this.rows - from).map((piece) => ({ ...piece, from: from + piece.from }));
    const { order } = this.space.at;
    const calls = pieces.map(({ from, count }) => (report: number) => [from, count, report, order]);
    return sumOf((await this.run("hash_rows", calls)).map((words) => doubleWord(words, 4)));
  }

  /** The number of the row that is in a place of the order. */
  rowAt(place: number): number {
    return this.space.words(this.places.elements + place * ELEMENT_BYTES + 8, 1)[0]!;
  }

  /** The first word of a row's first key. */
  async firstWord(row: number): Promise<bigint> {
    const { at } = this.space;
    const { scratch } = this.places;
    const call = (report: number) => [scratch, row, 1, 0, 0, report, at.order, at.job];
    await this.run("make_elements", [call]);
    return new BigUint64Array(this.space.memory.buffer, scratch, 1)[0]!;
  }

  /** Counts what the keys after the first one hold, if that matters. @returns what kernels report. */
  async checkMoreKeys(): Promise<readonly Report[]> {
    return talliesMoreKeys(this.space.order) ? this.checkKeys(1) : [];
  }

  /** Counts what the keys from number `first` on hold. @returns what kernels report. */
  checkKeys(first: number): Promise<readonly Report[]> {
    const { at } = this.space;
    const pieces = this.share(this.rows);
    return this.run(
      "check_keys",
      pieces.map(({ from, count }) => (report) => [from, count, first, report, at.order]),
    );
  }

  /** A copy of the text between two positions. */
  textBetween(from: number, to: number): Uint8Array {
    return this.space.bytes(this.places.text + from, to - from).slice();
  }

  /** Divides rows into pieces for all threads. */
  share(count: number): RowPiece[] {
    const pieces = Math.max(1, Math.ceil(count / LEAST_SHARED), Math.ceil(this.textBytes / PIECE_BYTES));
    return piecesOf(count, Math.min(pieces, Math.max(1, count), CALLS_PER_THREAD * this.space.threads));
  }

  /** Runs a kernel whose calls each report. */
  run(kernel: RowKernel, calls: readonly ReportingCall[]): Promise<Report[]> {
    return runReporting(this.space, kernel, calls, this.#signal);
  }
}
