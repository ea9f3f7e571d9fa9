/** A text as a literal of SQL. */
export const textSql = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Whether SQL can write a name. */
export const isName = (name: string): boolean => name !== "" && !name.includes("\0");

/** The first name that equals another one but for the case of ASCII, as SQL takes both for one. */
export function repeatedName(names: readonly string[]): string | undefined {
  const folded = new Set<string>();
  return names.find((name) => {
    const { size } = folded;
    return folded.add(name.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase())).size === size;
  });
}

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
  /** How many rows DuckDB must find, if that was counted without it. */
  readonly rowCount?: number | undefined;
}

/**
 * The place of a row among those of one input, and of several. A second key would take a tenth of the sort's
 * time.
 */
export const placeSql = (inputs: number): string =>
  inputs === 1 ? "t.file_row_number" : "(t.file_index::BIGINT << 44) + t.file_row_number";

/** A relation t of some rows, with their numbers. */
export const numberedSql = (columns: readonly string[], rows: string) =>
  `(SELECT ${columns.join(", ")}, row_number() OVER () - 1 AS file_row_number FROM ${rows}) AS t`;

/** The digits of a number, without zeros at either end. */
const digitsSql = (value: string) =>
  `trim(regexp_replace(regexp_replace(${value}, '[eE].*', ''), '[^0-9]', '', 'g'), '0')`;

/** Whether a double has all digits of a number, which is a text. Most are written as DuckDB writes them. */
export function isDoubleSql(value: string): string {
  const double = `try_cast(${value} AS DOUBLE)`;
  const digits = `${digitsSql(value)} = ${digitsSql(`${double}::VARCHAR`)}`;
  return `coalesce(isfinite(${double}) AND CASE WHEN ${double}::VARCHAR = ${value} THEN true ELSE ${digits} END, false)`;
}

const isNested = ({ type }: Column) => /^(STRUCT|MAP|UNION)\b|\]$/.test(type);

/** A type of which some others within it are replaced. A name in it is in double quotes, or before a blank. */
const replaced = (type: string, others: string, by: string) =>
  type.replaceAll(new RegExp(`"(?:[^"]|"")*"|\\b(?:${others})\\b(?=[[),]|$)`, "g"), (part) =>
    part[0] === '"' ? part : by,
  );

/** Whether values of a column hold others of some types, which are the alternatives of a regular expression. */
export const hasTypes = ({ type }: Column, types: string): boolean => replaced(type, types, "") !== type;

const FLOATS = "FLOAT|DOUBLE";

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
    const value = hasTypes(column, FLOATS) ? `coalesce(${t(place)}, NULL)` : t(place);
    return `${value} ${descending ? "DESC" : "ASC"} NULLS ${nullsFirst ? "FIRST" : "LAST"}`;
  };
  return [...keys.map(sqlOf), last].join(", ");
}

/** Whether two rows have the same keys: they are equal, or both are null. */
export const equalSql = (keys: readonly Key[], one: Row, other: Row): string =>
  keys.map(({ place }) => `${one(place)} IS NOT DISTINCT FROM ${other(place)}`).join(" AND ");

/**
 * Whether one row must go before another one by its keys: by the first one that differs. Never null. It is one
 * expression for all keys: within one another, hundreds are too deep for DuckDB.
 */
export function precedesSql(keys: readonly Key[], one: Row, other: Row): string {
  const cases = keys.map(({ place, descending, nullsFirst }) => {
    const [a, b] = [one(place), other(place)];
    const byNulls = nullsFirst ? `${a} IS NULL` : `${a} IS NOT NULL`;
    return `WHEN ${a} IS DISTINCT FROM ${b} THEN coalesce(${a} ${descending ? ">" : "<"} ${b}, ${byNulls})`;
  });
  return `CASE ${cases.join(" ")} ELSE false END`;
}

/** The bits of -0 and of NaNs, which DuckDB takes for equal to others; null for any other value. */
function oddBitsSql(column: Column, value: string): string {
  const [isOdd, cast] = isNested(column)
    ? [`regexp_matches(${value}::VARCHAR, '-0[.]0|nan')`, "::VARCHAR"]
    : [`isnan(${value}) OR (${value} = 0 AND signbit(${value}))`, ""];
  return `CASE WHEN ${isOdd} THEN ${value}::${replaced(column.type, FLOATS, "BIT")}${cast} END`;
}

/**
 * A hash of a row. DuckDB's own equates -0 and 0, all NaNs, months and their days, and lists that are empty or
 * null, or are divided otherwise.
 *
 * @param asText whether values count as they are written in CSV.
 */
export function rowHashSql(columns: readonly Column[], { asText = false } = {}): string {
  const parts = columns.flatMap((column, place) => {
    const value = t(place);
    const whole = asText || isNested(column) || column.type === "INTERVAL" ? `${value}::VARCHAR` : value;
    return hasTypes(column, FLOATS) && !asText ? [whole, oddBitsSql(column, value)] : [whole];
  });
  return `hash(${parts.join(", ")})`;
}

/** Whether any column of some rows holds values that DuckDB takes for equal, although their bits differ. */
export function equalFloatsSql(columns: readonly Column[]): string {
  const tests = columns.flatMap((column, place) => {
    if (!hasTypes(column, FLOATS)) return [];
    const bits = oddBitsSql(column, t(place));
    if (isNested(column)) return [`count(${bits}) > 0`];
    return [`coalesce(min(${bits}) <> max(${bits}) OR max(${bits}) = '-0'::${column.type}::BIT, false)`];
  });
  return tests.length === 0 ? "false" : tests.join(" OR ");
}
