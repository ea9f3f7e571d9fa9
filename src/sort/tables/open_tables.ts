import { makePrivateFolder } from "../../files/temporary/temporary.js";
import { isColumnNumber } from "../../formats/csv_order.js";
import { usableThreads } from "../../threads/count.js";
import type { KnownInputs } from "../inputs.js";
import { defaultMemoryBytes } from "../memory.js";
import type { SortFileOptions } from "../sort_options.js";
import { DuckDb } from "./duckdb.js";
import { type OpenedTable, openTable, pathsOf, tableKeys, unnamedColumns } from "./open_table.js";
import type { Key } from "./sql.js";

/** Open files that DuckDB reads. */
export type TableFiles = Pick<KnownInputs, "files" | "table">;

/** Tables as DuckDB has them. */
export interface OpenedTables {
  readonly duckDb: DuckDb;
  readonly table: OpenedTable;
  /** The columns to sort by. */
  readonly keys: readonly Key[];
  /** A folder for temporary files, which is removed afterwards. */
  readonly folder: string;
}

/**
 * Opens tables of some open files by DuckDB, and uses them.
 *
 * @param within the folder for temporary files.
 * @throws InputError if no columns of text are named, if DuckDB is not installed, or if a file cannot be read.
 */
export async function withTables<T>(
  { files, table: kind = "parquet" }: TableFiles,
  options: SortFileOptions,
  within: string,
  use: (opened: OpenedTables) => Promise<T>,
): Promise<T> {
  const [{ name }] = files as [(typeof files)[number]];
  if (kind !== "parquet" && !options.by?.length) throw unnamedColumns(name);
  const folder = await makePrivateFolder(within);
  let duckDb: DuckDb | undefined;
  try {
    const paths = await pathsOf(files, kind, folder.path);
    duckDb = await DuckDb.open({
      memoryBytes: options.memoryBytes ?? defaultMemoryBytes(),
      threads: usableThreads(options.threads),
      folder: folder.path,
      signal: options.signal,
      names: new Map(paths.map((one) => [one.path, one.name])),
    });
    const { by, header, rows, descending = false } = options;
    const table = await openTable(duckDb, kind, paths, files, {
      header: header ?? by?.some(({ column }) => !isColumnNumber(column)) ?? false,
      separator: rows?.separator,
    });
    return await use({ duckDb, table, keys: tableKeys(table, by, descending, name), folder: folder.path });
  } finally {
    await duckDb?.close();
    await folder.remove();
  }
}
