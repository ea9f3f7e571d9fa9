import { VerifyError } from "../../core/errors.js";
import type { PhaseClock } from "../../core/streams/phase_clock.js";
import type { TableFormatName } from "../output_formats.js";
import {
  expectedSums,
  type OrderedRows,
  requireCounts,
  requireRowCount,
  type Selection,
  scanRows,
  surveyOf,
} from "./check.js";
import { csvSql } from "./csv_tables.js";
import type { DuckDb } from "./duckdb.js";
import type { OpenedTable } from "./open_tables.js";
import { parquetOptions, parquetSql } from "./parquet.js";
import { plainLinesOf } from "./rewrite_csv.js";
import { requireFaithful, schemaOf } from "./schema.js";
import {
  equalSql,
  type Key,
  nameSql,
  numberedSql,
  orderSql,
  rowHashSql,
  rowOf,
  type Source,
  textSql,
} from "./sql.js";

/** What is written. */
export interface TableOutput {
  readonly format: TableFormatName;
  /** The path of a file that exists, and is written anew. */
  readonly path: string;
  /** How it is named in messages. */
  readonly name: string;
  /** Of Parquet. Default: that of the input, else snappy; of CSV: "gzip" or "zstd". */
  readonly codec?: string | undefined;
  /** Between the fields of CSV. */
  readonly separator?: string | undefined;
}

/** The statement that gives the rows of a sorted table. */
function sortedSql(source: Source, { keys, unique, head }: Selection): string {
  const { from, columns } = source;
  const listed = (row: (place: number) => string) =>
    columns.map(({ name }, place) => `${row(place)} AS ${nameSql(name)}`).join(", ");
  const limit = head === undefined ? "" : ` LIMIT ${head}`;
  const order = `ORDER BY ${orderSql(source, keys)}`;
  if (!unique) return `SELECT ${listed(rowOf("t"))} FROM ${from} ${order}${limit}`;
  const sorted = `SELECT ${columns.map((_, place) => rowOf("t")(place)).join(", ")} FROM ${from} ${order}`;
  const before = keys.map(({ place }) => `lag(s.c${place}) OVER () AS p${place}`).join(", ");
  const rows = `SELECT s.*, ${before}, row_number() OVER () AS n FROM (${sorted}) s`;
  const isNew = `r.n = 1 OR NOT (${equalSql(keys, rowOf("r"), rowOf("r", "p"))})`;
  return `SELECT ${listed(rowOf("r"))} FROM (${rows}) r WHERE ${isNew}${limit}`;
}

/** What is known of rows before they are written. */
interface RowTraits {
  readonly rowCount: number;
  /** Whether a dictionary would make some of their floats the same. */
  readonly hasEqualFloats: boolean;
}

/** What DuckDB takes for a value in memory, besides its bytes. */
const VALUE_BYTES = 16;

/** The options of COPY for an output, and the parameters of the statement. */
async function optionsOf(
  duckDb: DuckDb,
  { format, codec, separator = "," }: TableOutput,
  { parquet, paths, columns }: OpenedTable,
  { rowCount, hasEqualFloats }: RowTraits,
) {
  if (format === "parquet") {
    const textBytes = paths.reduce((sum, { bytes }) => sum + bytes, 0) / Math.max(1, rowCount);
    const rowBytes = (parquet ? (parquet.rowBytes ?? 0) : textBytes) + VALUE_BYTES * columns.length;
    return parquetOptions({
      codec: codec ?? parquet?.codec ?? "snappy",
      like: parquet,
      isPlain: hasEqualFloats,
      mostRows: duckDb.rowGroupBytes / rowBytes,
    });
  }
  const options = [
    "FORMAT csv",
    "USE_TMP_FILE false",
    "HEADER true",
    `DELIMITER ${textSql(separator)}`,
    ...(codec === undefined ? [] : [`COMPRESSION ${codec}`]),
  ];
  return { sql: options.join(", "), parameters: {} };
}

/**
 * Says what DuckDB would change of Parquet, before anything is written.
 *
 * @param folder for a file without rows.
 * @returns what the user must be told of.
 * @throws InputError if a column would not be in the output as it is.
 */
