import { textAfterQuote, unclosedQuote } from "../../core/errors.js";
import type { RowPlace } from "../order/tally.js";
import type { RowReader } from "../reader.js";
import { type Arrival, RowScan } from "../row_finder.js";
import type { RowWorkspace } from "../workspace.js";

/** The most bytes of a piece in which rows are counted. */
const MOST_PIECE = 1 << 20;

/** Where the text of one input comes from. */
export interface SortedInputReader
  extends Pick<RowReader, "header" | "byteLength" | "bytesRead" | "starts" | "read"> {
  /** Fills `into` with the numbers of the next rows, as u32, if rows have numbers. */
  readNumbers?(into: Uint8Array): Promise<void>;
  /** The error of quotes that are wrong. Default: that of an input of the user. */
  readonly misquoted?: () => Error;
}

/** Where an input of a merge is in memory. */
export interface Region {
  /** Where its bytes begin in the text, and how many there may be. */
  readonly position: number;
  readonly bytes: number;
  /** The number of its first row, the most rows, and the address of the positions at which they begin. */
  readonly first: number;
  readonly rows: number;
  readonly starts: number;
  /** The address of a number for each row, as u32; undefined if rows have none. */
  readonly numbers: number | undefined;
}

/**
 * A sorted input of a merge, which is read bit by bit into a region of the memory. The region holds the last
 * row that was merged, rows that were not merged yet, and the begin of a row.
 */
export class SortedInput {
  readonly #space: RowWorkspace;
  readonly #reader: SortedInputReader;
  #region: Region = { position: 0, bytes: 0, first: 0, rows: 0, starts: 0, numbers: undefined };
  #filled = 0;
  /** Rows in the region, and how many of them were merged. */
  #rows = 0;
  #merged = 0;
  /** Rows that left the region, and bytes of all rows that were found. */
  #gone = 0;
  #bytes = 0;
  #read = false;
  #ended = false;
  #scan: RowScan | undefined;

  constructor(space: RowWorkspace, reader: SortedInputReader) {
    this.#space = space;
    this.#reader = reader;
  }

  /** What comes before the first row. Known after the first `fill`. */
  get header(): Uint8Array {
    return this.#reader.header;
  }
  get byteLength(): number | undefined {
    return this.#reader.byteLength;
  }
  get bytesRead(): number {
    return this.#reader.bytesRead;
  }
  get hasNumbers(): boolean {
    return this.#reader.readNumbers !== undefined;
  }

