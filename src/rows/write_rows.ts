import { piecesOf } from "../core/cpu/sort/work.js";
import type { PhaseClock } from "../core/streams/phase_clock.js";
import { DoubleBuffer, type WriteText } from "./double_buffer.js";
import { rowsChanged, sortFault } from "./errors.js";
import type { KernelOrder } from "./order/row_order.js";
import { doubleWord, type Report, runReporting } from "./report.js";
import type { RowBatch, RowPiece } from "./row_batch.js";
import { ELEMENT_BYTES, EQUAL, type RowWorkspace } from "./workspace.js";

/** The most rows of a piece, which one thread moves. */
const PIECE_ROWS = 4096;

/** The pieces of a window for each thread. Of long rows, a piece has fewer. */
const PIECES_PER_THREAD = 2;

/** The most bytes of the output that are written at a time. They should still be in a core's cache. */
const MOST_WINDOW = 8 << 20;

/** Where hashes are in a report: see assembly/rows/move.ts. */
const HASHES = 4;
const WRITTEN_HASHES = 6;

/** What was written. */
export interface WrittenRows {
  readonly rows: number;
  /** The sum of the hashes of the rows that were written, modulo 2^64. */
  readonly writtenHashes: bigint;
  /** The place in the order after the last row that was moved. */
  readonly end: number;
}

/** What to write, and where to. */
export interface WriteRowsJob {
  readonly space: RowWorkspace<KernelOrder>;
  /** Holds the rows, and the elements in their order. */
  readonly batch: Pick<RowBatch, "places" | "rowAt" | "rows" | "start">;
  /** The place in the order after the last one that is written. */
  readonly end: number;
  /** The most rows to write. */
  readonly head: number;
  /** Whether the rows' numbers in the batch are written. The rows are compared and hashed all the same. */
  readonly numbers: boolean;
  /**
   * The sum of the hashes of all rows before they were sorted, modulo 2^64, which they must have when all of them
   * have moved; undefined if it is not known.
   */
  readonly hashes: bigint | undefined;
  readonly write: WriteText;
  readonly clock: PhaseClock;
  readonly signal?: AbortSignal | undefined;
}

/** The most pieces of rows whose numbers are written at a time. */
const MOST_PIECES = 64;

/** Rows that were measured. */
interface Piece extends RowPiece {
  /** The bytes and the rows of it that are written: those that are not left out as equal. */
  readonly bytes: number;
  readonly rows: number;
}

/**
 * Writes the rows of a sorted batch. They are gathered in the scratch of the sort, one half of it while the
 * other is written.
 *
 * @throws VerifyError if a row is not in order, or if rows were changed.
 */
export function writeRows(job: WriteRowsJob): Promise<WrittenRows> {
  return new RowWriter(job).run();
}

class RowWriter {
  readonly #job: WriteRowsJob;
  readonly #output: DoubleBuffer;
  readonly #windowBytes: number;
  readonly #halves: readonly number[];
  #rows = 0;
  #hashes = 0n;
  #writtenHashes = 0n;

  constructor(job: WriteRowsJob) {
    const { scratch, scratchBytes } = job.batch.places;
    this.#job = job;
    this.#output = new DoubleBuffer(job.write, job.signal);
    this.#windowBytes = Math.min(MOST_WINDOW, Math.floor(scratchBytes / 2));
    this.#halves = [scratch, scratch + this.#windowBytes];
  }

