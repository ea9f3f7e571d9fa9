import { piecesOf } from "../core/cpu/sort/work.js";
import type { ByteInput, ByteStore } from "../core/streams/byte_stream.js";
import { PhaseClock } from "../core/streams/phase_clock.js";
import { sortFault } from "./errors.js";
import { requireGuessedValues, type Widen, widened } from "./order/guess.js";
import type { RowOrder } from "./order/row_order.js";
import { firstInvalid, KeyTallies, type KeyTally, type OnTallied, type TalliedText } from "./order/tally.js";
import { runReporting } from "./report.js";
import type { RowBatch } from "./row_batch.js";
import type { RowRunner } from "./row_kernels.js";
import { RowText } from "./text.js";
import { RowWorkspace } from "./workspace.js";

/** Rows that a thread compares with their neighbours in one call. */
const PIECE_ROWS = 2 ** 14;

/** The bytes of long rows that a call compares, about. */
const PIECE_BYTES = 2 ** 24;

/** Where a report of assembly/rows/check.ts says how many pairs were compared, in words. */
const COMPARED = 6;

/** What to compare, and how. */
export interface AdjacentCheckOptions {
  readonly order: RowOrder;
  /** Whether the first row of each input is a header, which is not compared. */
  readonly header: boolean;
  /** The memory to use. */
  readonly memoryBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** What the order becomes when a value shows that a guessed key is another one. */
  readonly widen?: Widen | undefined;
  /** Creates a store for the text of inputs that can be read once only. Needed with `widen`. */
  readonly createStore?: (() => Promise<ByteStore>) | undefined;
  /** Called at the end. */
  readonly onTallied?: OnTallied | undefined;
}

/** A part of the rows, each of which was compared with the one before it. */
export interface ComparedPart {
  /**
   * Whether it is the first part: of all rows, or once more, as a value has shown that a guess is wrong. What
   * was found in parts before it does not count.
   */
  readonly isFirst: boolean;
  /** What the keys of all parts from the first one on hold. */
  readonly tallies: readonly KeyTally[];
  readonly batch: RowBatch;
  readonly text: RowText;
  /** A copy of a row of the batch, without its terminator. */
  rowContent(row: number): Uint8Array;
  /** 1 if the first row of the batch is the last one of the part before, else 0. */
  readonly carried: 0 | 1;
  /** The number of the first row of the part, without the carried one, among all rows of the inputs. */
  readonly firstRow: number;
  /**
   * Rows that do not come after the row before them, and the first of them in the batch; undefined if there
   * is none.
   */
  readonly inversions: number;
  readonly firstInversion: number | undefined;
  /** Rows with keys equal to those of the row before them, and the first of them. */
  readonly equal: number;
  readonly firstEqual: number | undefined;
}

/**
 * Compares the rows of the inputs with their neighbours, part by part. A part is valid until the next one is
 * asked for.
 *
 * @throws InputError as `RowText.next`, or if a key is no number but must be one; VerifyError if some were not
 *   compared.
 */
export async function* checkAdjacentRows(
  runner: RowRunner,
  inputs: readonly ByteInput[],
  options: AdjacentCheckOptions,
): AsyncGenerator<ComparedPart, void> {
  const { order, header, signal, widen, createStore } = options;
  const space = new RowWorkspace(runner, order, false, options.memoryBytes);
  const reading = { inputs, order, header, signal, keep: widen && createStore };
  const text = new RowText(space, reading, new PhaseClock());
  let last: Uint8Array | undefined;
  let tallies = new KeyTallies(order.keys.length);
  try {
    for (;;) {
      const { batch, ended, firstRow } = await text.next(last);
      const carried = last === undefined ? 0 : 1;
      const own: TalliedText = {
        placeOf: (row) => text.placeOf(firstRow + row - carried),
        textBetween: (from, to) => batch.textBetween(from, to),
      };
      const reports = await compare(space, batch, carried === 0, signal);
      const invalid = firstInvalid(reports.all);
      if (invalid) {
        const wider = widened(invalid, reports.all, own, space.order, widen);
        await text.rewind();
        space.order = wider;
        last = undefined;
        tallies = new KeyTallies(wider.keys.length);
        continue;
      }
      tallies.add(reports.all, own);
      const { compared } = reports;
      const sum = (place: number) => compared.reduce((all, words) => all + words[place]!, 0);
      const pairs = Math.max(0, batch.rows - 1);
      if (sum(COMPARED) !== pairs) throw sortFault(`${sum(COMPARED)} of ${pairs} neighbours were compared`);
      const first = (place: number) => compared.find((words) => words[place]! > 0)?.[place];
      yield {
        isFirst: carried === 0,
        tallies: tallies.all,
        batch,
        text,
        rowContent: (row) => withoutTerminator(batch.rowBytes(row), order),
        carried,
        firstRow,
        inversions: sum(3),
        firstInversion: first(0),
        equal: sum(4),
        firstEqual: first(5),
      };
      if (ended) return requireGuessedValues(space.order, tallies.all);
      last = batch.rowBytes(batch.rows - 1);
    }
  } finally {
    await text.close();
  }
}

function withoutTerminator(row: Uint8Array, { terminator }: RowOrder): Uint8Array {
  return row.at(-1) === terminator ? row.subarray(0, -1) : row;
}

/**
 * Compares neighbours, and counts what keys hold.
 *
 * @param countsFirst whether the first row is counted, too.
 * @returns what assembly/rows/check.ts reports of each piece, in order; and that with what else is reported.
 */
async function compare(
  space: RowWorkspace,
  batch: RowBatch,
  countsFirst: boolean,
  signal: AbortSignal | undefined,
) {
  const pairs = batch.rows - 1;
  const pieces = Math.max(Math.ceil(pairs / PIECE_ROWS), Math.ceil(batch.textBytes / PIECE_BYTES));
  const calls = piecesOf(pairs, Math.min(pairs, pieces)).map(({ from, count }) => (report: number) => [
    from + 1,
    count,
    Number(countsFirst && from === 0),
    report,
    space.at.order,
  ]);
  const compared = pairs < 1 ? [] : await runReporting(space, "compare_neighbours", calls, signal);
  const alone = pairs === 0 && countsFirst ? await batch.checkKeys(0) : [];
  return { compared, all: [...compared, ...alone, ...(await batch.checkMoreKeys())] };
}
