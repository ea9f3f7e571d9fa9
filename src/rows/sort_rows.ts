import { InputError, VerifyError } from "../core/errors.js";
import type { ByteInput, ByteStore } from "../core/streams/byte_stream.js";
import { PhaseClock } from "../core/streams/phase_clock.js";
import type { WriteText } from "./double_buffer.js";
import { RowMerge, type StoredRun, sumOfNumbers } from "./merge/merge_runs.js";
import { isGuess, requireGuessedValues, type Widen, widened } from "./order/guess.js";
import type { RowOrder } from "./order/row_order.js";
import { firstInvalid, KeyTallies, type KeyTally, type OnTallied } from "./order/tally.js";
import type { Report } from "./report.js";
import type { RowRunner } from "./row_kernels.js";
import { canReadAgain, RowText, type TextPart } from "./text.js";
import { RowWorkspace } from "./workspace.js";
import { type NumbersOf, writeRows, writtenNumbers } from "./write_rows.js";

/** The least samples of a run, about. One with many rows has more. */
const SAMPLES = 256;

/** Numbers of rows are u32. */
const MOST_NUMBERS = 2 ** 32;

/** What to sort, and how. */
export interface RowJob {
  readonly inputs: readonly ByteInput[];
  readonly order: RowOrder;
  /** Whether the first row of each input is a header. One of them is written first. */
  readonly header: boolean;
  /** Whether only the first of rows with equal keys is written. */
  readonly unique: boolean;
  /**
   * Whether the numbers of the rows in the input are written in the place of the rows, as u32: from 0,
   * without headers, and on from one input to the next.
   */
  readonly numbers?: boolean | undefined;
  /** The most rows to write. */
  readonly head: number;
  readonly verify: boolean;
  /** The memory to use. */
  readonly memoryBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Creates the store for runs. `bytes` is the length of all inputs; undefined if it is not known. */
  readonly createStore: (bytes: number | undefined) => Promise<ByteStore>;
  /** Called once, before anything is written. */
  readonly onStart?: (plan: RowPlan) => void;
  /** What the order becomes when a value shows that a guessed key is another one. */
  readonly widen?: Widen | undefined;
  /** Called before anything is written. */
  readonly onTallied?: OnTallied | undefined;
}

/** How rows will be sorted. */
export interface RowPlan {
  /** The number of rows, if all are in memory at once; undefined if they are sorted out of core. */
  readonly rows: number | undefined;
  /** The bytes that will be written, with the header; undefined if that is not known. */
  readonly writtenBytes: number | undefined;
}

/** What was sorted. */
export interface RowReport {
  /** Rows of all inputs, without headers, and their bytes. */
  readonly rows: number;
  readonly bytes: number;
  /** Rows that were written. */
  readonly written: number;
  /** What the keys hold: those of all rows, or of the rows that were merged. */
  readonly tallies: readonly KeyTally[];
  readonly clock: PhaseClock;
  /** Undefined if all rows were in memory at once. */
  readonly external?: {
    readonly runs: number;
    readonly temporaryBytes: number;
    readonly parts: number;
    readonly chunkBytes: number;
  };
}

/**
 * Sorts the rows of texts. Rows with equal keys keep their order. If they do not fit in the memory, parts of
 * them are sorted into runs, and the runs are merged (see `RowMerge`).
 *
 * A word of the key is read from each row, and the words are sorted by a radix sort on all threads; rows
 * whose words are equal are sorted by further words (see assembly/rows/). Then the rows are copied to their
 * places.
 *
 * @param runner runs the kernels. The caller closes it.
 * @param write takes the output in order.
 * @throws InputError if a row is longer than the memory, if quotes are not closed, or if a key is no number
 *   but must be one; VerifyError if the result is not in order, or does not hold the rows of the inputs.
 */
export async function sortRows(runner: RowRunner, job: RowJob, write: WriteText): Promise<RowReport> {
  const sort = new RowSort(runner, job, write);
  try {
    return await sort.run();
  } finally {
    await sort.close();
  }
}

