import { InputError } from "../core/errors.js";
import { nameHint } from "../core/names.js";
import type { InvalidPlace, RowComparison, RowKey, RowOrder } from "../rows/row_order.js";
import type { CsvSample } from "./csv.js";
import { quote } from "./quote.js";
import type { SortColumn } from "./sort_column.js";

/** The order of rows that columns to sort by mean. */
export interface ColumnOrder {
  readonly order: RowOrder;
  /** The columns in words: "price as a decimal number, descending, then name as text". */
  readonly text: string;
}

/** What a column may be said to hold. */
const types = ["number", "decimal", "float", "date", "text", "natural", "nocase"] as const;
type ColumnType = (typeof types)[number];

/** How the values of a column are compared. */
interface Reading extends Pick<RowKey, "foldCase"> {
  readonly compare: RowComparison;
  /** Whether any value is one: then empty ones have no place of their own. */
  readonly isText?: boolean;
  readonly what: string;
}

const decimal: Reading = { compare: "decimal", what: "a decimal number" };
const float: Reading = { compare: "float", what: "a floating-point number" };
const date: Reading = { compare: "date", what: "a date" };
const text: Reading = { compare: "bytes", isText: true, what: "text" };
const natural: Reading = { compare: "natural", isText: true, what: "text in natural order" };
const nocase: Reading = { compare: "nocase", isText: true, what: "text without regard to case" };

const csvOrder = { terminator: 10, quotes: true } as const;

/**
 * Makes an order of rows of columns. What a column holds is guessed from the samples, unless it is said:
 * numbers if all values are numbers, dates if all are dates in ISO form, else text.
 *
 * @param samples the first rows of all inputs.
 * @param by the columns: the first decides, then the second, …
 * @param header whether the inputs begin with names of columns.
 * @param invalid where rows go whose value is no number, unless a column says it; "error" if they are an
 *   error. With "first" and "last", rows that are too short for a column have an empty value in it; else they
 *   are an error.
 * @throws InputError if a column is unknown or ambiguous, if a row has no such column, or if the inputs have
 *   other columns than the first.
 */
export function orderOfColumns(
  samples: readonly CsvSample[],
  by: readonly SortColumn[],
  { header, invalid }: { readonly header: boolean; readonly invalid?: InvalidPlace | undefined },
): ColumnOrder {
  const [first] = samples.filter(({ rows, names }) => names || rows.length > 0);
  const sample = first ?? samples[0]!;
  for (const other of samples) requireSameColumns(sample, other);
  if (by.length === 0) {
    throw new InputError("no column to sort by is named", { hint: "name one or more", options: ["by"] });
  }
  // Inputs without any bytes have no header either, and nothing to sort.
  if (header && !first)
    return { order: { ...csvOrder, separator: sample.separator, keys: [] }, text: "no rows" };
  const keys: RowKey[] = [];
  const texts: string[] = [];
  const required = invalid === undefined || invalid === "error";
  for (const column of by) {
    const field = fieldOf(column, sample);
    const values = samples.flatMap((one) => valuesOf(one, field, column.column, required));
    const reading = readingOf(column, values, sample.name);
    const { compare, isText = false, what, foldCase } = column.ignoreCase ? withoutCase(reading) : reading;
    const { descending = false, nulls } = column;
    if (isText && nulls !== undefined && (nulls === "first") === descending) {
      throw new InputError(`rows without ${quote(column.column)} cannot go ${nulls}, as it is ${what}`, {
        hint: "empty text goes before other text, or after it in descending order; leave the place out",
        options: ["by"],
      });
    }
    keys.push({
      begin: { field, offset: 0 },
      end: { field },
      compare,
      ...(foldCase && { foldCase }),
      ...(descending && { descending }),
      ...(!isText && { invalid: nulls ?? invalid ?? "last" }),
      ...(required && { required }),
    });
    const guessed = column.type === undefined ? " (guessed)" : "";
    texts.push(`${column.column} as ${what}${guessed}${descending ? ", descending" : ""}`);
  }
  return { order: { ...csvOrder, separator: sample.separator, keys }, text: texts.join(", then ") };
}

