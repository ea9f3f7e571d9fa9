import { temporaryFolder } from "../outputs.js";
import type { SortFileOptions } from "../sort_options.js";
import { scanRows, type TableFindings } from "./check.js";
import { type TableFiles, withTables } from "./open_tables.js";
import { type Key, rowHashSql } from "./sql.js";

/** What was found in tables, and the columns that they are expected to be sorted by. */
export interface CheckedTables extends TableFindings {
  readonly keys: readonly Key[];
}

/**
 * Counts the rows of tables, those that must not follow the row before them, and those with its keys, and adds
 * up hashes of all. Several files are one table.
 *
 * @throws InputError as `sortTables` does.
 */
export async function checkTables(files: TableFiles, options: SortFileOptions): Promise<CheckedTables> {
  const within = temporaryFolder("/dev/null", options.tempDir); // nothing is written
  return withTables(files, options, within, async ({ duckDb, table, keys }) => {
    const rows = { ...table, hash: rowHashSql(table.columns), count: undefined };
    const findings = await scanRows(duckDb, rows, keys);
    for (const file of files.files) await file.checkUnchanged();
    return { ...findings, keys };
  });
}
