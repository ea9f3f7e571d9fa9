import { InputError } from "../../core/errors.js";
import type { DuckDb } from "./duckdb.js";
import { columnsOf, type TablePath } from "./parquet.js";
import { isDoubleSql, isName, nameSql, numberedSql, pathSql, placeSql, type Source, textSql } from "./sql.js";

/** Types that hold numbers exactly, the best one first. */
const NUMBERS = ["BIGINT", "DECIMAL(38,0)", "DOUBLE"] as const;
type NumberType = (typeof NUMBERS)[number];

/**
 * What values of JSON are: texts and the like, what holds all of some numbers, lists, or objects. Values of
 * several kinds are JSON, or LOSSY if DuckDB would round some number in them.
 */
type Shape =
  | "NULL"
  | "BOOLEAN"
  | "VARCHAR"
  | "JSON"
  | "LOSSY"
  | { readonly numbers: readonly (NumberType | "JSON")[] }
  | { readonly items: Shape }
  | { readonly members: ReadonlyMap<string, Shape> };

/**
 * Numbers whose digits or exponent some of these types may not hold. DuckDB tells them from shorter ones too
 * late.
 */
const LONG = "-?(?:[0-9][0-9.]{15,}(?:[eE][-+]?[0-9]+)?|[0-9.]+[eE][-+]?[0-9]{3,})";
const TOKENS = `"(?:[^"\\\\]|\\\\.)*"|[-+.0-9eE]+|[^-+.0-9eE"]+`;

/** Begins the name of the only member of an object that stands for a long number: what holds it. */
const MARK = "\u0001";

/** What can hold a number, in order. DuckDB rounds numbers within JSON to doubles, unless they are whole. */
const HOLDERS = [...NUMBERS, "JSON"] as const;

/**
 * The structure of a line as JSON, in which each long number is such an object. It begins with MARK if the line
 * has a number that JSON would not keep: DuckDB does not tell the numbers of a list of several types.
 */
function structureSql(line: string): string {
  const holds: Readonly<Record<NumberType | "JSON", (number: string) => string>> = {
    BIGINT: (x) => `coalesce(try_cast(${x} AS BIGINT)::VARCHAR = ${x}, false)`,
    "DECIMAL(38,0)": (x) => `regexp_full_match(${x}, '-?[0-9]{1,38}')`,
    DOUBLE: isDoubleSql,
    JSON: (x) => `(regexp_full_match(${x}, '-?[0-9]+') OR ${isDoubleSql(x)})`,
  };
  const types = HOLDERS.map((type) => `CASE WHEN ${holds[type]("x")} THEN ' ${type}' ELSE '' END`);
  const marked = `'{"${JSON.stringify(MARK).slice(1, -1)}' || ${types.join(" || ")} || '":0}'`;
  const tokens = `regexp_extract_all(${line}, ${textSql(TOKENS)})`;
  const rewritten = `array_to_string(list_transform(${tokens},
    lambda x: CASE WHEN regexp_full_match(x, ${textSql(LONG)}) THEN ${marked} ELSE x END), '')`;
  // Most lines have none, or doubles of up to 17 digits. It may be in a text, too.
  const long = `list_filter(regexp_extract_all(${line}, ${textSql(LONG)}),
    lambda x: regexp_full_match(x, '-?[0-9]+') OR NOT ${isDoubleSql("x")})`;
  const isLossy = `len(list_filter(${tokens},
    lambda x: regexp_full_match(x, ${textSql(LONG)}) AND NOT ${holds.JSON("x")})) > 0`;
  const flag = `CASE WHEN ${isLossy} THEN ${textSql(MARK)} ELSE '' END`;
  return `CASE WHEN len(${long}) > 0 THEN ${flag} || json_structure(${rewritten}::JSON)
    ELSE json_structure(${line})::VARCHAR END`;
}

/** The shape of a line of which DuckDB has given this structure. */
function shapeOfLine(structure: string): Shape {
  return structure.startsWith(MARK)
    ? shapeOf(JSON.parse(structure.slice(MARK.length)), "LOSSY")
    : shapeOf(JSON.parse(structure), "JSON");
}

/**
 * The shape of one value. DuckDB says JSON for an object without members, and for items of several types.
 *
 * @param mixed the shape of those.
 */
function shapeOf(structure: unknown, mixed: "JSON" | "LOSSY"): Shape {
  if (structure === "JSON") return { members: new Map() };
  if (Array.isArray(structure)) {
    const [items] = structure;
    return { items: items === "JSON" ? mixed : shapeOf(items, mixed) };
  }
  if (typeof structure === "object") {
    const members = Object.entries(structure as object);
    const [[name] = [""]] = members;
    if (name.startsWith(MARK)) return { numbers: HOLDERS.filter((type) => name.includes(` ${type}`)) };
    return { members: new Map(members.map(([name, value]) => [name, shapeOf(value, mixed)])) };
  }
  if (structure === "DOUBLE") return { numbers: ["DOUBLE", "JSON"] };
  return /INT$/.test(structure as string) ? { numbers: HOLDERS } : (structure as Shape);
}

