import { InputError } from "../../core/errors.js";
import type { DuckDb } from "./duckdb.js";
import type { OpenedTable } from "./open_table.js";
import { parquetSql } from "./parquet.js";
import { type Key, pathSql, rowOf } from "./sql.js";

/** The most rows whose numbers fit 32 bits. */
const MOST_INDICES = 2 ** 32;

/**
 * Makes a table of the keys of another one, and of the number of each row in all of its inputs, from 0, which
 * is the last column.
 */
export async function withRowNumbers(duckDb: DuckDb, table: OpenedTable, keys: readonly Key[]) {
  const index = table.parquet ? await indexSql(duckDb, table) : "t.file_row_number";
  const columns = [...keys, { name: "index", type: "BIGINT" }];
  const values = [...keys.map(({ place }) => rowOf("t")(place)), index].map(
    (value, i) => `${value} AS c${i}`,
  );
  const from = `(SELECT ${values.join(", ")}, ${table.parquet ? "t.file_index, " : ""}t.file_row_number FROM ${table.from}) AS t`;
  const renumbered = keys.map((key, place) => ({ ...key, place }));
  const named = columns.map(({ type }, place) => ({ name: `c${place}`, type }));
  return { table: { ...table, from, columns: named, parquet: undefined }, keys: renumbered };
}

/** The rows of all files before that of a row, and its number in its own. */
async function indexSql(duckDb: DuckDb, { paths }: OpenedTable): Promise<string> {
  const starts: number[] = [0];
  for (const { path } of paths) {
    const [row] = await duckDb.rows<[string]>(`SELECT num_rows FROM parquet_file_metadata(${pathSql(path)})`);
    starts.push(starts.at(-1)! + Number(row![0]));
  }
  if (starts.at(-1)! > MOST_INDICES) {
    throw new InputError(`the numbers of ${starts.at(-1)} rows do not fit 32 bits`, {
      hint: "sort the rows themselves",
      options: ["argsort"],
    });
  }
  return `[${starts.join(", ")}][(t.file_index + 1)::BIGINT] + t.file_row_number`;
}

/** The statement that gives the last column of a Parquet file. @param count how many columns it has. */
export const lastColumnSql = (path: string, count: number): string =>
  `SELECT ${rowOf("t")(count - 1)} FROM ${parquetSql([path], count)}`;