  /** Whether all rows of the input have been read. */
  get ended(): boolean {
    return this.#ended;
  }
  /** Rows that were found and not merged, and the number of the first of them. */
  get rows(): number {
    return this.#rows - this.#merged;
  }
  get first(): number {
    return this.#region.first + this.#merged;
  }
  /** The bytes that are held of rows which were not merged. */
  get bytes(): number {
    return this.#filled - (this.#startOf(this.#merged) - this.#region.position);
  }
  /** Rows that were found so far, and their bytes. */
  get total(): { readonly rows: number; readonly bytes: number } {
    return { rows: this.#gone + this.#rows, bytes: this.#bytes };
  }
  get name(): string {
    return this.#reader.starts.at(-1)?.name ?? "an input";
  }

  /** Saves what is held. @returns what takes it to another region, which is not smaller. */
  leave(): (region: Region) => void {
    const { position } = this.#region;
    const bytes = this.#text(0, this.#filled).slice();
    const starts = this.#starts(0, this.#rows + 1).slice();
    const numbers = this.#numbers(0, this.#rows).slice();
    return (region) => {
      this.#region = region;
      // A region begins with a row, which the byte before it says.
      this.#text(-1, 1)[0] = this.#space.order.terminator;
      this.#text(0, bytes.length).set(bytes);
      const own = this.#starts(0, starts.length);
      for (const [i, start] of starts.entries()) own[i] = start - position + region.position;
      own[0] = region.position;
      this.#numbers(0, numbers.length).set(numbers);
    };
  }

  /** Whether there is room for much more, or no row left to merge. */
  get needsRefill(): boolean {
    if (this.#ended) return false;
    const { bytes, rows } = this.#region;
    return this.rows === 0 || (this.bytes <= bytes / 2 && this.rows <= rows / 2);
  }

  /** Reads on, as far as there is room. @returns what has arrived, whose rows are to be counted and found. */
  async fill(): Promise<Arrival> {
    this.#compact();
    const { position, bytes } = this.#region;
    const room = bytes - this.#filled;
    if (!this.#read && room > 0) {
      const some = await this.#reader.read(this.#text(this.#filled, room));
      this.#read = some < room;
      this.#filled += some;
    }
    const begin = this.#startOf(this.#rows);
    this.#scan = new RowScan(begin);
    // When more is read, at most half of the row slots are in use: see `needsRefill`.
    const pieceBytes = Math.min(MOST_PIECE, Math.floor(this.#region.rows / 2));
    return { scan: this.#scan, bytes: position + this.#filled - begin, pieceBytes };
  }

  /**
   * Leaves pieces of what was counted for the next time if it has too many rows. @returns where its rows are
   * to go.
   */
  accept(): { readonly scan: RowScan; readonly to: number } {
    const scan = this.#scan!;
    while (this.#rows + scan.rows > this.#region.rows && scan.dropLast()) {}
    const to = this.#region.starts + 4 * (this.#rows + 1);
    return { scan, to };
  }

  /** Takes the rows that were found, and reads their numbers. @throws InputError if quotes are wrong. */
  async take(): Promise<void> {
    const { rows, misquoted, end } = this.#scan!;
    if (misquoted !== undefined) {
      const { input, row } = this.placeOf(this.#region.first + this.#rows + misquoted);
      throw this.#reader.misquoted?.() ?? textAfterQuote(input, row + 1);
    }
    const before = this.#startOf(this.#rows);
    this.#rows += rows;
    const after = this.#startOf(this.#rows);
    this.#bytes += after - before;
    const isAllCounted = this.#read && end === this.#region.position + this.#filled;
    if (isAllCounted && after < end) throw this.#reader.misquoted?.() ?? unclosedQuote(this.name);
    this.#ended = isAllCounted;
    const numbers = this.#numbers(this.#rows - rows, rows);
    await this.#reader.readNumbers?.(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  }

  /** Forgets the first rows, as they were merged. */
  merge(rows: number): void {
    this.#merged += rows;
  }

  /** The rows that were merged last or are to be merged, for a comparison with their neighbours. */
  get neighbours(): { readonly first: number; readonly count: number } {
    const before = Math.min(1, this.#merged);
    return { first: this.first - before, count: this.rows + before };
  }

  /** Where a row is, by its number. */
  placeOf(row: number): RowPlace {
    const { firstLine } = this.#reader.starts.at(-1)!;
    return { input: this.name, row: this.#gone + row - this.#region.first + firstLine - 1 };
  }

  /**
   * Moves what is held to the begin of the region, but for rows that were merged. The last of these stays.
   */
  #compact(): void {
    const drop = this.#merged - 1;
    if (drop <= 0) return;
    const begin = this.#startOf(drop) - this.#region.position;
    this.#text(0, this.#filled).copyWithin(0, begin);
    const starts = this.#starts(0, this.#rows + 1);
    for (let i = drop; i < starts.length; i++) starts[i - drop] = starts[i]! - begin;
    this.#numbers(0, this.#rows).copyWithin(0, drop);
    this.#filled -= begin;
    this.#rows -= drop;
    this.#merged -= drop;
    this.#gone += drop;
  }

  #text(from: number, bytes: number): Uint8Array<ArrayBuffer> {
    return this.#space.bytes(this.#space.at.text + this.#region.position + from, bytes);
  }

  #starts(row: number, count: number): Uint32Array {
    return this.#space.words(this.#region.starts + 4 * row, count);
  }

  /** The numbers of rows of the region; none if rows have none. */
  #numbers(row: number, count: number): Uint32Array {
    const { numbers } = this.#region;
    return numbers === undefined ? new Uint32Array(0) : this.#space.words(numbers + 4 * row, count);
  }

  /** The position of a row of the region. */
  #startOf(row: number): number {
    return this.#starts(row, 1)[0]!;
  }
}
