import type { Data } from "apache-arrow";
import { VerifyError } from "../core/errors.js";
import type { Column } from "./column.js";
import { comparing } from "./compare.js";
import type { TableSink } from "./format.js";
import { joinColumns } from "./join.js";
import type { Key } from "./order.js";
import { packedBytes } from "./pack.js";
import { loadArrow } from "./packages.js";
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
  /** @param columns are made one by one as they are asked for. */
  write(columns: Iterable<Column>, rowCount: number): Promise<void>;
  /** Completes the output. It is not published yet. */
  end(): Promise<void>;
  /** Waits for what is under way. Call it before the output is discarded, once no task is done any more. */
  stop(): Promise<void>;
}

/** Turns columns into the batches of a format. */
export async function tableRows(sink: TableSink): Promise<RowSink> {
  const maker = new DataMaker(await loadArrow());
  function* dataOf(columns: Iterable<Column>): Generator<Data> {
    for (const column of columns) yield maker.data(column);
  }
  return {
    batchRows: sink.batchRows,
    copies: sink.copies,
    write: (columns, rowCount) => sink.write(dataOf(columns), rowCount),
    end: () => sink.end(),
    stop: () => sink.stop(),
  };
}

/** Rows of columns, each column of which is copied when it is needed. */
class TakenRows {
  readonly #columns: readonly Column[];
  readonly #rows: Uint32Array;
  /** The columns that were copied, at their places. */
  readonly taken: (Column | undefined)[] = [];

  constructor(columns: readonly Column[], rows: Uint32Array) {
    this.#columns = columns;
    this.#rows = rows;
  }

  get width(): number {
    return this.#columns.length;
  }

  take(place: number): Column {
    const column = this.taken[place] ?? take(this.#columns[place]!, this.#rows);
    this.taken[place] = column;
    return column;
  }

  takeAll(): Column[] {
    return this.#columns.map((_, place) => this.take(place));
  }

  /** Takes a column and lets go of it. */
  give(place: number): Column {
    const column = this.take(place);
    this.taken[place] = undefined;
    return column;
  }
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
  #waiting: TakenRows[] = [];
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
  add(columns: readonly Column[], rows: Uint32Array, before?: number): Promise<void> {
    return this.#add(columns, rows, before, false);
  }

  /**
   * Adds the last rows, and ends as `end` does. Columns that are not compared are copied when they are written.
   *
   * @throws VerifyError if the rows are not in order.
   */
  async addLast(columns: readonly Column[], rows: Uint32Array): Promise<void> {
    await this.#add(columns, rows, undefined, true);
    await this.end();
  }

  /** @param mayHold whether the columns may stay in memory until the rows are written. */
  async #add(
    columns: readonly Column[],
    rows: Uint32Array,
    before: number | undefined,
    mayHold: boolean,
  ): Promise<void> {
    const acrossPieces = this.#checks && comparing(columns, this.#checks.keys);
    let last = before;
    for (let start = 0; start < rows.length; ) {
      const some = rows.subarray(start, start + this.#roomFor(columns));
      const piece = new TakenRows(columns, some);
      if (this.#checks) {
        const { keys } = this.#checks;
        for (const { place } of keys) piece.take(place);
        if (last !== undefined) this.#requireOrder(acrossPieces!(last, some[0]!), [last, some[0]!], 0);
        const compare = comparing(piece.taken as Column[], keys);
        for (let i = 1; i < some.length; i++) {
          this.#requireOrder(compare(i - 1, i), [some[i - 1]!, some[i]!], i);
        }
      }
      last = some.at(-1);
      start += some.length;
      this.#rows += some.length;
      this.#waiting.push(piece);
      this.#waitingRows += some.length;
      if (this.#mostBytes !== Number.POSITIVE_INFINITY) this.#waitingBytes += packedBytes(piece.takeAll());
      const isFull = this.#waitingRows === this.#sink.batchRows || this.#waitingBytes >= this.#mostBytes;
      if (isFull) await this.#flush();
      else if (!mayHold) piece.takeAll();
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
    await this.#sink.write(joinedColumns(waiting), count);
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

/** Lets go of each column once it was asked for. */
function* joinedColumns(pieces: readonly TakenRows[]): Generator<Column> {
  for (let place = 0; place < pieces[0]!.width; place++) {
    const columns = pieces.map((piece) => piece.give(place));
    yield columns.length === 1 ? columns[0]! : joinColumns(columns);
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