class RowSort {
  readonly #job: RowJob;
  readonly #space: RowWorkspace;
  readonly #clock = new PhaseClock();
  readonly #write: WriteText;
  #runs: StoredRun[] = [];
  #store: ByteStore | undefined;
  #stored = 0;
  /**
   * With a head, the least first word of the last row of as many in a run: rows above it are not among the
   * first.
   */
  #bound: bigint | undefined;
  readonly #text: RowText;
  /** The sum of the hashes of the last batch before it was sorted; undefined if not all of it is moved. */
  #before: bigint | undefined;
  #tallies: KeyTallies;

  constructor(runner: RowRunner, job: RowJob, write: WriteText) {
    this.#job = job;
    this.#space = new RowWorkspace(runner, job.order, job.unique, job.memoryBytes);
    const isKept = job.widen && isGuess(job.order) && !job.inputs.every(canReadAgain);
    const keep = isKept ? () => job.createStore(undefined) : undefined;
    this.#text = new RowText(this.#space, { ...job, keep }, this.#clock);
    this.#tallies = this.#newTallies();
    this.#write = (bytes) => this.#clock.time("write", bytes.length, () => write(bytes));
  }

  async run(): Promise<RowReport> {
    const { head, numbers, onStart, unique } = this.#job;
    const first = await this.#text.next();
    if (first.ended) {
      const all = !unique && head >= first.sorter.rows;
      const bytes = numbers ? 4 * first.sorter.rows : first.sorter.start(first.sorter.rows);
      const writtenBytes = all ? bytes + (numbers ? 0 : this.#text.reader.header.length) : undefined;
      onStart?.({ rows: first.sorter.rows, writtenBytes });
      for (let order: RowOrder | undefined; ; ) {
        order = await this.#order(first);
        if (!order) break;
        first.sorter.reorder(order);
        this.#tallies = this.#newTallies();
      }
      this.#requireValues();
      await this.#writeHeader();
      const moved = await this.#move(first, this.#write, { numbers: numbers ? () => {} : undefined });
      return this.#report(moved.rows);
    }
    onStart?.({ rows: undefined, writtenBytes: undefined });
    this.#store = await this.#job.createStore(this.#text.reader.byteLength);
    for (let part = first; ; part = await this.#text.next()) {
      const order = part.sorter.rows > 0 ? await this.#spill(part) : undefined;
      if (order) await this.#beginAnew(order);
      else if (part.ended) break;
    }
    this.#requireValues();
    await this.#writeHeader();
    const { verify, signal } = this.#job;
    const merge = new RowMerge(this.#space, this.#runs, this.#store, this.#clock, signal);
    const merged = await merge.run({ head, verify }, this.#write);
    return this.#report(merged.rows, merged.parts);
  }

  async close(): Promise<void> {
    await this.#text.close();
    await this.#store?.close();
  }

  /** @throws InputError if a column has no values, as it must have. */
  #requireValues(): void {
    requireGuessedValues(this.#space.order, this.#tallies.all);
    this.#job.onTallied?.(this.#tallies.all, true);
  }

  #newTallies = () => new KeyTallies(this.#space.order.keys.length);

  /** Reads all rows again, to sort them in another order. */
  async #beginAnew(order: RowOrder): Promise<void> {
    await this.#text.rewind();
    this.#space.order = order;
    this.#tallies = this.#newTallies();
    this.#runs = [];
    this.#stored = 0;
    this.#bound = undefined;
  }

  #report(written: number, parts?: number): RowReport {
    const { rows, bytes } = this.#text;
    const common = { rows, bytes, written, tallies: this.#tallies.all, clock: this.#clock };
    if (parts === undefined) return common;
    const chunkBytes = Math.max(...this.#runs.map((run) => run.bytes));
    return {
      ...common,
      external: { runs: this.#runs.length, temporaryBytes: this.#stored, parts, chunkBytes },
    };
  }

  async #writeHeader(): Promise<void> {
    const { header } = this.#text.reader;
    if (header.length > 0 && !this.#job.numbers) await this.#write(new Uint8Array(header));
  }

  /** Sorts a batch. @returns the order to begin anew with, if a row shows that a guess is wrong. */
  async #order({ sorter, firstRow }: TextPart): Promise<RowOrder | undefined> {
    const { head, verify, widen } = this.#job;
    // Rows that are left out are not moved.
    const isHashed = verify && head >= sorter.rows && this.#bound === undefined;
    this.#before = isHashed ? await this.#clock.time("verify", 0, () => sorter.hash(0)) : undefined;
    const text = {
      placeOf: (row: number) => this.#text.placeOf(firstRow + row),
      textBetween: (from: number, to: number) => sorter.textBetween(from, to),
    };
    const selection = { head, bound: this.#bound };
    const reports = await sorter.readKeys(selection);
    const invalid = firstInvalid(reports);
    if (invalid) return widened(invalid, reports, text, this.#space.order, widen);
    this.#tallies.add(reports, text);
    await sorter.sort(selection);
    return undefined;
  }

  /** Writes a sorted batch. */
  async #move(
    { sorter }: TextPart,
    write: WriteText,
    how: { readonly pieceRows?: number; readonly numbers?: NumbersOf | undefined },
  ) {
    const { head, signal } = this.#job;
    const before = this.#before;
    const places = { from: 0, end: sorter.ordered, head, ...how };
    const tools = { space: this.#space, clock: this.#clock, signal };
    const moved = await writeRows({ ...tools, sorter, ...places, write });
    if (before !== undefined && moved.all && moved.hashes !== before) {
      throw new VerifyError("the CPU changed rows while it sorted them: the checksums differ", {
        hint: "the input is untouched and no output was written; this machine computed a wrong result",
      });
    }
    return moved;
  }

  /** Writes a batch to the store, as a run. @returns the order to begin anew with, as `order`. */
  async #spill(part: TextPart): Promise<RowOrder | undefined> {
    const order = await this.#order(part);
    if (order) return order;
    const at = this.#stored;
    let next = at;
    const store = this.#store!;
    const keep = async (bytes: Uint8Array<ArrayBuffer>) => {
      const offset = next;
      next += bytes.length;
      await this.#clock.time("spill", bytes.length, () => store.write(bytes, offset));
    };
    const moved = await this.#move(part, keep, { pieceRows: Math.ceil(part.sorter.rows / SAMPLES) });
    if (moved.rows === 0) return undefined;
    if (moved.rows >= this.#job.head) {
      const last = await part.sorter.firstWord(part.sorter.rowAt(moved.end - 1));
      if (this.#bound === undefined || last < this.#bound) this.#bound = last;
    }
    const { samples } = moved;
    const numbersAt = this.#job.numbers ? next : undefined;
    let numberSums: number[] | undefined;
    if (numbersAt !== undefined) {
      if (this.#text.rows > MOST_NUMBERS) throw this.#tooMany();
      const rows = writtenNumbers(this.#space, part.sorter.places.elements, { from: 0, end: moved.end });
      for (let i = 0; i < rows.length; i++) rows[i] = rows[i]! + part.firstRow;
      numberSums = samples.map((sample, i) => sumOfNumbers(rows.subarray(sample.rows, samples[i + 1]?.rows)));
      await keep(new Uint8Array(rows.buffer));
    }
    this.#stored = next;
    this.#runs.push({ at, bytes: moved.bytes, rows: moved.rows, numbersAt, numberSums, samples });
    return undefined;
  }

  #tooMany(): InputError {
    const name = this.#text.reader.starts.at(-1)?.name ?? "the input";
    return new InputError(`with ${name} there are more than 2^32 rows, so their numbers do not fit u32`, {
      hint: "sort it in parts, or sort the rows instead of their numbers",
      options: ["argsort"],
    });
  }
}