export async function requireFaithfulOutput(
  duckDb: DuckDb,
  table: OpenedTable,
  selection: Selection,
  folder: string,
): Promise<string[]> {
  const { parquet, paths } = table;
  if (!parquet) return [];
  const path = `${folder}/schema`;
  const none = { rowCount: 0, hasEqualFloats: false };
  const { sql, parameters } = await optionsOf(duckDb, { format: "parquet", path, name: path }, table, none);
  const rows = sortedSql(table, { ...selection, unique: false, head: 0 });
  await duckDb.rows(`COPY (${rows}) TO ${textSql(path)} (${sql})`, parameters);
  return [
    ...parquet.losses,
    ...requireFaithful(paths[0]!.name, parquet.schema, await schemaOf(duckDb, path)),
  ];
}

/** How a table was sorted. */
export interface SortedTable {
  /** Rows of the inputs. */
  readonly rowCount: number;
  /** Rows of the output. */
  readonly written: number;
}

/** What a sort of a table gets besides. */
export interface TableSortTools {
  readonly verify: boolean;
  readonly clock: PhaseClock;
  /** Gets the part of the sort that is done, from 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/**
 * Sorts a table to a file, stably, and checks the file: its rows, by their number and by sums of their hashes,
 * and their order. The sort is DuckDB's; the sums of the rows to write are computed without sorting.
 *
 * @throws InputError if an input cannot be read; VerifyError if the file does not hold what it must.
 */
export async function sortTable(
  duckDb: DuckDb,
  table: OpenedTable,
  selection: Selection,
  output: TableOutput,
  { verify, clock, onProgress }: TableSortTools,
): Promise<SortedTable> {
  const { keys, unique, head } = selection;
  const asText = output.format === "csv";
  const rows = { ...table, hash: rowHashSql(table.columns, { asText }) };
  // One after the other: side by side, both took longer than in turns.
  if (verify && table.parquet) await requireCounts(duckDb, table.parquet, table.paths);
  const survey = () => surveyOf(duckDb, table, verify ? rows.hash : undefined);
  const { sums: all, hasEqualFloats } = await clock.time("read", 0, survey);
  const traits = { rowCount: Number(all[0]), hasEqualFloats };
  requireRowCount(table, traits.rowCount);
  const { sql, parameters } = await optionsOf(duckDb, output, table, traits);
  const copy = `COPY (${sortedSql(table, selection)}) TO ${textSql(output.path)} (${sql})`;
  const [copied] = await clock.time("sort", 0, () => duckDb.rows<[string]>(copy, parameters, onProgress));
  const written = Number(copied![0]);
  if (!verify) return { rowCount: traits.rowCount, written };
  await clock.time("verify", 0, async () => {
    const result = await resultOf(duckDb, output, table, keys, written);
    const names = keys.map(({ place }) => rowOf("t")(place)).join(", ");
    const last = `(SELECT ${names} FROM ${result.from} WHERE t.file_row_number = ${written - 1})`;
    const isPart = unique || head !== undefined;
    const expected = isPart ? await expectedSums(duckDb, rows, selection, last) : all;
    const scan = await scanRows(duckDb, result, keys);
    if (`${expected}` !== `${scan.sums}` || Number(scan.sums[0]) !== written)
      throw wrong(output.name, "holds other rows than it must");
    if (scan.inversions > 0) throw wrong(output.name, "is not in order");
  });
  return { rowCount: traits.rowCount, written };
}

/** The rows of an output, in which the keys have their types. */
async function resultOf(
  { memoryBytes }: DuckDb,
  { format, path, separator = ",", codec }: TableOutput,
  { columns, place }: Source,
  keys: readonly Key[],
  written: number,
): Promise<OrderedRows> {
  if (format === "parquet")
    return { from: parquetSql([path], columns.length), place, hash: rowHashSql(columns), count: written };
  const names = columns.map(({ name }) => name);
  const casts = keys.map(({ place, type }) => `c${place}::${type} AS c${place}`);
  const texts = names.map((_, place) => `c${place} AS x${place}`);
  const isPlain = codec === undefined && (await plainLinesOf(path)) !== undefined;
  const from = numberedSql(
    [...casts, ...texts],
    csvSql([path], { separator, names, header: true, memoryBytes, isPlain, codec }),
  );
  return {
    from,
    hash: `hash(${names.map((_, place) => `t.x${place}`).join(", ")})`,
    place,
    count: undefined,
  };
}

const wrong = (name: string, what: string) =>
  new VerifyError(`what DuckDB wrote for ${name} ${what}`, {
    hint: "run again, and check the input with another reader, such as pyarrow; if that finds no fault, report it with the versions of gpusort and DuckDB",
  });
