import { InputError } from "../../core/errors.js";
import { temporaryFolder } from "../outputs.js";
import type { SortFileOptions } from "../sort_options.js";
import type { DuckDb } from "./duckdb.js";
import { type OpenedTable, type TableFiles, withTables } from "./open_tables.js";
import { type ParquetSource, parquetSql, type TablePath } from "./parquet.js";
import type { SchemaNode } from "./schema.js";
import {
  equalFloatsSql,
  equalSql,
  type Key,
  pathSql,
  precedesSql,
  rowHashSql,
  rowOf,
  type Source,
  textSql,
} from "./sql.js";

/** The number of some rows, and sums of their hashes that do not depend on their order, as texts. */
export type TableSums = readonly [count: string, xor: string | null, sum: string | null];

const sumsSql = (hash: string) => `count(*), bit_xor(${hash}), sum(${hash})`;
const SUMS = sumsSql("h");

/** Which rows of the source are written. */
export interface Selection {
  readonly keys: readonly Key[];
  /** Whether the first row alone is written of those with equal keys. */
  readonly unique: boolean;
  /** How many of the first rows are written; undefined for all. */
  readonly head: number | undefined;
}

/** Rows that are summed up. */
export interface PlacedRows {
  readonly from: string;
  /** What makes a hash of a row. */
  readonly hash: string;
  /** The place of a row, which tells which of equal ones is the first. */
  readonly place: string;
}

/**
 * Counts and sums up the rows of a table, and finds out whether a dictionary would make some of its floats the
 * same.
 *
 * @param hash undefined if the rows need only be counted.
 */
export async function surveyOf(duckDb: DuckDb, { from, columns }: Source, hash: string | undefined) {
  const sums = hash === undefined ? "count(*), NULL, NULL" : sumsSql(hash);
  const [row] = await duckDb.rows<[...TableSums, hasEqualFloats: boolean]>(
    `SELECT ${sums}, ${equalFloatsSql(columns)} FROM ${from}`,
  );
  const [count, xor, sum, hasEqualFloats] = row!;
  return { sums: [count, xor, sum] as TableSums, hasEqualFloats };
}

/**
 * Counts and sums up the rows that a sort must write, without sorting them.
 *
 * @param last a relation of one row: the last one that was written.
 */
export async function expectedSums(
  duckDb: DuckDb,
  { from, hash, place }: PlacedRows,
  { keys, unique, head }: Selection,
  last: string,
): Promise<TableSums> {
  const names = keys.map(({ place }) => rowOf("t")(place)).join(", ");
  const rows = unique
    ? `SELECT arg_min(${hash}, ${place}) h, min(${place}) p, ${names} FROM ${from} GROUP BY ${names}`
    : `SELECT ${hash} h, ${place} p, ${names} FROM ${from}`;
  if (head === undefined) return (await duckDb.rows<TableSums>(`SELECT ${SUMS} FROM (${rows})`))[0]!;
  // All rows before the last one that was written, and as many of those with its keys as there is room for.
  const before = precedesSql(keys, rowOf("r"), rowOf("l"));
  const sql = `WITH up AS MATERIALIZED (
      SELECT h, p, ${before} b FROM (${rows}) r, ${last} l
      WHERE ${before} OR (${equalSql(keys, rowOf("r"), rowOf("l"))})
    ), room AS (SELECT greatest(0, ${head} - count(*)) n FROM up WHERE b)
    SELECT ${SUMS} FROM (
      SELECT h FROM up WHERE b UNION ALL
      (SELECT h FROM up WHERE NOT b ORDER BY p LIMIT (SELECT n FROM room)))`;
  return (await duckDb.rows<TableSums>(sql))[0]!;
}

/** @throws InputError if DuckDB has not found as many rows as were counted without it. */
export function requireRowCount({ paths, rowCount }: OpenedTable, found: number): void {
  if (rowCount === undefined || rowCount === found) return;
  const names = paths.map(({ name }) => name).join(", ");
  throw new InputError(`DuckDB reads ${found} rows of ${names}, which has ${rowCount}`, {
    hint: "report it with the versions of gpusort and DuckDB; sort the file as CSV instead",
  });
}

/** Rows in order: each is compared with the one before it. */
export interface OrderedRows extends PlacedRows {
  /** How many there are, if a range of them can be read without those before it; else undefined. */
  readonly count: number | undefined;
}

/** What a scan over rows found. */
interface TableFindings {
  readonly sums: TableSums;
  /** How many rows must not follow the row before them. */
  readonly inversions: number;
  /** The first of these, from 0; undefined if there is none. */
  readonly firstInversion: number | undefined;
  /** How many rows have the keys of the row before them. */
  readonly duplicates: number;
  /** The first row, from 0, that has the keys of the row before it; undefined if there is none. */
  readonly firstDuplicate: number | undefined;
}

/** With fewer rows, the start of a query takes as long as its rows. */
const LEAST_RANGE = 1 << 19;

/**
 * Sums up rows, and compares the keys of each with those of the row before it, in one scan. A window without an
 * order goes through the rows as they are read, on one thread, so each thread gets a range of them.
 */
