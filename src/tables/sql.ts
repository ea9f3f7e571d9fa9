/** A text as a literal of SQL. */
export const textSql = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A name in SQL. It cannot be empty, nor contain a zero byte. */
export const nameSql = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A path as an argument of what reads files. DuckDB takes *, ? and [ for patterns of names. */
export const pathSql = (path: string): string => textSql(path.replaceAll(/[*?[]/g, "[$&]"));

/** A column of a table, and its type as DuckDB names it. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** A column to sort by. */
export interface Key extends Column {
  /** The place of the column in the table, from 0. */
  readonly place: number;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

/** Rows as a relation: what follows FROM. It is named t, and its columns are c0, c1, … */
export interface Source {
  readonly from: string;
  /** The place of a row in all inputs, which is its last key. */
  readonly place: string;
  readonly columns: readonly Column[];
}

/** The place of a row among those of one input, and of several. A second key would take a tenth of the sort's time. */
export const placeSql = (inputs: number): string =>
  inputs === 1 ? "t.file_row_number" : "(t.file_index::BIGINT << 44) + t.file_row_number";

const isNested = ({ type }: Column) => /^(STRUCT|MAP|UNION)\b|\]$/.test(type);
const hasFloats = ({ type }: Column) => /\b(FLOAT|DOUBLE)\b/.test(type);

/** Whether a column can be a key: its values are numbers, times, booleans, texts or bytes. */
export const isSortable = (column: Column): boolean =>
  !isNested(column) && !/^(VARIANT|JSON|GEOMETRY|"NULL")/.test(column.type);

/** The name of a column, by its place. */
export type Row = (place: number) => string;

/** A row of a relation. @param letter that of its columns' names. */
export const rowOf =
  (relation: string, letter = "c"): Row =>
  (place) =>
    `${relation}.${letter}${place}`;

const t = rowOf("t");

/**
 * What follows ORDER BY. DuckDB makes a column that is a key anew of what it has sorted, which turns -0 into 0
 * and every NaN into the same one; so keys of floats are expressions.
 */
export function orderSql({ place: last }: Source, keys: readonly Key[]): string {
  const sqlOf = ({ place, descending, nullsFirst, ...column }: Key) => {
    const value = hasFloats(column) ? `coalesce(${t(place)}, NULL)` : t(place);
    return `${value} ${descending ? "DESC" : "ASC"} NULLS ${nullsFirst ? "FIRST" : "LAST"}`;
  };
  return [...keys.map(sqlOf), last].join(", ");
}

/** Whether two rows have the same keys: they are equal, or both are null. */
export const equalSql = (keys: readonly Key[], one: Row, other: Row): string =>
  keys.map(({ place }) => `${one(place)} IS NOT DISTINCT FROM ${other(place)}`).join(" AND ");

/** Whether one row must go before another one by its keys. Never null. */
export function precedesSql([key, ...rest]: readonly Key[], one: Row, other: Row): string {
  const { place, descending, nullsFirst } = key!;
  const [a, b] = [one(place), other(place)];
  const byNulls = nullsFirst ? `${a} IS NULL AND ${b} IS NOT NULL` : `${a} IS NOT NULL AND ${b} IS NULL`;
  const first = `coalesce(${a} ${descending ? ">" : "<"} ${b}, ${byNulls})`;
  if (rest.length === 0) return first;
  return `(${first} OR (${equalSql([key!], one, other)} AND ${precedesSql(rest, one, other)}))`;
}

/**
 * A hash of a row. DuckDB's own equates -0 and 0, months and their days, and lists that are empty or null, or are
 * divided otherwise. It equates NaNs whatever their payload, and so does this.
 *
 * @param asText whether values count as they are written in CSV.
 */
export function rowHashSql(columns: readonly Column[], { asText = false } = {}): string {
  const parts = columns.map((column, place) => {
    const value = t(place);
    if (asText || isNested(column) || column.type === "INTERVAL") return `${value}::VARCHAR`;
    return hasFloats(column) ? `${value}, signbit(${value})` : value;
  });
  return `hash(${parts.join(", ")})`;
}

/** Whether a row holds -0, which DuckDB writes as 0, or 0 as -0, where both are in the dictionary of a column. */
export function negativeZeroSql(columns: readonly Column[]): string {
  const tests = columns.flatMap((column, place) => {
    if (!hasFloats(column)) return [];
    const value = t(place);
    return [
      isNested(column) ? `contains(${value}::VARCHAR, '-0.0')` : `(${value} = 0 AND signbit(${value}))`,
    ];
  });
  return tests.length === 0 ? "false" : `coalesce(${tests.join(" OR ")}, false)`;
}
