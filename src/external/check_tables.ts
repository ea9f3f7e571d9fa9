import { TableChunks } from "../tables/chunks.js";
import type { Column } from "../tables/column.js";
import { comparing } from "../tables/compare.js";
import { joinTables } from "../tables/join.js";
import { openTables, type TableFile } from "../tables/open_tables.js";
import type { Key } from "../tables/order.js";
import { keysOf } from "../tables/schema.js";
import { SharedDictionaries } from "../tables/shared_dictionaries.js";
import { take } from "../tables/take.js";
import { defaultMemoryBytes } from "./memory.js";
import { temporaryFolder } from "./outputs.js";
import type { SortFileOptions } from "./sort_options.js";
import { spoolTables } from "./spool_tables.js";
import { refuseOptions } from "./table_options.js";
import { tableTasks } from "./table_tasks.js";

/**
 * Finds the first row of tables that must not follow the one before it. Several tables are checked as one.
 * They are read in parts that fit in memory. Closes the files.
 *
 * @param unique whether equal rows count as out of order, too.
 * @returns the row's number, from 0; undefined if all rows are in order.
 * @throws InputError as `sortTables` does.
 */
export async function findTableDisorder(
  found: readonly TableFile[],
  unique: boolean,
  options: SortFileOptions,
): Promise<number | undefined> {
  const files = [...found];
  const budget = options.memoryBytes ?? defaultMemoryBytes();
  const tasks = tableTasks(options.threads, budget);
  try {
    refuseOptions(files, options);
    await spoolTables(files, temporaryFolder("/dev/null", options.tempDir)); // nothing is written
    const opened = await openTables(files, budget, tasks);
    const named = keysOf(opened.schema, options.by ?? [], options.descending ?? false);
    const keys = named.map((key, place) => ({ ...key, place }));
    const chunks = new TableChunks(
      opened,
      budget,
      named.map(({ place }) => place),
    );
    let last: Column[] | undefined;
    for (let start = 0; ; ) {
      const { columns, rowCount, isLast } = await chunks.next(0);
      const isWrong = (order: number) => order > 0 || (unique && order === 0);
      if (last && rowCount > 0 && isWrong(acrossChunks(last, rowOf(columns, 0), keys))) return start;
      const compare = comparing(columns, keys);
      for (let row = 1; row < rowCount; row++) if (isWrong(compare(row - 1, row))) return start + row;
      if (isLast) return undefined;
      if (rowCount > 0) last = rowOf(columns, rowCount - 1);
      start += rowCount;
    }
  } finally {
    await tasks.close();
    for (const { file } of files) await file.close();
  }
}

const rowOf = (columns: readonly Column[], row: number) =>
  columns.map((column) => take(column, Uint32Array.of(row)));

/** Compares a row of one chunk with a row of another one, which may have other dictionaries. */
function acrossChunks(one: readonly Column[], other: readonly Column[], keys: readonly Key[]): number {
  const dictionaries = new SharedDictionaries();
  const names = keys.map(({ name }) => name);
  const rows = [one, other].map((columns) => dictionaries.add(columns, names));
  return comparing(joinTables(rows.map((columns) => dictionaries.complete(columns))), keys)(0, 1);
}
