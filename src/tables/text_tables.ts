import { InputError } from "../core/errors.js";
import type { DuckDb } from "./duckdb.js";
import { columnsOf, type TablePath } from "./parquet.js";
import { type Column, nameSql, pathSql, placeSql, type Source, textSql } from "./sql.js";

/** What CSV is written or read with. */
export interface CsvStyle {
  /** The character between two fields. */
  readonly separator: string;
  /** The names of the columns. */
  readonly names: readonly string[];
  /** Whether the first row is their names. */
  readonly header: boolean;
  /** How it is packed: "gzip" or "zstd"; undefined if it is not. */
  readonly codec?: string | undefined;
}

/** No line of a text may be longer, in bytes. DuckDB allocates 14 times as many for a longer limit. */
const LONGEST_LINE = 8 << 20;

/** The relation of some files of CSV, all of whose columns are texts. An empty field is null, unless in quotes. */
export function csvSql(
  paths: readonly string[],
  { separator, names, header, codec = "none" }: CsvStyle,
): string {
  const options = [
    "auto_detect=false",
    `delim=${textSql(separator)}`,
    ...["quote='\"'", "escape='\"'", "comment=''", "skip=0", "strict_mode=true", "null_padding=false"],
    `header=${header}`,
    `compression=${codec}`,
    ...["nullstr=''", "allow_quoted_nulls=false"],
    `max_line_size=${LONGEST_LINE}`,
    `columns={${names.map((_, place) => `c${place}: 'VARCHAR'`).join(", ")}}`,
  ];
  return `read_csv([${paths.map(pathSql).join(", ")}], ${options.join(", ")})`;
}

/** The digits of a number, without zeros at either end. */
const digitsSql = (value: string) =>
  `trim(regexp_replace(regexp_replace(${value}, '[eE].*', ''), '[^0-9]', '', 'g'), '0')`;

/** Whether a double has all digits of a number. */
const isDoubleSql = (value: string) => {
  const double = `try_cast(${value} AS DOUBLE)`;
  return `isfinite(${double}) AND ${digitsSql(value)} = ${digitsSql(`${double}::VARCHAR`)}`;
};

/**
 * Types of columns of text, in the order in which they are tried, and what every value must be. The value can be
 * told from what it becomes: a number with leading zeros, or with more digits than a double has, stays text.
 */
const types: Readonly<Record<string, (value: string) => string>> = {
  BOOLEAN: (x) => `${x} IN ('true', 'false')`,
  BIGINT: (x) => `regexp_full_match(${x}, '0|-?[1-9][0-9]{0,17}')`,
  DOUBLE: (x) =>
    `regexp_full_match(${x}, '-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?') AND ${isDoubleSql(x)}`,
  DATE: (x) => `try_cast(${x} AS DATE)::VARCHAR = ${x}`,
  TIMESTAMP: (x) => `try_cast(${x} AS TIMESTAMP)::VARCHAR = ${x}`,
};

/** Opens files of CSV. What a column holds is decided by all of its values; one without any is text. */
export async function openCsv(duckDb: DuckDb, files: readonly TablePath[], style: CsvStyle): Promise<Source> {
  const paths = files.map(({ path }) => path);
  const rows = csvSql(paths, style);
  const names = Object.keys(types);
  const tests = style.names.flatMap((_, place) =>
    names.map((type) => `coalesce(bool_and(${types[type]!(`c${place}`)}), false)`),
  );
  const [found] = await duckDb.rows<boolean[]>(`SELECT ${tests.join(", ")} FROM ${rows}`);
  const columns = style.names.map((name, place) => {
    const fits = found!.slice(place * names.length, (place + 1) * names.length);
    return { name, type: names[fits.indexOf(true)] ?? "VARCHAR" };
  });
  const casts = columns.map(({ type }, place) => `c${place}::${type} AS c${place}`);
  return { from: numbered(casts, rows), place: placeSql(1), columns };
}

/** A relation t of some rows, with their numbers. */
export const numbered = (columns: readonly string[], rows: string) =>
  `(SELECT ${columns.join(", ")}, row_number() OVER () - 1 AS file_row_number FROM ${rows}) AS t`;

/** Types that DuckDB makes of texts of JSON that look like them, or that Parquet has no exact numbers for. */
const GUESSED = /\b(DATE|TIME|TIMESTAMP\w*|UUID|U?HUGEINT)\b/;

/** Opens files with an object in each line. Texts stay texts; what is of several types stays JSON. */
export async function openJson(duckDb: DuckDb, files: readonly TablePath[]): Promise<Source> {
  const paths = files.map(({ path }) => pathSql(path)).join(", ");
  const read = (columns: readonly Column[]) => {
    const types = columns.map(({ name, type }) => `${nameSql(name)}: ${textSql(type)}`).join(", ");
    const all = columns.length === 0 ? "sample_size=-1" : `columns={${types}}`;
    return `read_json([${paths}], format='newline_delimited', ${all})`;
  };
  const described = await duckDb.rows<[string, string]>(`DESCRIBE SELECT * FROM ${read([])}`);
  const found = described.map(([name, type]) => ({
    name,
    type: !GUESSED.test(type) ? type : /^[\w ]+$/.test(type) ? "VARCHAR" : "JSON",
  }));
  const names = found.map(({ name }) => name);
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length || names.includes("")) {
    throw new InputError(`${files[0]!.name} has a column without a name, or two that differ in case alone`, {
      hint: "give the members of its objects other names",
    });
  }
  // Integers of more than 64 bits are doubles for DuckDB.
  const doubles = found.filter(({ type }) => type === "DOUBLE");
  const texts = doubles.map(({ name }) => ({ name, type: "VARCHAR" }));
  const tests = doubles.map(({ name }) => `coalesce(bool_and(${isDoubleSql(nameSql(name))}), true)`);
  const [exact] =
    tests.length === 0 ? [] : await duckDb.rows<boolean[]>(`SELECT ${tests} FROM ${read(texts)}`);
  const columns = found.map((one) =>
    exact?.[doubles.indexOf(one)] === false ? { ...one, type: "VARCHAR" } : one,
  );
  const from = numbered(
    names.map((name, place) => `${nameSql(name)} AS c${place}`),
    read(columns),
  );
  return { from, place: placeSql(1), columns: await columnsOf(duckDb, from, names) };
}
