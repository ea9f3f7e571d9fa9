import { InputError, VerifyError } from "../core/errors.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { PhaseClock } from "../core/streams/phase_clock.js";
import { type InvalidKey, RowBatch } from "./batch.js";
import { RowMerge } from "./merge.js";
import { moveRows, type Sample, type WriteRows } from "./mover.js";
import { RowReader } from "./reader.js";
import type { RowRunner } from "./row_kernels.js";
import type { RowOrder } from "./row_order.js";
import { MOST_TEXT, RowWorkspace } from "./workspace.js";

/** Text is read in pieces of so many bytes, if the memory is large enough for many of them. */
const MOST_READ = 32 << 20;
const LEAST_READ = 1 << 16;

/** A run has about so many samples, or more if it has many rows. */
const SAMPLES = 256;

/** Holds sorted runs, usually in a temporary file. */
export interface RowStore {
  read(into: Uint8Array, offset: number): Promise<void>;
  write(from: Uint8Array, offset: number): Promise<void>;
  close(): Promise<void>;
}

/** A sorted part of the input in the store. */
export interface Run {
  /** Where it begins in the store, and its bytes. */
  readonly at: number;
  readonly bytes: number;
  readonly rows: number;
  /** Places in it, in ascending order; the first one is its begin. */
  readonly samples: readonly Sample[];
}

/** What to sort, and how. */
export interface RowJob {
  readonly inputs: readonly ByteInput[];
  readonly order: RowOrder;
  /** Whether the first row of each input is a header. One of them is written first. */
  readonly header: boolean;
  /** Whether only the first of rows with equal keys is written. */
  readonly unique: boolean;
  /** The most rows to write. */
  readonly head: number;
  readonly verify: boolean;
  /** The memory to use. */
  readonly memoryBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Creates the store for runs. `bytes` is the length of all inputs; undefined if it is not known. */
  readonly createStore: (bytes: number | undefined) => Promise<RowStore>;
  /** Called once, before anything is written: how many bytes will be written, if that is known. */
  readonly onStart?: (plan: {
    readonly outOfCore: boolean;
    readonly writtenBytes: number | undefined;
  }) => void;
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
  readonly external?: { readonly runs: number; readonly temporaryBytes: number; readonly parts: number };
}