/** The shape of values of two shapes. */
function merged(one: Shape, other: Shape): Shape {
  if (one === other || other === "NULL") return one;
  if (one === "NULL") return other;
  if (typeof one === "object" && typeof other === "object") {
    if ("numbers" in one && "numbers" in other)
      return { numbers: one.numbers.filter((type) => other.numbers.includes(type)) };
    if ("items" in one && "items" in other) return { items: merged(one.items, other.items) };
    if ("members" in one && "members" in other) {
      const members = new Map(one.members);
      for (const [name, shape] of other.members)
        members.set(name, merged(members.get(name) ?? "NULL", shape));
      return { members };
    }
  }
  return isKept(one) && isKept(other) ? "JSON" : "LOSSY";
}

/** Whether DuckDB writes all numbers of a shape as they are, if they are of type JSON. */
function isKept(shape: Shape): boolean {
  if (typeof shape === "string") return shape !== "LOSSY";
  if ("numbers" in shape) return shape.numbers.includes("JSON");
  return "items" in shape ? isKept(shape.items) : [...shape.members.values()].every(isKept);
}

const areUnique = (names: readonly string[]) =>
  new Set(names.map((name) => name.toLowerCase())).size === names.length && names.every(isName);

/**
 * The type of a column of a shape; undefined if no type holds its numbers. JSON is what no other type holds. A
 * column without any value is text, as in CSV.
 */
function typeOf(shape: Shape): string | undefined {
  if (shape === "LOSSY") return undefined;
  if (typeof shape === "string") return shape === "NULL" ? "VARCHAR" : shape;
  if ("numbers" in shape) return shape.numbers.find((type) => type !== "JSON");
  if ("items" in shape) {
    const type = typeOf(shape.items);
    return type && `${type}[]`;
  }
  const members = [...shape.members].map(([name, part]) => [name, typeOf(part)] as const);
  if (members.some(([, type]) => type === undefined)) return undefined;
  if (members.length === 0 || !areUnique(members.map(([name]) => name)))
    return isKept(shape) ? "JSON" : undefined;
  return `STRUCT(${members.map(([name, type]) => `${nameSql(name)} ${type}`).join(", ")})`;
}

/** Lines whose members are columns in the order in which they are written. */
const FIRST_LINES = 256;

/** Opens files with an object in each line. Texts stay texts; what is of several types stays JSON. */
export async function openJson(duckDb: DuckDb, files: readonly TablePath[]): Promise<Source> {
  const [{ name: file }] = files as readonly [TablePath];
  const paths = files.map(({ path }) => pathSql(path)).join(", ");
  const wrong = (what: string, hint: string) => new InputError(`${file} ${what}`, { hint });
  let shape: Shape = "NULL";
  const structures = `SELECT ${structureSql("json")} AS s FROM read_ndjson_objects([${paths}])`;
  for (const sql of [
    `${structures} LIMIT ${FIRST_LINES}`,
    `SELECT DISTINCT s FROM (${structures}) ORDER BY s`,
  ]) {
    for await (const values of duckDb.column(sql)) {
      for (const value of values) shape = merged(shape, shapeOfLine(value as string));
    }
  }
  if (shape === "NULL") throw wrong("has no objects, so it has no columns", "sort files that have some");
  if (typeof shape === "string" || !("members" in shape))
    throw wrong("has a line that is no object", "write rows as {…}, one on each line");
  const { members } = shape;
  const names = [...members.keys()];
  if (names.length === 0)
    throw wrong("has no objects with members, so it has no columns", "sort files that have some");
  if (!areUnique(names)) {
    throw wrong(
      "has a column without a name, with a zero byte in its name, or two that differ in case alone",
      "give the members of its objects other names",
    );
  }
  const columns = names.map((name) => {
    const type = typeOf(members.get(name)!);
    if (type) return `${nameSql(name)}: ${textSql(type)}`;
    throw wrong(
      `has numbers in the column ${name} that no one type holds: of more than 38 digits, or more than a double has`,
      "put them in quotes, or round them",
    );
  });
  const rows = `read_json([${paths}], format='newline_delimited', columns={${columns.join(", ")}})`;
  const from = numberedSql(
    names.map((name, place) => `${nameSql(name)} AS c${place}`),
    rows,
  );
  return { from, place: placeSql(1), columns: await columnsOf(duckDb, from, names) };
}
