import type { RecordBatch, Schema } from "apache-arrow";
import { allEnded } from "../core/all_ended.js";
import type { TaskRunner } from "./codec_tasks.js";
import type { ReadLimits } from "./format.js";
import { bytesToSort } from "./memory.js";
import type { Arrow } from "./packages.js";
import { besideEachOther, type ColumnPart, columnParts } from "./parquet_columns.js";
import {
  type Footer,
  groupOfColumns,
  isFlat,
  leafRanges,
  mostBytesInArrow,
  pagesFile,
  rangeOf,
  rowCountOf,
  singleGroupFile,
  unpackedBytes,
} from "./parquet_footer.js";
import { type BytesAt, type ColumnPages, findPages } from "./parquet_pages.js";
import type { ParquetTask } from "./parquet_tasks.js";
import type { ThriftStruct } from "./thrift.js";

/** The part of the memory that a piece takes: several of them are sorted together. */
const PIECE_SHARE = 1 / 4;
/** Pieces of fewer rows, or of fewer bytes, take too long, as each reads whole pages. */
const LEAST_ROWS = 1024;
const LEAST_BYTES = 1 << 17;
/** Rows may be so many times as long as was expected before fewer are read at a time. */
const TOLERANCE = 1.25;

/** What the pieces are read from. */
export interface PiecesOptions {
  readonly arrow: Arrow;
  readonly footer: Footer;
  readonly schema: Schema;
  readonly fileBytes: number;
  readonly bytesAt: BytesAt;
  readonly limits: ReadLimits;
  readonly tasks: TaskRunner;
  /** How many times the bytes of rows are in memory while they are read. */
  readonly copies: number;
  /** Reads the schema of a file that has this footer. */
  readonly schemaIn: (footer: Footer) => Promise<Schema>;
  /** The batches of a stream. It throws any error if they have another number of rows. */
  readonly batchesOf: (stream: Uint8Array, rowCount: number) => RecordBatch[];
}

/** Columns of a row group that are read together. */
interface GroupPart {
  readonly part: ColumnPart;
  readonly group: ThriftStruct;
  /** Those of a flat column: only some are read then. Undefined if all must be. */
  readonly pages: ColumnPages | undefined;
  /** Bytes of memory that its pages take, packed and unpacked. */
  readonly cost: number;
}

/**
 * Reads row groups that do not fit in memory, some rows of all columns at a time. Of a column whose rows are
 * single values, only those pages are read that have the rows, and the dictionary. Of nested ones all are, as
 * only their values are counted; `parquet-wasm` then skips rows.
 */
export class RowGroupPieces {
  readonly #options: PiecesOptions;
  #parts: Promise<ColumnPart[]> | undefined;
  /** Groups are asked about several at a time, but only one of them is measured. */
  #measured: Promise<void> | undefined;
  /** Bytes of a row in Arrow: the most that was seen. */
  #rowBytes = 0;
  #readingBytes = 0;

  constructor(options: PiecesOptions) {
    this.#options = options;
  }

  /** The most bytes of memory that pages took, packed and unpacked, besides the rows that were read from them. */
  get readingBytes(): number {
    return this.#readingBytes;
  }

  /**
   * Whether a row group is read in pieces.
   *
   * @param i its number, from 0.
   * @throws InputError if not even a piece of it fits in memory; any error if it is damaged.
   */
  async needed(i: number): Promise<boolean> {
    const group = this.#options.footer.groups[i]!;
    const [rows, bytes] = [rowCountOf(group), unpackedBytes(group)];
    if (rows === 0 || this.#costOf(mostBytesInArrow(group), rows) <= this.#options.limits.budget)
      return false;
    if (this.#rowBytes === 0) {
      this.#measured ??= this.#measure(i);
      await this.#measured;
    }
    return this.#costOf(Math.max(bytes, this.#rowBytes * rows), rows) > this.#options.limits.budget;
  }

  /** Reads the first rows of a group. */
  async #measure(i: number): Promise<void> {
    const group = this.#options.footer.groups[i]!;
    const count = this.#leastRows(rowCountOf(group), this.#expectedRowBytes(group));
    await this.#read(await this.#partsOf(i), { from: 0, count });
  }

