import type { DuckDb } from "./duckdb.js";
import type { TablePath } from "./parquet.js";
import { isDoubleSql, numberedSql, pathSql, placeSql, type Source, textSql } from "./sql.js";

/** What CSV is written or read with. */
export interface CsvTableStyle {
  /** The character between two fields. */
  readonly separator: string;
  /** The names of the columns. */
  readonly names: readonly string[];
  /** Whether the first row is their names. */
  readonly header: boolean;
  /** The memory of DuckDB, in bytes, half of which it may allocate for lines. */
  readonly memoryBytes: number;
  /**
   * Whether no field is in quotes. Threads would take lines within quotes for rows; without quotes, they take
   * up to a third less time.
   */
  readonly isPlain?: boolean | undefined;
  /** How it is packed: "gzip" or "zstd"; undefined if it is not. */
  readonly codec?: string | undefined;
}

/** No line of a text may be longer, in bytes. */
const LONGEST_LINE = 8 << 20;
/** How many times as much memory DuckDB allocates as a line may have bytes. */
const LINES_ALLOCATED = 16;

/** The most bytes of a line. @param memoryBytes the memory of DuckDB. */
export const mostLineBytes = (memoryBytes: number): number =>
  Math.min(LONGEST_LINE, Math.floor(memoryBytes / 2 / LINES_ALLOCATED));

/**
 * The relation of some files of CSV, all of whose columns are texts. An empty field is null, unless in quotes.
 */
export function csvSql(
  paths: readonly string[],
  { separator, names, header, memoryBytes, isPlain = false, codec = "none" }: CsvTableStyle,
): string {
  const options = [
    "auto_detect=false",
    `delim=${textSql(separator)}`,
    "quote='\"'",
    "escape='\"'",
    "comment=''",
    "skip=0",
    "strict_mode=true",
    "null_padding=false",
    `header=${header}`,
    "new_line='\\n'", // it would take the first line break within quotes for that of the rows
    `compression=${codec}`,
    "nullstr=''",
    "allow_quoted_nulls=false",
    `max_line_size=${mostLineBytes(memoryBytes)}`,
    `parallel=${isPlain}`,
    `columns={${names.map((_, place) => `c${place}: 'VARCHAR'`).join(", ")}}`,
  ];
  return `read_csv([${paths.map(pathSql).join(", ")}], ${options.join(", ")})`;
}

/**
 * Types of columns of text, in the order in which they are tried, and what every value must be. The value can
 * be told from what it becomes: a number with leading zeros, or with more digits than its type has, stays text.
 */
const types: Readonly<Record<string, (value: string) => string>> = {
  BOOLEAN: (x) => `${x} IN ('true', 'false')`,
  BIGINT: (x) => `try_cast(${x} AS BIGINT)::VARCHAR = ${x}`,
  "DECIMAL(38,0)": (x) => `regexp_full_match(${x}, '0|-?[1-9][0-9]{0,37}')`,
  DOUBLE: (x) =>
    `regexp_full_match(${x}, '-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?') AND ${isDoubleSql(x)}`,
  DATE: (x) => `try_cast(${x} AS DATE)::VARCHAR = ${x} AND isfinite(try_cast(${x} AS DATE))`,
  TIMESTAMP: (x) => `try_cast(${x} AS TIMESTAMP)::VARCHAR = ${x} AND isfinite(try_cast(${x} AS TIMESTAMP))`,
};

/**
 * How many rows are tried first. The types that are left fit most rows: a value that does not fit takes
 * microseconds.
 */
const SAMPLES = [256, 1 << 16, undefined];

/** Opens files of CSV. What a column holds is decided by all of its values; one without any is text. */
export async function openCsv(
  duckDb: DuckDb,
  files: readonly TablePath[],
  style: CsvTableStyle,
): Promise<Source> {
  const paths = files.map(({ path }) => path);
  const rows = csvSql(paths, style);
  const left = style.names.map(() => Object.keys(types));
  for (const sample of SAMPLES) await dropUnfit(duckDb, rows, sample, left);
  const columns = style.names.map((name, place) => ({ name, type: left[place]![0] ?? "VARCHAR" }));
  const casts = columns.map(({ type }, place) => `c${place}::${type} AS c${place}`);
  return { from: numberedSql(casts, rows), place: placeSql(1), columns };
}

/**
 * Drops the types before the first one that all values of a column fit, and all types of a column without a
 * value.
 *
 * @param sample how many rows are read, where a column without a value keeps its types; undefined for all rows.
 * @param left the types of each column that are left.
 */
async function dropUnfit(
  duckDb: DuckDb,
  rows: string,
  sample: number | undefined,
  left: string[][],
): Promise<void> {
  let open = [...left.keys()].filter((place) => left[place]!.length > 0);
  for (let isFirst = true; open.length > 0; isFirst = false) {
    // A type at a time, as DuckDB plans thousands of tests for seconds; but all rows are read twice at most.
    const most = isFirst || sample !== undefined ? 1 : Object.keys(types).length;
    const sql = open.flatMap((place) =>
      left[place]!.slice(0, most).map((type) => {
        const fits = `coalesce(${types[type]!(`c${place}`)}, false)`;
        return `bool_and(CASE WHEN c${place} IS NOT NULL THEN ${fits} END)`;
      }),
    );
    const limit = sample === undefined ? "" : ` LIMIT ${sample}`;
    const [results = []] = await duckDb.rows<(boolean | null)[]>(
      `SELECT ${sql.join(", ")} FROM (FROM ${rows}${limit})`,
    );
    const failed: number[] = [];
    let at = 0;
    for (const place of open) {
      const own = left[place]!;
      const tested = results.slice(at, at + Math.min(most, own.length));
      const first = tested.findIndex((fits) => fits !== false);
      const isEmpty = sample === undefined && tested[first] === null;
      left[place] = isEmpty ? [] : own.slice(first < 0 ? tested.length : first);
      if (first < 0 && left[place].length > 0) failed.push(place);
      at += tested.length;
    }
    open = failed;
  }
}
