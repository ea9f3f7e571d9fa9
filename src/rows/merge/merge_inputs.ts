import { InputError } from "../../core/errors.js";
import { type ByteInput, totalBytes } from "../../core/streams/byte_stream.js";
import { PhaseClock } from "../../core/streams/phase_clock.js";
import type { WriteText } from "../double_buffer.js";
import { requireGuessedValues, type Widen } from "../order/guess.js";
import type { RowOrder } from "../order/row_order.js";
import { KeyTallies, type OnTallied } from "../order/tally.js";
import { RowReader } from "../reader.js";
import type { RowRunner } from "../row_kernels.js";
import type { RowReport } from "../sort_rows.js";
import { rowTooLong } from "../text.js";
import { RowWorkspace } from "../workspace.js";
import { type MergeOptions, MOST_TEXT_AT_ONCE, RowMerge } from "./merge_rows.js";
import { SortedInput } from "./sorted_input.js";

/** What to merge, and how. */
export interface MergeJob {
  readonly inputs: readonly ByteInput[];
  readonly order: RowOrder;
  /** Whether the first row of each input is a header, which all must have in common. */
  readonly header: boolean;
  /** Whether only the first of rows with equal keys is written. */
  readonly unique: boolean;
  /** The most rows to write. */
  readonly head: number;
  readonly verify: boolean;
  /** The memory to use. */
  readonly memoryBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** As of `RowJob`. A wrong guess is thrown as `WrongGuess`: what was written is to be written anew. */
  readonly widen?: Widen | undefined;
  /** The order in words, for errors, if columns or a guess give it. */
  readonly by?: string | undefined;
  /** As of `RowJob`, but called before the output ends. */
  readonly onTallied?: OnTallied | undefined;
}

/**
 * Merges sorted inputs, as `RowMerge` does.
 *
 * @throws as `RowMerge.run`.
 */
export async function mergeRows(runner: RowRunner, job: MergeJob, write: WriteText): Promise<RowReport> {
  const { order, header, head, verify, widen, by, signal } = job;
  const space = new RowWorkspace(runner, order, job.unique, job.memoryBytes);
  space.chooseThreads(totalBytes(job.inputs) ?? MOST_TEXT_AT_ONCE);
  const clock = new PhaseClock();
  const tallies = new KeyTallies(order.keys.length);
  const inputs = job.inputs.map((input) => new SortedInput(space, new RowReader([input], job)));
  const options: MergeOptions = {
    clock,
    phase: "read",
    header,
    head,
    verify,
    hashed: false,
    mostBytes: space.most,
    tallies,
    widen,
    signal,
    tooLong: (input) => rowTooLong(input.placeOf(input.first), input.bytes),
    notSorted: (input, row) => notSorted(input, row, by),
    onMerged: ({ written }) => {
      requireGuessedValues(order, tallies.all);
      job.onTallied?.(tallies.all, written < head);
    },
  };
  const timed: WriteText = (bytes) => clock.time("write", bytes.length, () => write(bytes));
  const { written } = await new RowMerge(space, inputs, options, timed).run();
  const totals = inputs.map(({ total }) => total);
  return {
    rows: totals.reduce((sum, { rows }) => sum + rows, 0),
    bytes: totals.reduce((sum, { bytes }) => sum + bytes, 0),
    written,
    tallies: tallies.all,
    clock,
  };
}

function notSorted(input: SortedInput, row: number, by: string | undefined): InputError {
  const place = input.placeOf(row);
  const order = by === undefined ? "" : ` by ${by}`;
  return new InputError(`cannot merge ${place.input}: its row ${place.row + 1} is not in order${order}`, {
    hint: "sort all inputs instead, by leaving the merge out, or give the options that it was sorted by",
    options: ["merge"],
  });
}