  /** Reads a row group. @throws as `needed` does. */
  async *batches(i: number): AsyncGenerator<RecordBatch> {
    const { budget } = this.#options.limits;
    const group = this.#options.footer.groups[i]!;
    const rows = rowCountOf(group);
    const parts = await this.#partsOf(i);
    this.#readingBytes = Math.max(this.#readingBytes, mostCost(parts));
    for (let from = 0; from < rows; ) {
      const expected = this.#expectedRowBytes(group);
      const least = this.#leastRows(rows, expected);
      const free = (budget - this.#readingBytes) * PIECE_SHARE;
      const fitting = Math.floor(free / this.#costOf(expected, 1));
      const count = Math.min(rows - from, Math.max(least, fitting));
      const batches = await this.#read(parts, { from, count });
      const isTooLong = this.#rowBytes > TOLERANCE * expected;
      if (isTooLong && count > this.#leastRows(rows, this.#rowBytes)) continue; // fewer of them
      yield* batches;
      from += count;
    }
  }

  /** Bytes of memory that rows take while they are read and sorted. */
  #costOf(bytes: number, rows: number): number {
    return bytesToSort(bytes, rows) + this.#options.copies * bytes;
  }

  /** The first rows of a group may be much shorter than the mean one. */
  #expectedRowBytes(group: ThriftStruct): number {
    return Math.max(this.#rowBytes, unpackedBytes(group) / rowCountOf(group));
  }

  #leastRows(rows: number, rowBytes: number): number {
    return Math.max(1, Math.min(rows, LEAST_ROWS, Math.ceil(LEAST_BYTES / Math.max(1, rowBytes))));
  }

  /** Finds the pages of a row group. @throws InputError if they take too much memory. */
  async #partsOf(i: number): Promise<GroupPart[]> {
    const { arrow, footer, schema, schemaIn, limits } = this.#options;
    const group = footer.groups[i]!;
    const whole: ColumnPart = { columns: { from: 0, end: schema.fields.length }, footer };
    this.#parts ??= columnParts(arrow, footer, group, schema, schemaIn, { isEachAlone: true }).then(
      (parts) => parts ?? [whole],
    );
    const parts: GroupPart[] = [];
    for (const part of await this.#parts) parts.push(await this.#partOf(part, group));
    const cost = mostCost(parts);
    const rows = rowCountOf(group);
    const rowBytes = this.#expectedRowBytes(group);
    const least = this.#leastRows(rows, rowBytes);
    limits.require({
      batch: i + 1,
      bytes: least * rowBytes,
      rows: least,
      reading: cost + this.#options.copies * least * rowBytes,
    });
    return parts;
  }

  async #partOf(part: ColumnPart, whole: ThriftStruct): Promise<GroupPart> {
    const { footer, fileBytes, bytesAt } = this.#options;
    const { from, end } = part.columns;
    const group = groupOfColumns(footer, whole, part.columns);
    const leaves: (ColumnPages | undefined)[] = [];
    for (const range of leafRanges(group, fileBytes)) leaves.push(await findPages(range, bytesAt));
    const [pages] = leaves;
    const rows = pages?.data.reduce((sum, { values }) => sum + values, 0);
    const hasRows = end === from + 1 && isFlat(footer, from) && rows === rowCountOf(group);
    const { start, end: last } = rangeOf(group, fileBytes);
    const packed = hasRows ? mostOf(pages!, (page) => 2 * (page.end - page.start)) : last - start;
    const unpacked = leaves.map((leaf) => (leaf ? mostOf(leaf, (page) => page.unpackedBytes) : 0));
    // Packed pages are in the memory of JavaScript and in that of the package.
    const cost = 2 * packed + unpacked.reduce((sum, bytes) => sum + bytes, 0);
    return { part, group, pages: hasRows ? pages : undefined, cost };
  }

  /** Reads rows of all columns, as many of these at a time as threads may. */
  async #read(
    parts: readonly GroupPart[],
    { from, count }: { readonly from: number; readonly count: number },
  ): Promise<RecordBatch[]> {
    const { arrow, schema, tasks, copies, batchesOf } = this.#options;
    const columns: RecordBatch[][] = [];
    const bytes = mostCost(parts) + copies * this.#rowBytes * count;
    const atOnce = tasks.mostAtOnce(bytes);
    for (let start = 0; start < parts.length; start += atOnce) {
      const streams = await allEnded(
        parts.slice(start, start + atOnce).map(async (part) => {
          const task = await this.#taskOf(part, from, count);
          return tasks.run(task, bytes, [task.file.buffer as ArrayBuffer]);
        }),
      );
      columns.push(...streams.map((stream) => batchesOf(stream, count)));
    }
    const batches = columns.length === 1 ? columns[0]! : besideEachOther(arrow, schema, columns);
    const all = batches.reduce((sum, { data }) => sum + data.byteLength, 0);
    this.#rowBytes = Math.max(this.#rowBytes, all / count);
    return batches;
  }

  async #taskOf(
    { part, group, pages }: GroupPart,
    from: number,
    count: number,
  ): Promise<ParquetTask & { work: "unpack" }> {
    const { fileBytes, bytesAt } = this.#options;
    const task = { codec: "parquet", work: "unpack", rowCount: count } as const;
    if (!pages) {
      const range = rangeOf(group, fileBytes);
      const bytes = await bytesAt(range.start, range.end - range.start);
      return { ...task, file: singleGroupFile(part.footer, group, range, bytes), from };
    }
    const { dictionary, data } = pages;
    let first = 0;
    let before = 0;
    while (before + data[first]!.values <= from) before += data[first++]!.values;
    let [last, rows] = [first, data[first]!.values];
    while (before + rows < from + count) rows += data[++last]!.values;
    const [start, end] = [data[first]!.start, data[last]!.end];
    const head = dictionary
      ? await bytesAt(dictionary.start, dictionary.end - dictionary.start)
      : new Uint8Array(0);
    const file = pagesFile(part.footer, group, rows, head, await bytesAt(start, end - start));
    return { ...task, file, from: from - before };
  }
}

/** Columns are read one after the other if memory is short. */
const mostCost = (parts: readonly GroupPart[]) => Math.max(...parts.map(({ cost }) => cost));

/** What the dictionary and the largest page of data take together. */
function mostOf(
  { dictionary, data }: ColumnPages,
  cost: (page: ColumnPages["data"][number]) => number,
): number {
  return (dictionary ? cost(dictionary) : 0) + data.reduce((most, page) => Math.max(most, cost(page)), 0);
}
