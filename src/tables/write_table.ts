import type { Schema } from "apache-arrow";
import { VerifyError } from "../core/errors.js";
import type { Column } from "./column.js";
import { comparing } from "./compare.js";
import type { TableSink } from "./format.js";
import { joinTables } from "./join.js";
import type { Key } from "./order.js";
import { packedBytes } from "./pack.js";
import { type Arrow, loadArrow } from "./packages.js";
import { take } from "./take.js";
import { DataMaker } from "./to_data.js";

/** How the written rows are checked. */
export interface RowChecks {
  readonly keys: readonly Key[];
  /** Whether equal rows are wrong, too. */
  readonly unique: boolean;
}

/** Takes rows of a table in order. */
export interface RowSink {
  /** How many rows are written at a time, but for the last. */
  readonly batchRows: number;
  /** How many times the bytes of a batch are in memory while it is written. */
  readonly copies: number;
  write(columns: readonly Column[], rowCount: number): Promise<void>;
  /** Completes the output. It is not published yet. */
  end(): Promise<void>;
}

/** Turns columns into the batches of a format. */
export async function tableRows(schema: Schema, sink: TableSink): Promise<RowSink> {
  const arrow: Arrow = await loadArrow();
  const maker = new DataMaker(arrow);
  return {
    batchRows: sink.batchRows,
    copies: sink.copies,
    async write(columns, length) {
      const children = columns.map((column) => maker.data(column));
      const type = new arrow.Struct(schema.fields);
      await sink.write(
        new arrow.RecordBatch(schema, arrow.makeData({ type, length, nullCount: 0, children })),
      );
    },
    end: () => sink.end(),
  };
}

/**
 * Writes rows in an order, in batches of the sink's size. The rows that are written are checked, not the
 * plan: each batch is compared row by row.
 */
export class TableWriter {
  readonly #sink: RowSink;
  readonly #checks: RowChecks | undefined;
  readonly #mostBytes: number;
  readonly #onRows: (count: number) => void;
  /** Rows of the next batch. */
  #waiting: Column[][] = [];
  #waitingRows = 0;
  #waitingBytes = 0;
  #rows = 0;

  /**
   * @param checks undefined to check nothing.
   * @param mostBytes a batch that has so many bytes is written although it has fewer rows than the sink wants.
   * @param onRows is called with the number of rows of each batch that was written.
   */
  constructor(
    sink: RowSink,
    checks: RowChecks | undefined,
    onRows: (count: number) => void,
    mostBytes = Number.POSITIVE_INFINITY,
  ) {
    this.#sink = sink;
    this.#checks = checks;
    this.#onRows = onRows;
    this.#mostBytes = mostBytes;
  }

  /** The rows that were added. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * Adds rows.
   *
   * @param rows their places in the columns.
   * @param before the place of the row that was added last, if it is in the columns.
   * @throws VerifyError if they are not in order.
   */
  async add(columns: readonly Column[], rows: Uint32Array, before?: number): Promise<void> {
    const acrossPieces = this.#checks && comparing(columns, this.#checks.keys);
    let last = before;
    for (let start = 0; start < rows.length; ) {
      const some = rows.subarray(start, start + this.#roomFor(columns));
      const taken = columns.map((column) => take(column, some));
      if (this.#checks) {
        if (last !== undefined) this.#requireOrder(acrossPieces!(last, some[0]!), [last, some[0]!], 0);
        const compare = comparing(taken, this.#checks.keys);
        for (let i = 1; i < some.length; i++) {
          this.#requireOrder(compare(i - 1, i), [some[i - 1]!, some[i]!], i);
        }
      }
      last = some.at(-1);
      start += some.length;
      this.#rows += some.length;
      this.#waiting.push(taken);
      this.#waitingRows += some.length;
      if (this.#mostBytes !== Number.POSITIVE_INFINITY) this.#waitingBytes += packedBytes(taken);
      if (this.#waitingRows === this.#sink.batchRows || this.#waitingBytes >= this.#mostBytes)
        await this.#flush();
    }
  }

  /** Writes what is left, and ends the sink. */
  async end(): Promise<void> {
    if (this.#waitingRows > 0) await this.#flush();
    await this.#sink.end();
  }

  /** How many rows may be taken before the next look at the bytes that wait. */
  #roomFor(columns: readonly Column[]): number {
    const room = this.#sink.batchRows - this.#waitingRows;
    if (this.#mostBytes === Number.POSITIVE_INFINITY) return room;
    const perRow = packedBytes(columns) / Math.max(1, columns[0]!.length);
    return Math.max(1, Math.min(room, Math.ceil((this.#mostBytes - this.#waitingBytes) / perRow)));
  }

  async #flush(): Promise<void> {
    const [waiting, count] = [this.#waiting, this.#waitingRows];
    [this.#waiting, this.#waitingRows, this.#waitingBytes] = [[], 0, 0];
    await this.#sink.write(waiting.length === 1 ? waiting[0]! : joinTables(waiting), count);
    this.#onRows(count);
  }

  /**
   * @param order how two rows compare that are to follow each other. Equal rows keep their order.
   * @param at the second one's place among the rows that are added next.
   */
  #requireOrder(order: number, [before, row]: readonly [number, number], at: number): void {
    if (order < 0 || (order === 0 && !this.#checks!.unique && before < row)) return;
    throw sortedWrongly(`row ${this.#rows + at + 1} of it must not follow the one before it`);
  }
}

/** Marks rows as seen. @throws VerifyError if they are not all different rows of a table. */
export function requireOnce(rows: Uint32Array, rowCount: number): void {
  const seen = new Uint8Array(rowCount);
  for (const row of rows) {
    if (seen[row] !== 0) throw sortedWrongly(`row ${row + 1} of the input is in it twice`);
    seen[row] = 1;
  }
}

/** The error for a result that is wrong. */
export function sortedWrongly(what: string): VerifyError {
  return new VerifyError(`the sorted table is wrong: ${what}`, {
    hint: "the output was not written; sort on another device",
    options: ["device"],
  });
}
