import { piecesOf } from "../core/cpu/work.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { PhaseClock } from "../core/streams/phase_clock.js";
import type { RowBatch } from "./batch.js";
import { RowReader } from "./reader.js";
import { runReporting } from "./report.js";
import type { RowRunner } from "./row_kernels.js";
import type { RowOrder } from "./row_order.js";
import { type RowPlace, RowText } from "./text.js";
import { RowWorkspace } from "./workspace.js";

/** Rows that a thread compares with their neighbours in one call. */
const PIECE_ROWS = 2 ** 14;

/** A row that does not come after the one before it. Both are without their terminators. */
export interface RowDisorder extends RowPlace {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/**
 * Finds the first row of the inputs that is not in order.
 *
 * @param unique whether a row with keys equal to those of the row before it is not in order either.
 * @param memoryBytes the memory to use.
 * @returns undefined if all rows are in order.
 * @throws InputError as `RowText.next`.
 */
export async function findRowDisorder(
  runner: RowRunner,
  inputs: readonly ByteInput[],
  options: {
    readonly order: RowOrder;
    readonly unique: boolean;
    readonly header: boolean;
    readonly memoryBytes: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<RowDisorder | undefined> {
  const { order, unique, signal } = options;
  const space = new RowWorkspace(runner, order, false, options.memoryBytes);
  const reader = new RowReader(inputs, options);
  const text = new RowText(space, reader, new PhaseClock(), signal);
  for (let last: Uint8Array | undefined; ; ) {
    const { batch, ended, firstRow } = await text.next(last);
    const calls = piecesOf(batch.rows - 1, Math.ceil((batch.rows - 1) / PIECE_ROWS)).map(
      ({ from, count }) =>
        (report: number) => [from + 1, count, report, space.at.order],
    );
    const reports = batch.rows > 1 ? await runReporting(space, "compare_neighbours", calls, signal) : [];
    const rows = reports.flatMap(([inversion, , , equal]) => [inversion!, unique ? equal! : 0]);
    const first = rows.filter((row) => row > 0).sort((a, b) => a - b)[0];
    if (first !== undefined) {
      const content = (row: number) => contentOf(batch, row, order);
      const place = text.placeOf(firstRow + first - Number(last !== undefined));
      return { ...place, before: content(first - 1), after: content(first) };
    }
    if (ended) return undefined;
    last = batch.rowBytes(batch.rows - 1);
  }
}

function contentOf(batch: RowBatch, row: number, { terminator }: RowOrder): Uint8Array {
  const bytes = batch.rowBytes(row);
  return bytes.at(-1) === terminator ? bytes.subarray(0, -1) : bytes;
}
