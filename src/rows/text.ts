import { InputError, textAfterQuote, unclosedQuote } from "../core/errors.js";
import type { ByteInput, ByteStore } from "../core/streams/byte_stream.js";
import type { PhaseClock } from "../core/streams/phase_clock.js";
import { isGuess } from "./order/guess.js";
import type { RowPlace } from "./order/tally.js";
import { type ReaderOptions, RowReader } from "./reader.js";
import { RowBatch } from "./row_batch.js";
import { BlockReader, BlockWriter } from "./stored_bytes.js";
import { LONGEST_TEXT, type RowWorkspace } from "./workspace.js";

/** The most and the fewest bytes of a read. Within these, a read is a small part of the memory. */
const MOST_READ = 32 << 20;
const LEAST_READ = 1 << 16;

/** Rows that fit in the memory, and whether they are the last ones. */
export interface TextPart {
  readonly batch: RowBatch;
  readonly ended: boolean;
  /** The number of the first row of the batch among all rows of the inputs. */
  readonly firstRow: number;
}

/** The text of inputs, and what may be needed to read it. */
export interface RowTextOptions extends ReaderOptions {
  readonly inputs: readonly ByteInput[];
  readonly signal?: AbortSignal | undefined;
  /**
   * Creates a store for the text of inputs that can be read once only, so that it can be read again from its
   * begin. It is needed if there is more than one part, and keys of the order are guessed.
   */
  readonly keep?: (() => Promise<ByteStore>) | undefined;
}

/** Where the text of all inputs comes from. */
type RowTextReader = Pick<RowReader, "header" | "byteLength" | "bytesRead" | "starts" | "read" | "unread">;

/** Reads a text part by part, and knows which row is where. */
export class RowText {
  readonly #space: RowWorkspace;
  readonly #options: RowTextOptions;
  /** Whether the text is kept, as guesses may need it once more and not all inputs can be read again. */
  readonly #isKept: boolean;
  readonly #clock: PhaseClock;
  #reader: RowTextReader;
  /** The text that was read, up to a position; and where the last part of it is in the memory. */
  #kept: { readonly store: ByteStore; readonly text: BlockWriter; writing: Promise<void> } | undefined;
  #last = { at: 0, bytes: 0 };
  /** The number among all rows of the first row of each input that was found so far. */
  readonly #firstRows: number[] = [];
  #rows = 0;
  #bytes = 0;

  constructor(space: RowWorkspace, options: RowTextOptions, clock: PhaseClock) {
    this.#space = space;
    this.#options = options;
    this.#isKept = isGuess(options.order) && !options.inputs.every(canReadAgain);
    this.#reader = new RowReader(options.inputs, options);
    this.#clock = clock;
  }

  /** Where the text comes from. */
  get reader(): RowTextReader {
    return this.#reader;
  }

