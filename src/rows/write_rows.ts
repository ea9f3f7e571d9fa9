import { piecesOf } from "../core/cpu/work.js";
import type { PhaseClock } from "../core/streams/phase_clock.js";
import { sortFault } from "./errors.js";
import { doubleWord, type Report, runReporting } from "./report.js";
import type { RowSorter } from "./row_sorter.js";
import { ELEMENT_BYTES, EQUAL, type RowWorkspace } from "./workspace.js";

/** The most rows of a piece, which one thread moves. */
const PIECE_ROWS = 4096;

/** The pieces of a window for each thread. Of long rows, a piece has fewer. */
const PIECES_PER_THREAD = 2;

/** The most bytes of the output that are written at a time. They should still be in a core's cache. */
const MOST_WINDOW = 8 << 20;

/** Where the words of a sample, and the hashes of its rows, are in a report: see assembly/rows/move.ts. */
const FIRST_WORDS = [6, 8, 10, 12];
const WRITTEN_HASHES = 14;

/** Takes the output, in order, each byte once. */
export type WriteText = (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;

/** Where a piece of the output begins. */
export interface Sample {
  /** The first words of the keys of the first row there. */
  readonly words: readonly bigint[];
  /** Bytes before it. */
  readonly offset: number;
  /** Rows before it. */
  readonly rows: number;
  /** The sum of the hashes of the rows from here to the next sample, modulo 2^64. */
  readonly hashes: bigint;
}

/** What was written. */
export interface WrittenRows {
  readonly rows: number;
  readonly bytes: number;
  /** The sum of the hashes of the rows that were moved, those left out as equal included, modulo 2^64. */
  readonly hashes: bigint;
  /** Whether all rows were moved: not if only the first ones were wanted. */
  readonly all: boolean;
  /** The place in the order after the last row that was moved. */
  readonly end: number;
  readonly samples: readonly Sample[];
}

/** What to write. */
export interface WriteRowsOptions {
  /** The first place in the order that is written, and the one after the last. */
  readonly from: number;
  readonly end: number;
  /** The most rows to write. */
  readonly head: number;
  /** The most rows of a piece, each of which makes a sample. */
  readonly pieceRows?: number | undefined;
  /**
   * If given, rows are compared and hashed where they are, and what it makes of their numbers is written
   * instead.
   */
  readonly numbers?: NumbersOf | undefined;
}

/** Makes the numbers that are written of numbers of rows in a batch, in place. */
export type NumbersOf = (rows: Uint32Array) => void;

/** The most pieces of rows whose numbers are written at a time. */
const MOST_PIECES = 64;

interface Piece {
  readonly from: number;
  readonly count: number;
  readonly bytes: number;
  readonly rows: number;
}

/**
 * Writes the rows of a sorted batch. They are gathered in the scratch of the sort, one half of it while the
 * other is written.
 *
 * @throws VerifyError if a row is not in order.
 */
export async function writeRows(
  space: RowWorkspace,
  sorter: Pick<RowSorter, "places" | "rowAt" | "rows" | "start">,
  { from, end, head, pieceRows = PIECE_ROWS, numbers }: WriteRowsOptions,
  write: WriteText,
  clock: PhaseClock,
  signal?: AbortSignal,
): Promise<WrittenRows> {
  const { elements, scratch, scratchBytes, text } = sorter.places;
  const windowBytes = Math.min(MOST_WINDOW, Math.floor(scratchBytes / 2));
  const last = placeAfter(head, space, elements, from, end);
  const windowRows = windowBytes / (sorter.start(sorter.rows) / Math.max(1, sorter.rows));
  // Numbers of rows are written as they are, so long rows need no share of their own.
  const shareRows = numbers
    ? PIECE_ROWS
    : Math.max(1, Math.floor(windowRows / (PIECES_PER_THREAD * space.threads)));
  const mostRows = Math.min(pieceRows, PIECE_ROWS, shareRows);
  const pieces = Math.ceil((last - from) / mostRows);
  const planned = piecesOf(last - from, pieces).map((piece) => ({ ...piece, from: from + piece.from }));
  const measured = await measure(space, elements, planned, windowBytes, signal);
  const samples: Sample[] = [];
  let [bytes, rows, hashes] = [0, 0, 0n];
  let writing: Promise<void> = Promise.resolve();
  let half = 0;

  const move = async (pieces: readonly Piece[], out: number | undefined) => {
    clock.begin("move");
    let to = out ?? 0;
    const calls = pieces.map((piece) => {
      const own = elements + piece.from * ELEMENT_BYTES;
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
    const reports = await runReporting(space, "move_rows", calls, signal);
    clock.end("move");
    for (const [i, report] of reports.entries()) {
      const piece = pieces[i]!;
      check(piece, report);
      hashes += doubleWord(report, 4);
      if (piece.rows > 0) {
        const words = FIRST_WORDS.map((place) => doubleWord(report, place));
        samples.push({ words, offset: bytes, rows, hashes: doubleWord(report, WRITTEN_HASHES) });
      }
      bytes += piece.bytes;
      rows += piece.rows;
    }
  };
  const send = async (bytes: Uint8Array<ArrayBuffer>) => {
    await writing;
    signal?.throwIfAborted();
    writing = write(bytes);
    writing.catch(() => {}); // awaited before the next one
  };

  try {
    for (let next = 0; next < measured.length; ) {
      if (numbers) {
        const some = measured.slice(next, next + MOST_PIECES);
        await move(some, undefined);
        const places = { from: some[0]!.from, end: some.at(-1)!.from + some.at(-1)!.count };
        const rows = writtenNumbers(space, elements, places);
        numbers(rows);
        await send(new Uint8Array(rows.buffer));
        next += some.length;
        continue;
      }
      let length = 0;
      let after = next;
      while (after < measured.length && length + measured[after]!.bytes <= windowBytes)
        length += measured[after++]!.bytes;
      if (after === next) {
        // A row that is longer than a window is written from where it is.
        const row = sorter.rowAt(measured[next]!.from);
        await move([measured[next]!], undefined);
        await send(space.bytes(text + sorter.start(row), sorter.start(row + 1) - sorter.start(row)));
        next++;
        continue;
      }
      const at = scratch + half * windowBytes;
      await move(measured.slice(next, after), at);
      await send(space.bytes(at, length));
      next = after;
      half = 1 - half;
    }
  } finally {
    await writing;
  }
  return { rows, bytes, hashes: BigInt.asUintN(64, hashes), all: last === end, end: last, samples };
}

/** The numbers of the rows in some places that are written. */
export function writtenNumbers(
  space: RowWorkspace,
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

/** The place after the one with the last of `head` rows. */
function placeAfter(head: number, space: RowWorkspace, elements: number, from: number, end: number): number {
  if (head >= end - from) return end;
  const words = space.words(elements, 4 * end);
  let rows = 0;
  let place = from;
  for (; place < end && rows < head; place++) rows += Number(words[4 * place + 3] !== EQUAL);
  return place;
}

/** Measures pieces, and divides those that do not fit a window until they have only one row. */
async function measure(
  space: RowWorkspace,
  elements: number,
  pieces: readonly { from: number; count: number }[],
  windowBytes: number,
  signal: AbortSignal | undefined,
): Promise<Piece[]> {
  if (pieces.length === 0) return [];
  const calls = pieces.map(({ from, count }) => (report: number) => [
    elements + from * ELEMENT_BYTES,
    count,
    report,
    space.at.order,
  ]);
  const reports = await runReporting(space, "measure_rows", calls, signal);
  const measured: Piece[] = [];
  for (const [i, piece] of pieces.entries()) {
    const report = reports[i]!;
    const bytes = Number(doubleWord(report, 0));
    if (bytes <= windowBytes || piece.count === 1) measured.push({ ...piece, bytes, rows: report[2]! });
    else {
      const parts = Math.min(piece.count, 16);
      const smaller = piecesOf(piece.count, parts).map((part) => ({ ...part, from: piece.from + part.from }));
      measured.push(...(await measure(space, elements, smaller, windowBytes, signal)));
    }
  }
  return measured;
}

function check(piece: Piece, report: Report): void {
  if (report[3]! > 0) throw sortFault(`${report[3]} neighbours are out of order`);
  if (Number(doubleWord(report, 0)) !== piece.bytes) throw sortFault("rows changed their lengths");
}
