import { InputError } from "../core/errors.js";
import type { ByteInput, ByteStore } from "../core/streams/byte_stream.js";
import { PhaseClock } from "../core/streams/phase_clock.js";
import type { WriteText } from "./double_buffer.js";
import { mergeRuns, type StoredRun } from "./merge/merge_runs.js";
import { requireGuessedValues, type Widen, widened } from "./order/guess.js";
import type { RowOrder } from "./order/row_order.js";
import { firstInvalid, KeyTallies, type KeyTally, type OnTallied } from "./order/tally.js";
import type { RowRunner } from "./row_kernels.js";
import { RowSorter } from "./row_sorter.js";
import { BlockWriter, type StoredBytes } from "./stored_bytes.js";
import { RowText, type TextPart } from "./text.js";
import { RowWorkspace } from "./workspace.js";
import { writeRows, writtenNumbers } from "./write_rows.js";

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
  /**
   * Creates the store for runs, or for a copy of inputs that cannot be read twice.
   *
   * @param bytes the length of all inputs; undefined if it is not known.
   */
  readonly createStore: (bytes: number | undefined, holds: "runs" | "input") => Promise<ByteStore>;
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
 * them are sorted into runs, and the runs are merged (see `mergeRuns`).
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

/** A part of the text in order. */
interface SortedPart extends TextPart {
  /** The first places of the order that hold their rows. */
  readonly ordered: number;
  /** The sum of the hashes of the rows before they were sorted; undefined if not all of them are moved. */
  readonly hashes: bigint | undefined;
}

/** Another order, as a row shows that a guess is wrong. */
interface WiderOrder {
  readonly wider: RowOrder;
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
  #tallies: KeyTallies;

  constructor(runner: RowRunner, job: RowJob, write: WriteText) {
    this.#job = job;
    this.#space = new RowWorkspace(runner, job.order, job.unique, job.memoryBytes);
    const keep = job.widen && (() => job.createStore(undefined, "input"));
    this.#text = new RowText(this.#space, { ...job, keep }, this.#clock);
    this.#tallies = this.#newTallies();
    this.#write = (bytes) => this.#clock.time("write", bytes.length, () => write(bytes));
  }

  async run(): Promise<RowReport> {
    const { head, numbers, onStart, unique } = this.#job;
    const first = await this.#text.next();
    if (first.ended) {
      const all = !unique && head >= first.batch.rows;
      const bytes = numbers ? 4 * first.batch.rows : first.batch.start(first.batch.rows);
      const writtenBytes = all ? bytes + (numbers ? 0 : this.#text.reader.header.length) : undefined;
      onStart?.({ rows: first.batch.rows, writtenBytes });
      let sorted = await this.#sort(first);
      while ("wider" in sorted) {
        first.batch.reorder(sorted.wider);
        this.#tallies = this.#newTallies();
        sorted = await this.#sort(first);
      }
      this.#requireValues();
      await this.#writeHeader();
      const moved = await this.#move(sorted, this.#write, numbers ?? false);
      return this.#report(moved.rows);
    }
    onStart?.({ rows: undefined, writtenBytes: undefined });
    this.#store = await this.#job.createStore(this.#text.reader.byteLength, "runs");
    for (let part = first; ; part = await this.#text.next()) {
      const sorted = part.batch.rows > 0 ? await this.#sort(part) : undefined;
      if (sorted && "wider" in sorted) {
        await this.#beginAnew(sorted.wider);
        continue;
      }
      if (sorted) await this.#spill(sorted);
      if (part.ended) break;
    }
    this.#requireValues();
    await this.#writeHeader();
    const { verify, signal } = this.#job;
    const options = { clock: this.#clock, head, verify, signal };
    const merged = await mergeRuns(this.#space, this.#runs, this.#store, options, this.#write);
    return this.#report(merged.written, merged.rounds);
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
    const chunkBytes = Math.max(...this.#runs.map(({ text }) => text.byteLength));
    return {
      ...common,
      external: { runs: this.#runs.length, temporaryBytes: this.#stored, parts, chunkBytes },
    };
  }

  async #writeHeader(): Promise<void> {
    const { header } = this.#text.reader;
    if (header.length > 0 && !this.#job.numbers) await this.#write(new Uint8Array(header));
  }

  async #sort(part: TextPart): Promise<SortedPart | WiderOrder> {
    const { batch, firstRow } = part;
    const { head, verify, widen, signal } = this.#job;
    const sorter = new RowSorter(batch, this.#clock, signal);
    // Rows that are left out are not moved.
    const isHashed = verify && head >= batch.rows && this.#bound === undefined;
    const hashes = isHashed ? await this.#clock.time("verify", 0, () => batch.hash(0)) : undefined;
    const text = {
      placeOf: (row: number) => this.#text.placeOf(firstRow + row),
      textBetween: (from: number, to: number) => batch.textBetween(from, to),
    };
    const selection = { head, bound: this.#bound };
    const reports = await sorter.readKeys(selection);
    const invalid = firstInvalid(reports);
    if (invalid) return { wider: widened(invalid, reports, text, this.#space.order, widen) };
    this.#tallies.add(reports, text);
    return { ...part, ordered: await sorter.sort(selection), hashes };
  }

  /** Writes a sorted part. */
  #move({ batch, ordered, hashes }: SortedPart, write: WriteText, numbers: boolean) {
    const { head, signal } = this.#job;
    const tools = { space: this.#space, clock: this.#clock, signal };
    return writeRows({ ...tools, batch, end: ordered, head, numbers, hashes, write });
  }

  /** Writes a sorted part to the store, as a run. */
  async #spill(part: SortedPart): Promise<void> {
    const text = this.#spillWriter();
    const moved = await this.#move(part, text.write, false);
    if (moved.rows === 0) return;
    if (moved.rows >= this.#job.head) {
      const last = await part.batch.firstWord(part.batch.rowAt(moved.end - 1));
      if (this.#bound === undefined || last < this.#bound) this.#bound = last;
    }
    const numbers = this.#job.numbers ? await this.#spillNumbers(part, moved.end) : undefined;
    const { rows, writtenHashes: hashes } = moved;
    this.#runs.push({ rows, hashes, text: text.blocks.stored, numbers });
  }

  /** Writes the numbers in the input of the first rows of a sorted part to the store. */
  async #spillNumbers({ batch, firstRow }: SortedPart, end: number): Promise<StoredBytes> {
    if (this.#text.rows > MOST_NUMBERS) throw this.#tooMany();
    const rows = writtenNumbers(this.#space, batch.places.elements, { from: 0, end });
    for (let i = 0; i < rows.length; i++) rows[i] = rows[i]! + firstRow;
    const { write, blocks } = this.#spillWriter();
    await write(new Uint8Array(rows.buffer));
    return blocks.stored;
  }

  /** What writes bytes one after the other behind all that were spilled. */
  #spillWriter() {
    const blocks = new BlockWriter(this.#store!, this.#stored);
    const write: WriteText = async (bytes) => {
      await this.#clock.time("spill", bytes.length, () => blocks.write(bytes));
      this.#stored += bytes.length;
    };
    return { blocks, write };
  }

  #tooMany(): InputError {
    const name = this.#text.reader.starts.at(-1)?.name ?? "the input";
    return new InputError(`with ${name} there are more than 2^32 rows, so their numbers do not fit u32`, {
      hint: "sort it in parts, or sort the rows instead of their numbers",
      options: ["argsort"],
    });
  }
}