  /** Begins anew: the next part is the first one. The last part must still be in the memory. */
  async rewind(): Promise<void> {
    if (!this.#isKept) this.#reader = new RowReader(this.#options.inputs, this.#options);
    else {
      await this.#keepLast();
      const { store, text, writing } = this.#kept!;
      await writing;
      this.#reader = new ReplayedText(new BlockReader(store, text.stored), this.#reader);
    }
    this.#rows = 0;
    this.#bytes = 0;
    this.#firstRows.length = 0;
  }

  async close(): Promise<void> {
    await this.#kept?.writing.catch(() => {}); // the read that awaited it has thrown the error
    await this.#kept?.store.close();
  }

  /** Begins to write the last part to the store, unless it is there. The part must stay in the memory. */
  async #keepLast(): Promise<void> {
    const { keep } = this.#options;
    if (!keep || !this.#isKept) return;
    if (!this.#kept) {
      const store = await keep();
      this.#kept = { store, text: new BlockWriter(store, 0), writing: Promise.resolve() };
    }
    const kept = this.#kept;
    await kept.writing;
    const known = kept.text.byteLength - (this.#bytes - this.#last.bytes);
    if (known >= this.#last.bytes) return;
    const bytes = this.#space.bytes(this.#last.at + known, this.#last.bytes - known);
    kept.writing = this.#clock.time("spill", bytes.length, () => kept.text.write(bytes));
    kept.writing.catch(() => {}); // awaited before the next part
  }

  /** Rows so far, and their bytes. */
  get rows(): number {
    return this.#rows;
  }
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Reads as many rows as fit in the memory.
   *
   * @param before a row that comes first in the batch, with its terminator.
   * @throws InputError if not even one row fits, or if the text ends within quotes.
   */
  async next(before: Uint8Array = new Uint8Array(0)): Promise<TextPart> {
    await this.#kept?.writing;
    const space = this.#space;
    const { text } = space.at;
    const { signal } = this.#options;
    const batch = new RowBatch(space, signal);
    const chunk = Math.min(MOST_READ, Math.max(LEAST_READ, Math.floor(space.most / 32)));
    let filled = before.length;
    const readNext = (at: number, begun?: () => void) => {
      space.reserve(text + at + chunk);
      const reader = this.#reader;
      const already = reader.bytesRead;
      return this.#clock.time(
        "read",
        () => reader.bytesRead - already,
        () => reader.read(space.bytes(text + at, chunk), begun),
      );
    };
    let ended = false;
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let reading: Promise<number> | undefined = readNext(filled, begin);
    reading.catch(() => {}); // awaited in the first turn
    await Promise.race([begun, reading]); // before this thread is busy with kernels
    space.chooseThreads(Math.min(this.#reader.byteLength ?? 0, space.most));
    space.bytes(text, filled).set(before);
    if (filled > 0) await batch.count(filled);
    while (reading) {
      const bytes: number = await reading;
      if (this.#reader.byteLength === undefined) space.chooseThreads(filled + bytes);
      signal?.throwIfAborted();
      filled += bytes;
      ended = bytes < chunk;
      // The next piece is read while this one is looked through, if the rows seem to leave room for it.
      const rows = Math.ceil((batch.rows / Math.max(1, batch.textBytes)) * (filled + chunk));
      const fits = filled + chunk <= LONGEST_TEXT && space.placesFor(filled + chunk, rows).end <= space.most;
      reading = !ended && fits ? readNext(filled) : undefined;
      reading?.catch(() => {}); // awaited in the next turn
      await this.#clock.time("extract", 0, () => batch.count(bytes));
    }
    while (space.placesFor(batch.textBytes, batch.rows).end > space.most && batch.dropLast()) ended = false;
    // Where these bytes are, `find` stores the begins of rows.
    const dropped = space.bytes(text + batch.textBytes, filled - batch.textBytes).slice();
    const whole = await this.#clock.time("extract", 0, () => batch.find());
    const own = batch.rows - Number(before.length > 0);
    if (ended && whole < filled) throw unclosedQuote(this.#name);
    this.#numberInputs(batch, before.length, whole);
    if (!ended) {
      if (own === 0) throw rowTooLong(this.placeOf(this.#rows), filled - before.length);
      const rest = space.bytes(text + whole, batch.textBytes - whole);
      this.#reader.unread(Buffer.concat([rest, dropped]));
    }
    const firstRow = this.#rows;
    const { misquoted } = batch;
    if (misquoted !== undefined) {
      const { input, row } = this.placeOf(firstRow + misquoted - Number(before.length > 0));
      throw textAfterQuote(input, row + 1);
    }
    this.#rows += own;
    this.#bytes += whole - before.length;
    this.#last = { at: text + before.length, bytes: whole - before.length };
    if (!ended) await this.#keepLast();
    return { batch, ended, firstRow };
  }

  /** Where a row is, by its number among all rows of the inputs. */
  placeOf(row: number): RowPlace {
    let input = 0;
    while (input + 1 < this.#firstRows.length && this.#firstRows[input + 1]! <= row) input++;
    const { name, firstLine } = this.#reader.starts[input]!;
    return { input: name, row: row - this.#firstRows[input]! + firstLine - 1 };
  }

  get #name(): string {
    return this.#reader.starts.at(-1)?.name ?? "the input";
  }

  /**
   * Finds the first rows of the inputs that begin in a batch, which starts with `extra` bytes of another row.
   */
  #numberInputs(batch: RowBatch, extra: number, end: number): void {
    const { starts } = this.#reader;
    const first = Number(extra > 0);
    for (let input = this.#firstRows.length; input < starts.length; input++) {
      const position = starts[input]!.position - this.#bytes + extra;
      if (position > end) return;
      let [low, high] = [first, batch.rows];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (batch.start(middle) < position) low = middle + 1;
        else high = middle;
      }
      this.#firstRows.push(this.#rows + low - first);
    }
  }
}

/** Whether an input can be read once more. */
export const canReadAgain = ({ read, byteLength }: ByteInput) =>
  read !== undefined && byteLength !== undefined;

/** The error of a row that does not fit in the memory. @param bytes how many of it were read. */
export function rowTooLong({ input, row }: RowPlace, bytes: number): InputError {
  return new InputError(
    `${input}: row ${row + 1} has more than ${bytes} bytes, which does not fit in the memory`,
    {
      hint: "give the sort more memory, or check what ends a row",
      options: ["memoryBytes"],
    },
  );
}

/** The text of inputs that can be read once only, again from its begin: what was kept of it, then the rest. */
class ReplayedText implements RowTextReader {
  readonly #kept: BlockReader;
  readonly #rest: RowTextReader;
  #pending: Uint8Array = new Uint8Array(0);

  /** @param kept reads the text that comes before what `rest` reads next. */
  constructor(kept: BlockReader, rest: RowTextReader) {
    this.#kept = kept;
    this.#rest = rest;
  }

  get header(): Uint8Array {
    return this.#rest.header;
  }
  get byteLength(): number | undefined {
    return this.#rest.byteLength;
  }
  get bytesRead(): number {
    return this.#kept.bytesRead + this.#rest.bytesRead;
  }
  get starts(): RowTextReader["starts"] {
    return this.#rest.starts;
  }

  unread(bytes: Uint8Array): void {
    this.#pending = Buffer.concat([bytes, this.#pending]);
  }

  async read(into: Uint8Array, begun = () => {}): Promise<number> {
    const pending = this.#pending.subarray(0, into.length);
    into.set(pending);
    this.#pending = this.#pending.subarray(pending.length);
    let filled = pending.length;
    filled += await this.#kept.read(into.subarray(filled));
    begun();
    return filled < into.length ? filled + (await this.#rest.read(into.subarray(filled))) : filled;
  }
}
