import { InputError } from "../../core/errors.js";
import { type ByteInput, totalBytes } from "../../core/streams/byte_stream.js";
import { PhaseClock } from "../../core/streams/phase_clock.js";
import type { WriteText } from "../double_buffer.js";
import { requireGuessedValues, type Widen, WrongGuess, widened } from "../order/guess.js";
import type { RowOrder } from "../order/row_order.js";
import {
  firstInvalid,
  KeyTallies,
  type OnTallied,
  type TalliedText,
  talliesMoreKeys,
} from "../order/tally.js";
import { RowReader, requireSameHeader } from "../reader.js";
import { type Report, runReporting } from "../report.js";
import type { RowRunner } from "../row_kernels.js";
import type { RowReport } from "../sort_rows.js";
import { rowTooLong } from "../text.js";
import { RowWorkspace } from "../workspace.js";
import type { Merged, PartFault } from "./merge_parts.js";
import { type MergeSources, MOST_TEXT_AT_ONCE, RowMerge } from "./merge_rows.js";
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
 * @throws InputError if an input is not in order, or as `sortRows`; WrongGuess; VerifyError if the result is
 *   not in order, or does not hold the rows of the inputs.
 */
export async function mergeRows(runner: RowRunner, job: MergeJob, write: WriteText): Promise<RowReport> {
  const space = new RowWorkspace(runner, job.order, job.unique, job.memoryBytes);
  space.engage(totalBytes(job.inputs) ?? MOST_TEXT_AT_ONCE);
  const clock = new PhaseClock();
  const sources = new InputSources(space, job);
  const options = { clock, head: job.head, verify: job.verify, signal: job.signal };
  const timed: WriteText = (bytes) => clock.time("write", bytes.length, () => write(bytes));
  const { written } = await new RowMerge(space, sources, options, timed).run();
  return { ...sources.total, written, tallies: sources.tallies, clock };
}

/** The inputs of a user, which may not be in order. */
class InputSources implements MergeSources {
  readonly phase = "read";
  readonly hasNumbers = false;
  readonly isHashed = false;
  readonly inputs: readonly SortedInput[];
  readonly counted: 1 | 2;
  readonly #space: RowWorkspace;
  readonly #job: MergeJob;
  readonly #tallies: KeyTallies;

  constructor(space: RowWorkspace, job: MergeJob) {
    this.#space = space;
    this.#job = job;
    this.inputs = job.inputs.map((input) => new SortedInput(space, new RowReader([input], job)));
    this.counted = talliesMoreKeys(job.order) ? 2 : 1;
    this.#tallies = new KeyTallies(job.order.keys.length);
  }

  get header(): Uint8Array {
    return this.inputs[0]?.header ?? new Uint8Array(0);
  }
  /** What the keys of the rows that were written hold. */
  get tallies() {
    return this.#tallies.all;
  }
  /** The rows of all inputs that were found, and their bytes. */
  get total() {
    const totals = this.inputs.map(({ total }) => total);
    return {
      rows: totals.reduce((sum, { rows }) => sum + rows, 0),
      bytes: totals.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  async arrived(): Promise<void> {
    const { header, inputs } = this.#job;
    if (!header) return;
    for (const [i, input] of this.inputs.entries()) requireSameHeader(inputs, i, this.header, input.header);
  }

  faultOf(report: Report, text: TalliedText): PartFault | undefined {
    const { order, widen } = this.#job;
    const invalid = firstInvalid([report]);
    if (!invalid) return undefined;
    return async () => {
      throw new WrongGuess(widened(invalid, [report], text, order, widen));
    };
  }

  accept(report: Report, _: Merged, text: TalliedText): void {
    this.#tallies.add([report], text);
  }

  async requireOrder(): Promise<void> {
    const { by, signal } = this.#job;
    for (const input of this.inputs) {
      const { first, count } = input.neighbours;
      const call = (report: number) => [first + 1, Math.max(0, count - 1), report, this.#space.at.order];
      const [[row]] = (await runReporting(this.#space, "find_disorder", [call], signal)) as [Report];
      if (row! > 0) throw notSorted(input, row!, by);
    }
  }

  async ended(written: number): Promise<void> {
    const { order, head, onTallied } = this.#job;
    requireGuessedValues(order, this.tallies);
    onTallied?.(this.tallies, written < head);
  }

  tooLong(input: SortedInput, bytes: number): Error {
    return rowTooLong(input.placeOf(input.first), bytes);
  }
}

function notSorted(input: SortedInput, row: number, by: string | undefined): InputError {
  const place = input.placeOf(row);
  const order = by === undefined ? "" : ` by ${by}`;
  return new InputError(`cannot merge ${place.input}: its row ${place.row + 1} is not in order${order}`, {
    hint: "sort all inputs instead, by leaving the merge out, or give the options that it was sorted by",
    options: ["merge"],
  });
}