export async function scanRows(
  duckDb: DuckDb,
  { from, hash, count }: OrderedRows,
  keys: readonly Key[],
): Promise<TableFindings> {
  const columns = keys.map(({ place }) => `t.c${place}, lag(t.c${place}) OVER () p${place}`).join(", ");
  const [row, before] = [rowOf("r"), rowOf("r", "p")];
  const scan = async (begin: number, end: number | undefined) => {
    // A range begins with the last row of the one before it, where that is counted.
    const range = end === undefined ? "" : `WHERE t.file_row_number BETWEEN ${begin - 1} AND ${end - 1}`;
    const counted = `FILTER (n >= ${begin})`;
    type Scanned = [
      ...TableSums,
      wrong: string,
      first: string | null,
      same: string,
      firstSame: string | null,
    ];
    const [scanned] = await duckDb.rows<Scanned>(
      `SELECT count(*) ${counted}, bit_xor(h) ${counted}, sum(h) ${counted},
         count(*) FILTER (w), min(n) FILTER (w), count(*) FILTER (s), min(n) FILTER (s)
       FROM (
         SELECT h, n, b AND ${precedesSql(keys, row, before)} w, b AND ${equalSql(keys, row, before)} s
         FROM (
           SELECT ${hash} h, row_number() OVER () - 1 + ${Math.max(0, begin - 1)} n,
             lag(true, 1, false) OVER () b, ${columns}
           FROM ${from} ${range}
         ) r
       )`,
    );
    return scanned!;
  };
  const ranges = Math.max(1, Math.min(duckDb.threads, Math.floor((count ?? 0) / LEAST_RANGE)));
  const cut = (i: number) => Math.floor((i * count!) / ranges);
  const parts =
    ranges === 1
      ? [await scan(0, undefined)]
      : await duckDb.all(Array.from({ length: ranges }, (_, i) => scan(cut(i), cut(i + 1))));
  const sum = (i: 0 | 2 | 3 | 5) => parts.reduce((total, part) => total + BigInt(part[i] ?? 0), 0n);
  const first = (i: 4 | 6) => parts.map((part) => part[i]).find((one) => one !== null);
  const placeOf = (text: string | null | undefined) => (text == null ? undefined : Number(text));
  const isEmpty = sum(0) === 0n;
  const xor = parts.reduce((all, [, one]) => all ^ BigInt(one ?? 0), 0n);
  return {
    sums: [`${sum(0)}`, isEmpty ? null : `${xor}`, isEmpty ? null : `${sum(2)}`],
    inversions: Number(sum(3)),
    firstInversion: placeOf(first(4)),
    duplicates: Number(sum(5)),
    firstDuplicate: placeOf(first(6)),
  };
}

/**
 * Compares how many values nested columns have with what the footers of Parquet files say, because DuckDB does
 * not notice damaged lists. It notices no damage of a page but by what that unpacks to.
 *
 * @throws InputError if they differ.
 */
export async function requireCounts(duckDb: DuckDb, { schema }: ParquetSource, files: readonly TablePath[]) {
  const leaves = schema.flatMap((node, place) => leafCountsSql(node, rowOf("t")(place), false));
  const nested = leaves.flatMap((sql, i) => (sql.startsWith("count(t.") ? [] : [i]));
  if (nested.length === 0) return;
  const counts = nested.map((i) => leaves[i]).join(", ");
  const check = async ({ path, name }: TablePath) => {
    const stated = await duckDb
      .rows<[values: string | null, isUnknown: boolean]>(
        `SELECT sum(num_values - stats_null_count), bool_or(stats_null_count IS NULL)
         FROM parquet_metadata(${pathSql(path)}) GROUP BY column_id ORDER BY column_id`,
      )
      .catch(() => []); // DuckDB fails on some statistics: see layoutOf
    if (stated.length === 0) return;
    const [counted] = await duckDb.rows<string[]>(
      `SELECT ${counts} FROM ${parquetSql([path], schema.length)}`,
    );
    for (const [at, i] of nested.entries()) {
      const [values, isUnknown] = stated[i]!;
      if (isUnknown || Number(values) === Number(counted![at])) continue;
      throw new InputError(
        `${name} is damaged: a column holds another number of values than its footer says`,
        {
          hint: "copy or write it again",
        },
      );
    }
  };
  await duckDb.all(files.map(check));
}

/**
 * Expressions that count the values of the leaves of a column.
 *
 * @param isList whether `value` is a list of them.
 */
function leafCountsSql({ type, children }: SchemaNode, value: string, isList: boolean): string[] {
  const [only] = children;
  const each = (part: (one: string) => string) =>
    isList ? `list_transform(${value}, lambda x: ${part("x")})` : part(value);
  if (!only) return [isList ? `sum(list_count(${value}))` : `count(${value})`];
  if (type === "LIST") return leafCountsSql(only.children[0]!, isList ? `flatten(${value})` : value, true);
  if (type === "MAP") {
    const part = (take: string) =>
      isList ? `flatten(${each((one) => `${take}(${one})`)})` : `${take}(${value})`;
    return only.children.flatMap((child, i) =>
      leafCountsSql(child, part(i === 0 ? "map_keys" : "map_values"), true),
    );
  }
  return children.flatMap((child) =>
    leafCountsSql(
      child,
      each((one) => `struct_extract(${one}, ${textSql(child.name)})`),
      isList,
    ),
  );
}

/** What was found in tables, and the columns that they are expected to be sorted by. */
export interface CheckedTables extends TableFindings {
  readonly keys: readonly Key[];
  /** What is read otherwise than it is written, a line for each. */
  readonly notices: readonly string[];
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
    requireRowCount(table, Number(findings.sums[0]));
    for (const file of files.files) await file.checkUnchanged();
    return { ...findings, keys, notices: table.notices };
  });
}
