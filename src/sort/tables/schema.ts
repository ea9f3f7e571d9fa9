import { InputError } from "../../core/errors.js";
import type { DuckDb } from "./duckdb.js";
import { pathSql } from "./sql.js";

/** A column of a Parquet file, or a part of a nested one. */
export interface SchemaNode {
  readonly name: string;
  /**
   * What the file says of its values, in words: "DECIMAL(8,2)", "TIMESTAMP(NANOS, UTC)", "STRUCT", "LIST",
   * "MAP".
   */
  readonly type: string;
  readonly required: boolean;
  readonly fieldId: number | undefined;
  readonly children: readonly SchemaNode[];
}

/** A row of DuckDB's parquet_schema(), in the order of the columns selected below. */
type SchemaRow = readonly [
  name: string,
  physical: string | null,
  length: string | null,
  repetition: string | null,
  children: string | null,
  converted: string | null,
  logical: string | null,
  type: string | null,
  fieldId: string | null,
  scale: string | null,
  precision: string | null,
];

const COLUMNS =
  "name, type, type_length, repetition_type, num_children, converted_type, logical_type::VARCHAR, duckdb_type, " +
  "field_id, scale, precision";

/** Reads the schema of a Parquet file: its columns. */
export async function schemaOf(duckDb: DuckDb, path: string): Promise<SchemaNode[]> {
  const rows = await duckDb.rows<SchemaRow>(`SELECT ${COLUMNS} FROM parquet_schema(${pathSql(path)})`);
  let next = 0;
  const read = (): SchemaNode => {
    const row = rows[next++]!;
    const [name, , , repetition, children, , , , fieldId] = row;
    return {
      name,
      type: typeOf(row),
      required: repetition === "REQUIRED",
      fieldId: fieldId === null || Number(fieldId) < 0 ? undefined : Number(fieldId),
      children: Array.from({ length: Number(children ?? 0) }, read),
    };
  };
  return [...read().children];
}

function typeOf([, physical, length, , , converted, logical, type, , scale, precision]: SchemaRow): string {
  const [, word] = /^(Geometry|Geography|Variant|Float16|Null)Type/.exec(logical ?? "") ?? [];
  if (word) return word.toUpperCase();
  if (physical === null) return converted === "MAP_KEY_VALUE" ? "MAP" : (converted ?? "STRUCT");
  if (physical === "INT96") return "INT96";
  if (converted === "ENUM" || converted === "BSON") return converted;
  if (converted === "DECIMAL") return `DECIMAL(${precision},${scale})`;
  const [, time = ""] = /^(TIMESTAMP|TIME)\b/.exec(type ?? "") ?? [];
  if (time) {
    const [, unit] =
      /(MILLIS|MICROS|NANOS)=(?!<null>)/.exec(logical ?? "") ?? /_(\w+)$/.exec(converted ?? "") ?? [];
    return `${time}(${unit}${/WITH TIME ZONE/.test(type!) ? ", UTC" : ""})`;
  }
  if (physical === "FIXED_LEN_BYTE_ARRAY" && type === "BLOB") return `${physical}(${length})`;
  return type ?? physical;
}

/** Times that DuckDB reads in microseconds. */
const CUT_OFF = ["INT96", "TIMESTAMP(NANOS, UTC)", "TIME(NANOS, UTC)"];
/** The most digits of its decimals. */
const MOST_DIGITS = 38;

/**
 * Compares the types of an input with those that DuckDB reads, whatever becomes of the input then.
 *
 * @param file the input's name, for errors.
 * @returns what the user must be told of, a line for each column.
 * @throws InputError if a column has decimals that DuckDB would round to doubles.
 */