/**
 * Sorts the rows of texts. Rows with equal keys keep their order. If they do not fit in the memory, parts of them
 * are sorted into runs, and the runs are merged (see `RowMerge`).
 *
 * A word of the key is read from each row, and the words are sorted by a radix sort on all threads; rows whose words
 * are equal are sorted by further words (see assembly/rows/). Then the rows are copied to their places.
 *
 * @param runner runs the kernels; whoever made it closes it.
 * @param write takes the output in order.
 * @throws InputError if a row is longer than the memory, if quotes are not closed, or if a key is no number but must
 *   be one; VerifyError if the result is not in order, or does not hold the rows of the inputs.
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
  #rows = 0;
  #bytes = 0;

  constructor(runner: RowRunner, job: RowJob, write: WriteRows) {
    this.#job = job;
    this.#space = new RowWorkspace(runner, job.order, job.unique, job.memoryBytes);
    this.#reader = new RowReader(job.inputs, job);
    this.#write = (bytes) => this.#clock.time("write", bytes.length, () => write(bytes));
  }

  async run(): Promise<RowReport> {
    const { head, onStart, unique } = this.#job;
    const first = await this.#read();
    if (first.ended) {
      const all = !unique && head >= first.batch.rows;
      const writtenBytes = all ? first.batch.start(first.batch.rows) + this.#reader.header.length : undefined;
      onStart?.({ outOfCore: false, writtenBytes });
      await this.#writeHeader();
      const moved = await this.#sort(first.batch, this.#write);
      return this.#report(moved.rows);
    }
    onStart?.({ outOfCore: true, writtenBytes: undefined });
    this.#store = await this.#job.createStore(this.#reader.byteLength);
    for (let part = first; ; part = await this.#read()) {
      if (part.batch.rows > 0) await this.#spill(part.batch);
      if (part.ended) break;
    }
    await this.#writeHeader();
    const { verify, signal } = this.#job;
    const merge = new RowMerge(this.#space, this.#runs, this.#store, this.#clock, signal);
    const merged = await merge.run({ head, unique, verify }, this.#write);
    return this.#report(merged.rows, merged.parts);
  }

  async close(): Promise<void> {
    await this.#store?.close();
  }

  #report(written: number, parts?: number): RowReport {
    const external =
      parts === undefined ? undefined : { runs: this.#runs.length, temporaryBytes: this.#stored, parts };
    return {
      rows: this.#rows,
      bytes: this.#bytes,
      written,
      clock: this.#clock,
      ...(external && { external }),
    };
  }

  async #writeHeader(): Promise<void> {
    const { header } = this.#reader;
    if (header.length > 0) await this.#write(new Uint8Array(header));
  }

  /** Reads as many rows as fit in the memory. */
  async #read(): Promise<{ batch: RowBatch; ended: boolean }> {
    const space = this.#space;
    const { text } = space.at;
    const batch = new RowBatch(space, this.#clock, this.#job.signal);
    const chunk = Math.min(MOST_READ, Math.max(LEAST_READ, Math.floor(space.most / 32)));
    const readNext = (at: number) => {
      space.reserve(text + at + chunk);
      return this.#clock.time("read", chunk, () => this.#reader.read(space.bytes(text + at, chunk)));
    };
    let ended = false;
    let filled = 0;
    let reading: Promise<number> | undefined = readNext(0);
    while (reading) {
      const bytes: number = await reading;
      this.#job.signal?.throwIfAborted();
      filled += bytes;
      ended = bytes < chunk;
      // The next piece is read while this one is looked through, if the rows seem to leave room for it.
      const rows = Math.ceil((batch.rows / Math.max(1, batch.textBytes)) * (filled + chunk));
      const fits = filled + chunk <= MOST_TEXT && space.bytesFor(filled + chunk, rows) <= space.most;
      reading = !ended && fits ? readNext(filled) : undefined;
      reading?.catch(() => {}); // awaited in the next turn
      await this.#clock.time("extract", 0, () => batch.count(bytes));
    }
    while (space.bytesFor(batch.textBytes, batch.rows) > space.most && batch.dropLast()) ended = false;
    const whole = await this.#clock.time("extract", 0, () => batch.find());
    if (ended && whole < filled) throw this.#unclosedQuote();
    if (!ended) {
      if (batch.rows === 0) throw this.#tooLong(filled);
      this.#reader.unread(space.bytes(text + whole, filled - whole).slice());
    }
    return { batch, ended };
  }

  /** Sorts a batch, and writes it. */
  async #sort(batch: RowBatch, write: WriteRows) {
    const { head, verify, signal } = this.#job;
    const before = verify ? await this.#clock.time("verify", 0, () => batch.hash(0)) : 0n;
    const invalid = await batch.sort();
    if (invalid) throw this.#invalidKey(batch, invalid);
    const pieceRows = Math.max(1, Math.ceil(batch.rows / SAMPLES));
    const places = { from: 0, end: batch.rows, head, pieceRows };
    const moved = await moveRows(this.#space, batch, places, write, this.#clock, signal);
    if (verify && moved.all && moved.hashes !== before) {
      throw new VerifyError("the CPU changed rows while it sorted them: the checksums differ", {
        hint: "the input is untouched and no output was written; this machine computed a wrong result",
      });
    }
    this.#rows += batch.rows;
    this.#bytes += batch.start(batch.rows);
    return moved;
  }

  /** Writes a batch to the store, as a run. */
  async #spill(batch: RowBatch): Promise<void> {
    const at = this.#stored;
    let next = at;
    const store = this.#store!;
    const moved = await this.#sort(batch, async (bytes) => {
      const offset = next;
      next += bytes.length;
      await this.#clock.time("spill", bytes.length, () => store.write(bytes, offset));
    });
    this.#stored = next;
    this.#runs.push({ at, bytes: moved.bytes, rows: moved.rows, samples: moved.samples });
  }

  /** Where a row of a batch is, for messages: its input, and the number of the row there. */
  #placeOf(batch: RowBatch, row: number): string {
    const position = this.#bytes + batch.start(row);
    const starts = this.#reader.starts.filter((start) => start.position <= position);
    const input = starts.at(-1);
    if (!input) return `row ${row + 1}`;
    let before = this.#rows + row; // rows before it in all inputs; those of this input follow its begin
    if (starts.length > 1) {
      const begin = input.position - this.#bytes;
      if (begin < 0) return `a row of ${input.name}`;
      let first = row;
      while (first > 0 && batch.start(first - 1) >= begin) first--;
      before = row - first;
    }
    return `${input.name}: row ${before + input.firstLine}`;
  }

  #invalidKey(batch: RowBatch, { row, key }: InvalidKey): InputError {
    return new InputError(`${this.#placeOf(batch, row)} has no number as its key ${key + 1}`, {
      hint: "put such rows first or last, or compare the key as text",
    });
  }

  #tooLong(bytes: number): InputError {
    const { starts } = this.#reader;
    return new InputError(
      `${starts.at(-1)?.name ?? "the input"} has a row of more than ${bytes} bytes, which exceed the memory`,
      {
        hint: "give the sort more memory, or check the separator of rows",
        options: ["memoryBytes"],
      },
    );
  }

  #unclosedQuote(): InputError {
    const { starts } = this.#reader;
    return new InputError(`${starts.at(-1)?.name ?? "the input"} ends within quotes: a quote is not closed`, {
      hint: "close it, or sort the text as lines, in which quotes are characters like others",
      options: ["format"],
    });
  }
}
