import { InputError, VerifyError } from "../core/errors.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { PhaseClock } from "../core/streams/phase_clock.js";
import { wrongKey } from "./invalid_key.js";
import { RowMerge } from "./merge.js";
import { moveRows, type NumbersOf, type WriteRows, writtenRows } from "./mover.js";
import { RowReader } from "./reader.js";
import type { RowRunner } from "./row_kernels.js";
import type { RowOrder } from "./row_order.js";
import { type RowStore, type Run, sumOfNumbers } from "./run.js";
import { RowText, type TextPart } from "./text.js";
import { RowWorkspace } from "./workspace.js";

/** A run has about so many samples, or more if it has many rows. */
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
  readonly createStore: (bytes: number | undefined) => Promise<RowStore>;
  /** Called once, before anything is written. */
  readonly onStart?: (plan: RowPlan) => void;
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
export async function sortRows(runner: RowRunner, job: RowJob, write: WriteRows): Promise<RowReport> {
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
  readonly #reader: RowReader;
  readonly #clock = new PhaseClock();
  readonly #write: WriteRows;
  readonly #runs: Run[] = [];
  #store: RowStore | undefined;
  #stored = 0;
  /**
   * With a head, the least first word of the last row of as many in a run: rows above it are not among the
   * first.
   */
  #bound: bigint | undefined;
  readonly #text: RowText;

  constructor(runner: RowRunner, job: RowJob, write: WriteRows) {
    this.#job = job;
    this.#space = new RowWorkspace(runner, job.order, job.unique, job.memoryBytes);
    this.#reader = new RowReader(job.inputs, job);
    this.#text = new RowText(this.#space, this.#reader, this.#clock, job.signal);
    this.#write = (bytes) => this.#clock.time("write", bytes.length, () => write(bytes));
  }

  async run(): Promise<RowReport> {
    const { head, numbers, onStart, unique } = this.#job;
    const first = await this.#text.next();
    if (first.ended) {
      const all = !unique && head >= first.batch.rows;
      const bytes = numbers ? 4 * first.batch.rows : first.batch.start(first.batch.rows);
      const writtenBytes = all ? bytes + (numbers ? 0 : this.#reader.header.length) : undefined;
      onStart?.({ rows: first.batch.rows, writtenBytes });
      const moved = await this.#sort(first, this.#write, {
        beforeWriting: () => this.#writeHeader(),
        numbers: numbers ? () => {} : undefined,
      });
      return this.#report(moved.rows);
    }
    onStart?.({ rows: undefined, writtenBytes: undefined });
    this.#store = await this.#job.createStore(this.#reader.byteLength);
    for (let part = first; ; part = await this.#text.next()) {
      if (part.batch.rows > 0) await this.#spill(part);
      if (part.ended) break;
    }
    await this.#writeHeader();
    const { verify, signal } = this.#job;
    const merge = new RowMerge(this.#space, this.#runs, this.#store, this.#clock, signal);
    const merged = await merge.run({ head, verify }, this.#write);
    return this.#report(merged.rows, merged.parts);
  }

  async close(): Promise<void> {
    await this.#store?.close();
  }

  #report(written: number, parts?: number): RowReport {
    const { rows, bytes } = this.#text;
    const common = { rows, bytes, written, clock: this.#clock };
    if (parts === undefined) return common;
    const chunkBytes = Math.max(...this.#runs.map((run) => run.bytes));
    return {
      ...common,
      external: { runs: this.#runs.length, temporaryBytes: this.#stored, parts, chunkBytes },
    };
  }

  async #writeHeader(): Promise<void> {
    const { header } = this.#reader;
    if (header.length > 0 && !this.#job.numbers) await this.#write(new Uint8Array(header));
  }

  /** Sorts a batch, and writes it. */
  async #sort(
    { batch, firstRow }: TextPart,
    write: WriteRows,
    {
      beforeWriting,
      ...how
    }: { beforeWriting?: () => Promise<void>; pieceRows?: number; numbers?: NumbersOf | undefined },
  ) {
    const { head, verify, signal } = this.#job;
    // Rows that are left out are not moved.
    const isHashed = verify && head >= batch.rows && this.#bound === undefined;
    const before = isHashed ? await this.#clock.time("verify", 0, () => batch.hash(0)) : 0n;
    const invalid = await batch.sort(head, this.#bound);
    if (invalid) throw wrongKey(this.#text.placeOf(firstRow + invalid.row), invalid, this.#job.order);
    await beforeWriting?.();
    const places = { from: 0, end: batch.ordered, head, ...how };
    const moved = await moveRows(this.#space, batch, places, write, this.#clock, signal);
    if (isHashed && moved.all && moved.hashes !== before) {
      throw new VerifyError("the CPU changed rows while it sorted them: the checksums differ", {
        hint: "the input is untouched and no output was written; this machine computed a wrong result",
      });
    }
    return moved;
  }

  /** Writes a batch to the store, as a run. */
  async #spill(part: TextPart): Promise<void> {
    const at = this.#stored;
    let next = at;
    const store = this.#store!;
    const keep = async (bytes: Uint8Array<ArrayBuffer>) => {
      const offset = next;
      next += bytes.length;
      await this.#clock.time("spill", bytes.length, () => store.write(bytes, offset));
    };
    const moved = await this.#sort(part, keep, { pieceRows: Math.ceil(part.batch.rows / SAMPLES) });
    if (moved.rows === 0) return;
    if (moved.rows >= this.#job.head) {
      const last = await part.batch.firstWord(part.batch.rowAt(moved.end - 1));
      if (this.#bound === undefined || last < this.#bound) this.#bound = last;
    }
    const { samples } = moved;
    const numbersAt = this.#job.numbers ? next : undefined;
    let numberSums: number[] | undefined;
    if (numbersAt !== undefined) {
      if (this.#text.rows > MOST_NUMBERS) throw this.#tooMany();
      const rows = writtenRows(this.#space, part.batch.places.elements, { from: 0, end: moved.end });
      for (let i = 0; i < rows.length; i++) rows[i] = rows[i]! + part.firstRow;
      numberSums = samples.map((sample, i) => sumOfNumbers(rows.subarray(sample.rows, samples[i + 1]?.rows)));
      await keep(new Uint8Array(rows.buffer));
    }
    this.#stored = next;
    this.#runs.push({ at, bytes: moved.bytes, rows: moved.rows, numbersAt, numberSums, samples });
  }

  #tooMany(): InputError {
    const name = this.#reader.starts.at(-1)?.name ?? "the input";
    return new InputError(`with ${name} there are more than 2^32 rows, so their numbers do not fit u32`, {
      hint: "sort it in parts, or sort the rows instead of their numbers",
      options: ["argsort"],
    });
  }
}
