import { piecesOf } from "../core/cpu/work.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { PhaseClock } from "../core/streams/phase_clock.js";
import type { RowBatch } from "./batch.js";
import { RowReader } from "./reader.js";
import { runReporting } from "./report.js";
import type { RowRunner } from "./row_kernels.js";
import type { RowOrder } from "./row_order.js";
import { RowText } from "./text.js";
import { RowWorkspace } from "./workspace.js";
import { sortedWrongly } from "./wrong.js";

/** Rows that a thread compares with their neighbours in one call. */
const PIECE_ROWS = 2 ** 14;

/** What to compare, and how. */
export interface NeighbourOptions {
  readonly order: RowOrder;
  /** Whether the first row of each input is a header, which is not compared. */
  readonly header: boolean;
  /** The memory to use. */
  readonly memoryBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** A part of the rows, each of which was compared with the one before it. */
export interface ComparedPart {
  readonly batch: RowBatch;
  readonly text: RowText;
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
 * @throws InputError as `RowText.next`; VerifyError if some were not compared.
 */
export async function* comparedParts(
  runner: RowRunner,
  inputs: readonly ByteInput[],
  options: NeighbourOptions,
): AsyncGenerator<ComparedPart, void> {
  const { order, signal } = options;
  const space = new RowWorkspace(runner, order, false, options.memoryBytes);
  const reader = new RowReader(inputs, options);
  const text = new RowText(space, reader, new PhaseClock(), signal);
  for (let last: Uint8Array | undefined; ; ) {
    const { batch, ended, firstRow } = await text.next(last);
    const reports = await compare(space, batch.rows, signal);
    const sum = (place: number) => reports.reduce((all, words) => all + words[place]!, 0);
    const pairs = Math.max(0, batch.rows - 1);
    if (sum(4) !== pairs) throw sortedWrongly(`${sum(4)} of ${pairs} neighbours were compared`);
    const first = (place: number) => reports.find((words) => words[place]! > 0)?.[place];
    yield {
      batch,
      text,
      carried: last === undefined ? 0 : 1,
      firstRow,
      inversions: sum(1),
      firstInversion: first(0),
      equal: sum(2),
      firstEqual: first(3),
    };
    if (ended) return;
    last = batch.rowBytes(batch.rows - 1);
  }
}

/** Compares neighbours. @returns what assembly/rows/check.ts reports of each piece, in order. */
async function compare(space: RowWorkspace, rows: number, signal: AbortSignal | undefined) {
  const pairs = rows - 1;
  if (pairs < 1) return [];
  const calls = piecesOf(pairs, Math.ceil(pairs / PIECE_ROWS)).map(({ from, count }) => (report: number) => [
    from + 1,
    count,
    report,
    space.at.order,
  ]);
  return runReporting(space, "compare_neighbours", calls, signal);
}
