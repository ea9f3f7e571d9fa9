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

/** What DuckDB writes instead of a type without loss, as docs/formats.md lists. */
const lossless: Readonly<Record<string, string>> = {
  "TIMESTAMP(MILLIS)": "TIMESTAMP(MICROS)",
  "TIMESTAMP(MILLIS, UTC)": "TIMESTAMP(MICROS, UTC)",
  "TIME(MILLIS)": "TIME(MICROS)",
  "TIME(MILLIS, UTC)": "TIME(MICROS, UTC)",
  ENUM: "VARCHAR",
};

/** What it writes instead with a loss that the user is told of. */
const noticed: Readonly<Record<string, readonly [type: string, notice: string]>> = {
  INT96: ["TIMESTAMP(MICROS)", "becomes microseconds: digits below them are cut off"],
  "TIMESTAMP(NANOS, UTC)": ["TIMESTAMP(MICROS, UTC)", "becomes microseconds: digits below them are cut off"],
  NULL: ["INTEGER", "has nulls alone, and gets the type INT32"],
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
    const [changed, notice] = noticed[one] ?? [];
    if (what === "required" && other === "false") continue;
    if (what === "type" && lossless[one] === other) continue;
    if (what === "field id") notices.push(`${name}: the column ${column} loses its field id ${one}`);
    else if (what === "type" && changed === other) notices.push(`${name}: the column ${column} ${notice}`);
    else
      throw unfaithful(name, column, what === "type" ? `of the type ${one}` : `with another ${what}`, other);
  }
  return notices;
}

function unfaithful(file: string, column: string, what: string, instead: string): InputError {
  return new InputError(`${file} has a column ${column} ${what}, and DuckDB would write ${instead}`, {
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