function requireSameColumns(one: CsvSample, other: CsvSample): void {
  const isEmpty = other.names === undefined && other.rows.length === 0;
  if (isEmpty || JSON.stringify(one.names) === JSON.stringify(other.names)) return;
  const [a, b] = [one, other].map(({ names }) => quote((names ?? []).join(",")));
  throw new InputError(`${one.name} has the columns ${a}, but ${other.name} has ${b}`, {
    hint: "sort them one by one, or give them the same columns",
    options: ["header"],
  });
}

/** The place of a column, from 0. A name counts before a number. */
function fieldOf({ column }: SortColumn, { name, names, rows }: CsvSample): number {
  const at = names?.indexOf(column) ?? -1;
  if (at >= 0 && names!.indexOf(column, at + 1) >= 0) {
    throw new InputError(`${name} has more than one column ${quote(column)}`, {
      hint: `name it by its number, such as ${at + 1}`,
      options: ["by"],
    });
  }
  if (at >= 0) return at;
  const count = names?.length ?? Math.max(0, ...rows.map((row) => row.length));
  const isNumber = /^[1-9]\d*$/.test(column);
  if (isNumber && (Number(column) <= count || count === 0)) return Number(column) - 1;
  if (names) {
    const hint = nameHint(column, names.filter(Boolean));
    throw new InputError(`${name} has no column ${quote(column)}`, { hint, options: ["by"] });
  }
  if (isNumber) {
    throw new InputError(`${name} has ${count} columns, so it has no column ${column}`, {
      hint: "name another column, or the separator of columns",
      options: ["by"],
    });
  }
  throw new InputError(`the column ${quote(column)} of ${name} is not known without a header`, {
    hint: "say that the first line is a header, or name columns by their numbers, from 1",
    options: ["header", "by"],
  });
}

/** The values of a column, but empty ones. @throws InputError if a row has no such column, but must. */
function valuesOf(
  { name, rows, lines }: CsvSample,
  field: number,
  column: string,
  required: boolean,
): string[] {
  const short = rows.findIndex((row) => row.length <= field);
  if (short >= 0 && required) {
    const count = rows[short]!.length;
    throw new InputError(
      `${name}, line ${lines[short]}: the row has ${count} ${count === 1 ? "field" : "fields"}, so it has no column ${quote(column)}`,
      { hint: "add the missing separators, or name the byte that separates columns", options: ["by"] },
    );
  }
  return rows.map((row) => row[field]?.trim() ?? "").filter(Boolean);
}

function readingOf({ type }: SortColumn, values: readonly string[], name: string): Reading {
  if (type !== undefined && !types.includes(type as ColumnType)) {
    throw new InputError(`${quote(type)} is no type of a column of ${name}`, {
      hint: nameHint(type, types),
      options: ["by"],
    });
  }
  switch (type as ColumnType | undefined) {
    case "text":
      return text;
    case "natural":
      return natural;
    case "nocase":
      return nocase;
    case "decimal":
      return decimal;
    case "float":
      return float;
    case "number":
      return numberReading(values);
    case "date":
      return date;
    default:
      if (values.length === 0) return text;
      if (values.every((value) => number.test(value))) return numberReading(values);
      return values.every((value) => isoDate.test(value)) ? date : text;
  }
}

/** The same order, but text is compared without regard to case: of natural order, ASCII is. */
function withoutCase(reading: Reading): Reading {
  if (reading.compare === "bytes") return nocase;
  if (reading.compare !== "natural") return reading;
  return { ...reading, foldCase: true, what: `${reading.what}, without regard to case` };
}

const number = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|inf|infinity|nan)$/i;

/** Decimal numbers keep all their digits, but have no exponents, and no sign +. */
const isDecimal = (value: string) => !number.test(value) || /^-?[\d.]+$/.test(value);

const numberReading = (values: readonly string[]) => (values.every(isDecimal) ? decimal : float);

/**
 * What assembly/rows/dates.ts reads. Without separators, a date may be a number; that is looked at before.
 */
const isoDate = new RegExp(
  [
    String.raw`^\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?ZONE)?)?$`,
    String.raw`^\d{8}(?:[T ]\d{4}(?:\d\d(?:[.,]\d+)?)?ZONE)?$`,
  ]
    .join("|")
    .replaceAll("ZONE", String.raw`(?: ?(?:Z|[+-]\d\d(?::?\d\d)?))?`),
  "i",
);