  async run(): Promise<WrittenRows> {
    const { end, numbers, hashes } = this.#job;
    const last = this.#placeAfterHead();
    const pieces = await this.#measure(this.#piecesOf(last));
    try {
      for (let next = 0; next < pieces.length; ) {
        next += await (numbers ? this.#writeNumbers(pieces, next) : this.#writeWindow(pieces, next));
      }
      await this.#output.end();
    } finally {
      await this.#output.settled();
    }
    const moved = BigInt.asUintN(64, this.#hashes);
    if (hashes !== undefined && last === end && moved !== hashes) throw rowsChanged();
    return { rows: this.#rows, writtenHashes: BigInt.asUintN(64, this.#writtenHashes), end: last };
  }

  /** The place after the one with the last of `head` rows. */
  #placeAfterHead(): number {
    const { space, batch, end, head } = this.#job;
    if (head >= end) return end;
    const words = space.words(batch.places.elements, 4 * end);
    let rows = 0;
    let place = 0;
    for (; place < end && rows < head; place++) rows += Number(words[4 * place + 3] !== EQUAL);
    return place;
  }

  /** Divides the places up to one into pieces. */
  #piecesOf(last: number): RowPiece[] {
    const { space, batch, numbers } = this.#job;
    const windowRows = this.#windowBytes / (batch.start(batch.rows) / Math.max(1, batch.rows));
    // Numbers of rows are written as they are, so long rows need no share of their own.
    const shareRows = numbers
      ? PIECE_ROWS
      : Math.max(1, Math.floor(windowRows / (PIECES_PER_THREAD * space.threads)));
    const mostRows = Math.min(PIECE_ROWS, shareRows);
    return piecesOf(last, Math.ceil(last / mostRows));
  }

  /** Measures pieces, and divides those that do not fit a window until they have only one row. */
  async #measure(pieces: readonly RowPiece[]): Promise<Piece[]> {
    if (pieces.length === 0) return [];
    const { space, batch, signal } = this.#job;
    const calls = pieces.map(({ from, count }) => (report: number) => [
      batch.places.elements + from * ELEMENT_BYTES,
      count,
      report,
      space.at.order,
    ]);
    const reports = await runReporting(space, "measure_rows", calls, signal);
    const measured: Piece[] = [];
    for (const [i, piece] of pieces.entries()) {
      const report = reports[i]!;
      const bytes = Number(doubleWord(report, 0));
      if (bytes <= this.#windowBytes || piece.count === 1)
        measured.push({ ...piece, bytes, rows: report[2]! });
      else {
        const smaller = piecesOf(piece.count, Math.min(piece.count, 16));
        const own = smaller.map((part) => ({ ...part, from: piece.from + part.from }));
        measured.push(...(await this.#measure(own)));
      }
    }
    return measured;
  }

  /** Writes the numbers of the rows of some pieces. @returns how many pieces. */
  async #writeNumbers(pieces: readonly Piece[], next: number): Promise<number> {
    const { space, batch } = this.#job;
    const some = pieces.slice(next, next + MOST_PIECES);
    await this.#move(some, undefined);
    const places = { from: some[0]!.from, end: some.at(-1)!.from + some.at(-1)!.count };
    const rows = writtenNumbers(space, batch.places.elements, places);
    await this.#output.next(this.#halves); // they take none of the scratch, but two of them wait at most
    this.#output.send(new Uint8Array(rows.buffer));
    return some.length;
  }

  /** Writes the rows of as many pieces as fit a window. @returns how many pieces. */
  async #writeWindow(pieces: readonly Piece[], next: number): Promise<number> {
    const { space, batch } = this.#job;
    let length = 0;
    let after = next;
    while (after < pieces.length && length + pieces[after]!.bytes <= this.#windowBytes)
      length += pieces[after++]!.bytes;
    if (after === next) {
      // A row that is longer than a window is written from where it is.
      await this.#output.next(this.#halves); // throws what an earlier write met
      const row = batch.rowAt(pieces[next]!.from);
      await this.#move([pieces[next]!], undefined);
      const start = batch.start(row);
      this.#output.send(space.bytes(batch.places.text + start, batch.start(row + 1) - start));
      return 1;
    }
    const at = await this.#output.next(this.#halves);
    await this.#move(pieces.slice(next, after), at);
    this.#output.send(space.bytes(at, length));
    return after - next;
  }

  /** Moves rows to an address, or only compares and hashes them, and adds up what the kernels report. */
  async #move(pieces: readonly Piece[], out: number | undefined): Promise<void> {
    const { space, batch, clock, signal } = this.#job;
    let to = out ?? 0;
    const calls = pieces.map((piece) => {
      const own = batch.places.elements + piece.from * ELEMENT_BYTES;
      const begin = to;
      if (out !== undefined) to += piece.bytes;
      const before = piece.from > 0 ? own - ELEMENT_BYTES : 0;
      return (report: number) => [
        own,
        piece.count,
        begin,
        begin + piece.bytes,
        before,
        report,
        space.at.order,
      ];
    });
    const reports = await clock.time("move", 0, () => runReporting(space, "move_rows", calls, signal));
    for (const [i, report] of reports.entries()) {
      const piece = pieces[i]!;
      check(piece, report);
      this.#hashes += doubleWord(report, HASHES);
      this.#writtenHashes += doubleWord(report, WRITTEN_HASHES);
      this.#rows += piece.rows;
    }
  }
}

/** The numbers of the rows in some places that are written. */
export function writtenNumbers(
  space: RowWorkspace<KernelOrder>,
  elements: number,
  { from, end }: { readonly from: number; readonly end: number },
): Uint32Array<ArrayBuffer> {
  const words = space.words(elements, 4 * end);
  const rows = new Uint32Array(end - from);
  let count = 0;
  for (let place = from; place < end; place++) {
    if (words[4 * place + 3] !== EQUAL) rows[count++] = words[4 * place + 2]!;
  }
  return rows.slice(0, count);
}

function check(piece: Piece, report: Report): void {
  if (report[3]! > 0) throw sortFault(`${report[3]} neighbours are out of order`);
  if (Number(doubleWord(report, 0)) !== piece.bytes) throw sortFault("rows changed their lengths");
}