export function requireReadable(file: string, columns: readonly SchemaNode[]): string[] {
  const typesIn = ({ type, children }: SchemaNode): string[] => [type, ...children.flatMap(typesIn)];
  return columns.flatMap((column) => {
    const types = typesIn(column);
    const long = types.find((type) => Number(/^DECIMAL\((\d+),/.exec(type)?.[1]) > MOST_DIGITS);
    if (long) throw unfaithful(file, column.name, `of the type ${long}`, "read DOUBLE");
    if (!types.some((type) => CUT_OFF.includes(type))) return [];
    return [`${file}: the column ${column.name} is read in microseconds: digits below them are cut off`];
  });
}

/**
 * What DuckDB writes instead of a type: without a loss, as docs/formats.md lists, or with one that was said when
 * the file was opened.
 */
const accepted: Readonly<Record<string, string>> = {
  "TIMESTAMP(MILLIS)": "TIMESTAMP(MICROS)",
  "TIMESTAMP(MILLIS, UTC)": "TIMESTAMP(MICROS, UTC)",
  "TIME(MILLIS)": "TIME(MICROS)",
  "TIME(MILLIS, UTC)": "TIME(MICROS, UTC)",
  ENUM: "VARCHAR",
  INT96: "TIMESTAMP(MICROS)",
  "TIMESTAMP(NANOS, UTC)": "TIMESTAMP(MICROS, UTC)",
};

/** A difference between two schemas. */
interface Difference {
  readonly column: string;
  readonly in: "form" | "name" | "type" | "required" | "field id";
  readonly one: string;
  readonly other: string;
}

/** Compares two schemas, part by part. The names of the two levels within a list or a map mean nothing. */
function* differences(
  ones: readonly SchemaNode[],
  others: readonly SchemaNode[],
  inside = "",
  unnamed = 0,
): Generator<Difference> {
  for (let i = 0; i < Math.max(ones.length, others.length); i++) {
    const [one, other] = [ones[i], others[i]];
    const name = one?.name ?? other!.name;
    const column = unnamed > 0 ? inside : inside === "" ? name : `${inside}.${name}`;
    const differ = (what: Difference["in"], a: unknown, b: unknown): Difference[] =>
      a === b ? [] : [{ column, in: what, one: `${a}`, other: `${b}` }];
    yield* differ("form", one?.children.length, other?.children.length);
    if (!one || !other) continue;
    if (unnamed === 0) yield* differ("name", one.name, other.name);
    yield* differ("type", one.type, other.type);
    yield* differ("required", one.required, other.required);
    yield* differ("field id", one.fieldId, other.fieldId);
    const isList = one.type === "LIST" || one.type === "MAP";
    yield* differences(one.children, other.children, column, isList ? 2 : Math.max(0, unnamed - 1));
  }
}

/**
 * Compares the schema of an input with that of the output that DuckDB would write of it.
 *
 * @param name the input's name, for errors.
 * @returns what the user must be told of, a line for each column.
 * @throws InputError that names a column which the output would not hold as it is.
 */
export function requireFaithful(
  name: string,
  input: readonly SchemaNode[],
  output: readonly SchemaNode[],
): string[] {
  const notices: string[] = [];
  for (const { column, in: what, one, other } of differences(input, output)) {
    if (what === "required" && other === "false") continue;
    if (what === "type" && accepted[one] === other) continue;
    if (what === "field id") notices.push(`${name}: the column ${column} loses its field id ${one}`);
    else if (what === "type" && one === "NULL" && other === "INTEGER")
      notices.push(`${name}: the column ${column} has nulls alone, and gets the type INT32`);
    else {
      const difference = what === "type" ? `of the type ${one}` : `with another ${what}`;
      throw unfaithful(name, column, difference, `write ${other}`);
    }
  }
  return notices;
}

function unfaithful(file: string, column: string, what: string, instead: string): InputError {
  return new InputError(`${file} has a column ${column} ${what}, and DuckDB would ${instead}`, {
    hint: "change the column first, for example with pyarrow, or sort the file with another tool",
  });
}

/**
 * Says the first difference between the columns of two files that are sorted as one; undefined if there is
 * none.
 */
export function schemaDifference(
  ones: readonly SchemaNode[],
  others: readonly SchemaNode[],
): string | undefined {
  for (const { column, in: what, one, other } of differences(ones, others)) {
    if (what === "form") return `the column ${column} is not there, or has other parts, in one of them`;
    if (what === "name") return `the column ${one} is named ${other} in the other`;
    if (what === "type") return `the column ${column} is ${one} in one and ${other} in the other`;
  }
  return undefined;
}
