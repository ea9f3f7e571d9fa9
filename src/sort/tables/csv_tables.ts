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
 * How many rows are tried first: few types are left for the rest. A value that does not fit takes microseconds.
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
  let tests = style.names.flatMap((_, place) => Object.keys(types).map((type) => ({ place, type })));
  for (const sample of SAMPLES) {
    if (tests.length === 0) break;
    const sql = tests.map(({ place, type }) => {
      const fits = `CASE WHEN c${place} IS NOT NULL THEN coalesce(${types[type]!(`c${place}`)}, false) END`;
      return `coalesce(bool_and(${fits}), ${sample !== undefined})`;
    });
    const limit = sample === undefined ? "" : ` LIMIT ${sample}`;
    const [fit] = await duckDb.rows<boolean[]>(`SELECT ${sql.join(", ")} FROM (FROM ${rows}${limit})`);
    tests = tests.filter((_, i) => fit![i]);
  }
  const columns = style.names.map((name, at) => ({
    name,
    type: tests.find(({ place }) => place === at)?.type ?? "VARCHAR",
  }));
  const casts = columns.map(({ type }, place) => `c${place}::${type} AS c${place}`);
  return { from: numberedSql(casts, rows), place: placeSql(1), columns };
}
