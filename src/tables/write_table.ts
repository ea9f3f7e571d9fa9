import { VerifyError } from "../core/errors.js";
import { comparing } from "./compare.js";
import type { TableSink } from "./format.js";
import type { Key } from "./order.js";
import { type Arrow, loadArrow } from "./packages.js";
import type { Table } from "./read_table.js";
import { take } from "./take.js";
import { DataMaker } from "./to_data.js";

/** How the written rows are checked. */
export interface RowChecks {
  readonly keys: readonly Key[];
  /** Whether equal rows are wrong, too. */
  readonly unique: boolean;
}

/**
 * Writes rows of a table in an order, and ends the sink. The rows that are written are checked, not the plan:
 * each batch is compared row by row, and no row may be written twice.
 *
 * @param checks undefined to check nothing.
 * @param onRows is called with the number of rows of each batch that was written.
 * @throws VerifyError if the rows are not in order, or are not those of the table.
 */
export async function writeRows(
  table: Table,
  rows: Uint32Array,
  sink: TableSink,
  checks: RowChecks | undefined,
  onRows: (count: number) => void,
): Promise<void> {
  const arrow: Arrow = await loadArrow();
  const maker = new DataMaker(arrow);
  const { schema, columns, rowCount } = table;
  const written = checks && new Uint8Array(rowCount);
  const acrossBatches = checks && comparing(columns, checks.keys);
  for (let start = 0; start < rows.length; start += sink.batchRows) {
    const some = rows.subarray(start, start + sink.batchRows);
    const taken = columns.map((column) => take(column, some));
    if (checks) {
      requireOnce(some, written!);
      const first = start > 0 ? acrossBatches!(rows[start - 1]!, rows[start]!) : -1;
      requireOrder(first, rows, start, checks.unique);
      const compare = comparing(taken, checks.keys);
      for (let i = 1; i < some.length; i++) requireOrder(compare(i - 1, i), rows, start + i, checks.unique);
    }
    const children = taken.map((column) => maker.data(column));
    const type = new arrow.Struct(schema.fields);
    const data = arrow.makeData({ type, length: some.length, nullCount: 0, children });
    await sink.write(new arrow.RecordBatch(schema, data));
    onRows(some.length);
  }
  await sink.end();
}

/** @param order how the row before compares with the row at this place. Equal rows keep their order. */
function requireOrder(order: number, rows: Uint32Array, at: number, unique: boolean): void {
  if (order < 0 || (order === 0 && !unique && rows[at - 1]! < rows[at]!)) return;
  throw new VerifyError(`the sorted table is wrong: row ${at + 1} of it must not follow the one before it`, {
    hint: "the output was not written; sort on another device",
    options: ["device"],
  });
}

function requireOnce(rows: Uint32Array, written: Uint8Array): void {
  for (const row of rows) {
    if (row < written.length && written[row] === 0) written[row] = 1;
    else {
      throw new VerifyError(`the sorted table is wrong: row ${row + 1} of the input is in it twice`, {
        hint: "the output was not written; sort on another device",
        options: ["device"],
      });
    }
  }
}
