import type { Data, RecordBatch, Vector } from "apache-arrow";
import { InputError } from "../core/errors.js";
import type { Column } from "./column.js";
import { concatenateColumn } from "./concatenate.js";
import { damaged, readingFrom } from "./input_bytes.js";
import { bytesToSort, MOST_BYTES, MOST_ROWS, threadBytes } from "./memory.js";
import { type OpenedTables, requireBatch } from "./open_tables.js";

/** Rows of a table that are in memory. */
export interface Chunk {
  /** Whoever is done with them empties the list, because they are large. */
  readonly columns: Column[];
  readonly rowCount: number;
  /** Whether no rows follow. */
  readonly isLast: boolean;
}

/** A batch as it was read. */
interface Batch {
  /** The input's number. */
  readonly input: number;
  readonly rowCount: number;
  readonly columns: readonly Data[];
  /** Bytes of each column. */
  readonly bytes: readonly number[];
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);

/** Reads tables in chunks that can be sorted in memory, those of the first input first. */
export class TableChunks {
  readonly #opened: OpenedTables;
  readonly #budget: number;
  readonly #places: readonly number[];
  readonly #batches: AsyncIterator<Batch>;
  /** A batch that did not fit into the chunk before it. */
  #held: Batch | undefined;
  /** The most bytes that a batch took while it was read. */
  #reading = 0;
  readonly #dictionaries = new WeakSet<Vector>();
  #rowCount = 0;
  #bytes = 0;

  /**
   * @param budget bytes of memory that the sort of a chunk may take.
   * @param places the columns to keep, by their places in the table.
   */
  constructor(opened: OpenedTables, budget: number, places: readonly number[]) {
    this.#opened = opened;
    this.#budget = budget;
    this.#places = places;
    this.#batches = this.#read();
  }

  /** The rows that were read. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** Bytes of all values that were read, of all columns. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Reads as many batches as can be sorted at once, but at least one.
   *
   * @param reserved bytes of memory that are taken by something else.
   * @throws InputError if an input is damaged, or if a batch is too large.
   */
  async next(reserved: number): Promise<Chunk> {
    const batches: Batch[] = [];
    const bytes = this.#places.map(() => 0);
    let rowCount = 0;
    for (;;) {
      const batch = this.#held ?? (await this.#nextBatch());
      this.#held = batch;
      if (!batch) break;
      const all = bytes.map((count, i) => count + batch.bytes[i]!);
      const sorting = bytesToSort(sum(all), rowCount + batch.rowCount);
      // As much without threads, so that their number does not change the output.
      const needed = sorting + this.#reading + threadBytes(this.#budget) + reserved;
      const fits =
        needed <= this.#budget &&
        all.every((count) => count <= MOST_BYTES) &&
        rowCount + batch.rowCount <= MOST_ROWS;
      if (!fits && batches.length > 0) break;
      batches.push(batch);
      this.#held = undefined;
      all.forEach((count, i) => {
        bytes[i] = count;
      });
      rowCount += batch.rowCount;
    }
    return { columns: this.#columns(batches), rowCount, isLast: this.#held === undefined };
  }

  async #nextBatch(): Promise<Batch | undefined> {
    const { done, value } = await this.#batches.next();
    return done ? undefined : value;
  }

  async *#read(): AsyncGenerator<Batch> {
    const { inputs, files, schema } = this.#opened;
    for (const [input, tableInput] of inputs.entries()) {
      const { name } = tableInput;
      const { title, piece } = files[input]!.format;
      for await (const { batch, number } of tableInput.batches()) {
        requireWhole(name, title, batch, schema.fields.length);
        // The length cannot be taken if a part is missing.
        const bytesOf = (data: Data) => data.byteLength + this.#dictionaryBytes(data);
        const all = await readingFrom(name, title, () => batch.data.children.map(bytesOf));
        const bytes = sum(this.#places.map((place) => all[place]!));
        const part = { batch: number, bytes, rows: batch.numRows };
        requireBatch({ name, piece }, this.#budget, part, tableInput.readingBytes(bytes));
        this.#reading = Math.max(this.#reading, tableInput.readingBytes(sum(all)));
        this.#rowCount += batch.numRows;
        this.#bytes += sum(all);
        yield {
          input,
          rowCount: batch.numRows,
          columns: this.#places.map((place) => batch.data.children[place]!),
          bytes: this.#places.map((place) => all[place]!),
        };
      }
    }
  }

  /** The bytes of dictionaries that no column before had. */
  #dictionaryBytes({ dictionary, children }: Data): number {
    const inside = children.reduce((all, child) => all + this.#dictionaryBytes(child), 0);
    if (!dictionary || this.#dictionaries.has(dictionary)) return inside;
    this.#dictionaries.add(dictionary);
    return inside + dictionary.byteLength;
  }

  #columns(batches: Batch[]): Column[] {
    const { inputs, files, schema } = this.#opened;
    const names = [...new Set(batches.map(({ input }) => inputs[input]!.name))].join(", ");
    const pieces = this.#places.map((_, i) => batches.map(({ columns }) => columns[i]!));
    batches.length = 0;
    return this.#places.map((place, i) => {
      const { name, type } = schema.fields[place]!;
      try {
        const whole = concatenateColumn(name, type, pieces[i]!);
        pieces[i] = []; // so that at most one column is in memory twice
        return whole;
      } catch (cause) {
        if (cause instanceof InputError) throw cause;
        const reason = new Error(`the column ${name} is damaged: ${(cause as Error).message}`);
        throw damaged(names, files[0]!.format.title, reason);
      }
    });
  }
}

function requireWhole(name: string, title: string, { data, numRows }: RecordBatch, columns: number): void {
  const { children } = data;
  if (Number.isSafeInteger(numRows) && numRows >= 0 && children.length === columns) {
    if (children.every(({ length }) => length === numRows)) return;
  }
  throw damaged(name, title, new Error("its columns have different numbers of rows"));
}
