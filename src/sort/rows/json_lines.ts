import { InputError } from "../../core/errors.js";
import type { InputFile } from "../../files/input_file.js";
import type { SortColumn } from "../../formats/sort_column.js";
import { holdsJsonLines } from "../../kinds/json.js";

/**
 * Lines of JSON are sorted as lines. DuckDB sorts them by columns, and so does gpusort where it writes Parquet.
 *
 * @throws InputError if an input is lines of JSON; its hint is a command that sorts it by the columns.
 */
export async function refuseJsonLines(file: InputFile, by: readonly SortColumn[]): Promise<void> {
  if (!(await holdsJsonLines(file))) return;
  const path = /^[\w./+-]+$/.test(file.name) && file.byteLength !== undefined ? file.name : "FILE";
  const columns = by.map(({ column, descending }) => {
    const name = /^[a-z_]\w*$/i.test(column) ? column : "COLUMN";
    return descending ? `${name} DESC` : name;
  });
  const query = `SELECT * FROM '${path}' ORDER BY ${columns.join(", ")}`;
  throw new InputError(`${file.name} holds lines of JSON, which are sorted as lines and not by columns`, {
    hint: [
      `sort them with DuckDB: duckdb -c "COPY (${query}) TO 'sorted.jsonl' (FORMAT json)";`,
      "or write Parquet, which is sorted by columns, as sorted.parquet",
    ].join(" "),
    options: ["output"],
  });
}
