import { comparing } from "../tables/compare.js";
import { limitsOf, openTables, readTable, type TableFile } from "../tables/read_table.js";
import { keysOf } from "../tables/schema.js";
import { defaultMemoryBytes } from "./memory.js";
import type { SortFileOptions } from "./sort_options.js";
import { refuseOptions } from "./table_options.js";

/**
 * Finds the first row of tables that must not follow the one before it. Several tables are checked as one.
 * Closes the files.
 *
 * @param unique whether equal rows count as out of order, too.
 * @returns the row's number, from 0; undefined if all rows are in order.
 * @throws InputError as `sortTables` does.
 */
export async function findTableDisorder(
  files: readonly TableFile[],
  unique: boolean,
  options: SortFileOptions,
): Promise<number | undefined> {
  try {
    refuseOptions(files, options);
    const names = files.map(({ file }) => file.name);
    const limits = limitsOf(names, options.memoryBytes ?? defaultMemoryBytes());
    const opened = await openTables(files, limits);
    const keys = keysOf(opened.schema, options.by ?? [], options.descending ?? false);
    const { columns, rowCount } = await readTable(opened, files, limits);
    const compare = comparing(columns, keys);
    for (let row = 1; row < rowCount; row++) {
      const order = compare(row - 1, row);
      if (order > 0 || (unique && order === 0)) return row;
    }
    return undefined;
  } finally {
    for (const { file } of files) await file.close();
  }
}
