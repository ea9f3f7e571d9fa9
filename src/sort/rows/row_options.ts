import { InputError, type OptionName } from "../../core/errors.js";
import { requireKnown, requireSwitches, shown } from "../../core/names.js";
import type { SortColumn } from "../../formats/sort_column.js";
import { worksWith } from "../../kinds/options.js";
import { LONGEST_NULL_WORD, MOST_NULL_BYTES } from "../../rows/order/key_tables.js";
import { comparisons, isString } from "../../rows/order/order_words.js";
import type {
  IgnoredBytes,
  InvalidPlace,
  RowComparison,
  RowKey,
  RowOrder,
} from "../../rows/order/row_order.js";
import type { OpenInputsOptions } from "../inputs.js";

const ignorable: Record<IgnoredBytes, true> = { punctuation: true, nonprinting: true };

const invalidPlaces: readonly InvalidPlace[] = ["first", "last", "error"];

/** No row is longer, and none has more fields. */
const MOST_BYTES = 2 ** 31 - 1;

/**
 * Checks the order of rows, and the options beside it.
 *
 * @throws InputError if a part of the order is unknown or wrong, or if another option says that the inputs
 *   are no lines.
 */
export function requireRows(rows: RowOrder, { format, recordBytes, keys }: OpenInputsOptions): void {
  if (typeof rows !== "object" || rows === null) throw wrong(shown(rows), "is no object");
  requireKnown("the order of rows", rows, ["terminator", "separator", "quotes", "keys"]);
  const { terminator, separator, quotes } = rows;
  if (![10, 13, 0].includes(terminator)) throw wrong(`terminator: ${terminator}`, "is neither 10, 13 nor 0");
  if (separator !== undefined && !(Number.isInteger(separator) && separator >= 0 && separator < 256)) {
    throw wrong(`separator: ${separator}`, "is not a byte");
  }
  if (typeof quotes !== "boolean") throw wrong(`quotes: ${quotes}`, "is neither true nor false");
  if (quotes && separator === undefined) throw wrong("quotes: true", "needs a separator");
  if (quotes && separator === terminator)
    throw wrong(`separator: ${separator}`, "is the terminator, too, so rows have one field");
  if (!Array.isArray(rows.keys)) throw wrong(`keys: ${shown(rows.keys)}`, "is no array");
  for (const [i, key] of rows.keys.entries()) requireRowKey(key, `keys[${i}]`);
  // Without keys, an order says how the rows of CSV are separated.
  const isOfFormat =
    format === undefined || (rows.keys.length === 0 ? worksWith("rows", format) : format === "lines");
  if (!isOfFormat) {
    throw new InputError(`keys of lines do not apply to the format ${format}`, {
      hint: "leave one of them out",
      options: ["rows", "format"],
    });
  }
  const [option, what] = recordBytes !== undefined ? ["recordBytes", "records"] : ["keys", "keys of records"];
  if (recordBytes === undefined && keys === undefined) return;
  throw new InputError(`keys of lines do not apply together with ${what}`, {
    hint: "leave one of them out: a file holds lines of any length, or records of one",
    options: ["rows", option as OptionName],
  });
}

/** Columns to sort by, and what may go with them. */
interface ColumnOptions extends OpenInputsOptions {
  readonly rows?: RowOrder | undefined;
  readonly by?: readonly SortColumn[] | undefined;
  readonly invalid?: InvalidPlace | undefined;
  readonly nullWords?: readonly string[] | undefined;
  readonly decimal?: string | undefined;
  readonly thousands?: string | undefined;
}

/** @throws InputError if columns to sort by are wrong, or cannot be combined with the other options. */
export function requireColumns({ by, invalid, rows, format, recordBytes, ...others }: ColumnOptions): void {
  if (invalid !== undefined && !invalidPlaces.includes(invalid)) {
    throw new InputError(`'${invalid}' does not say what becomes of rows whose value is no number`, {
      hint: "use first, last or error",
      options: ["invalid"],
    });
  }
  requireForms(others, by !== undefined);
  if (by === undefined) return;
  const wrongColumns = (what: string, hint: string) => new InputError(what, { hint, options: ["by"] });
  if (!Array.isArray(by)) {
    throw wrongColumns(
      "the columns to sort by are no array of columns",
      'pass [{ column: "price", descending: true }]',
    );
  }
  for (const [i, one] of by.entries()) {
    for (const name of ["column", "type"] as const) {
      const value: unknown = one?.[name];
      if (typeof value === "string" || (name === "type" && value === undefined)) continue;
      throw wrongColumns(`by[${i}].${name} is ${shown(value)}`, "pass a string");
    }
    if (one.nulls !== undefined && !["first", "last"].includes(one.nulls)) {
      throw wrongColumns(`by[${i}].nulls is ${shown(one.nulls)}`, 'pass "first" or "last"');
    }
    requireKnown(`by[${i}]`, one, ["column", "named", "descending", "nulls", "type", "ignoreCase"]);
    requireSwitches(one, ["named", "descending", "ignoreCase"], `by[${i}].`);
  }
  if (rows && rows.keys.length > 0) {
    throw new InputError("columns to sort by cannot be combined with keys of lines", {
      hint: "leave one of them out",
      options: ["by", "rows"],
    });
  }
  if (recordBytes !== undefined || (format !== undefined && !worksWith("by", format))) {
    throw new InputError(`columns to sort by do not apply to ${format ?? "records"}`, {
      hint: "leave one of them out",
      options: ["by", format === undefined ? "recordBytes" : "format"],
    });
  }
}

/** @throws InputError if the forms of values are wrong, or if there are no columns that have them. */
function requireForms({ nullWords, decimal, thousands }: Partial<ColumnOptions>, hasColumns: boolean): void {
  for (const [option, value] of Object.entries({ nullWords, decimal, thousands })) {
    if (value === undefined || hasColumns) continue;
    throw new InputError(`${option} has no effect without columns to sort by`, {
      hint: "name the columns",
      options: [option as OptionName, "by"],
    });
  }
  const problem = nullWordsProblem(nullWords);
  if (problem) {
    const [what, hint] = problem;
    throw new InputError(`the words for no value ${what}`, { hint, options: ["nullWords"] });
  }
  for (const [option, value] of Object.entries({ decimal, thousands })) {
    if (value === undefined || (typeof value === "string" && /^[^\w+\-"\r\n\x80-\uffff]$/.test(value)))
      continue;
    throw new InputError(`numbers cannot be written with '${value}'`, {
      hint: "name one character of ASCII that is no digit, letter, sign or quote, such as a comma",
      options: [option as OptionName],
    });
  }
  if ((decimal ?? ".") !== thousands) return;
  throw new InputError(`'${thousands}' cannot stand before decimals and between thousands`, {
    hint: "name two different characters",
    options: ["decimal", "thousands"],
  });
}

/** What is wrong with words that are to be no value, and what to do; undefined if nothing is. */
function nullWordsProblem(words: unknown = []): readonly [what: string, hint: string] | undefined {
  if (!Array.isArray(words) || !words.every((word) => typeof word === "string"))
    return ["are no array of strings", 'pass one, as in ["NA", "-"]'];
  if (words.includes(""))
    return ["have an empty one among them", "leave it out: an empty field is no value anyway"];
  if (words.some((word) => /^[ \t\n]|[ \t\n]$/.test(word)))
    return ["have blanks around them", "leave the blanks out: values are compared without theirs"];
  const lengths = words.map((word) => Buffer.byteLength(word));
  if (lengths.some((length) => length > LONGEST_NULL_WORD))
    return [`are longer than ${LONGEST_NULL_WORD} bytes`, "name shorter ones"];
  const bytes = lengths.reduce((sum, length) => sum + length + 1, 0);
  if (bytes <= MOST_NULL_BYTES) return undefined;
  return [`take more than ${MOST_NULL_BYTES} bytes`, "name fewer or shorter ones"];
}

function requireRowKey(key: RowKey, what: string): void {
  if (typeof key !== "object" || key === null) throw wrong(`${what}: ${key}`, "is no object");
  const known = ["begin", "end", "compare", "foldCase", "ignore", "descending", "invalid", "required"];
  known.push("guessed", "nullWords", "form", "name");
  requireKnown(`the row key ${what}`, key, known);
  requireSwitches(key, ["foldCase", "descending", "required", "guessed"], `${what}.`);
  const { begin, end, compare, foldCase, ignore, invalid, guessed, nullWords, form, name } = key;
  if (typeof begin !== "object" || begin === null) throw wrong(`${what}.begin: ${begin}`, "is no object");
  requireKnown(`${what}.begin`, begin, ["field", "offset", "skipBlanks"]);
  requireSwitches(begin, ["skipBlanks"], `${what}.begin.`);
  requireCount(begin.field, `${what}.begin.field`);
  requireCount(begin.offset, `${what}.begin.offset`);
  if (end !== undefined) {
    if (typeof end !== "object" || end === null) throw wrong(`${what}.end: ${end}`, "is no object");
    requireKnown(`${what}.end`, end, ["field", "bytes", "skipBlanks"]);
    requireSwitches(end, ["skipBlanks"], `${what}.end.`);
    requireCount(end.field, `${what}.end.field`);
    if (end.bytes !== undefined) requireCount(end.bytes, `${what}.end.bytes`);
  }
  if (!Object.hasOwn(comparisons, compare)) {
    throw wrong(`${what}.compare: ${compare}`, `is not one of ${Object.keys(comparisons).join(", ")}`);
  }
  if (ignore !== undefined && !Object.hasOwn(ignorable, ignore)) {
    throw wrong(`${what}.ignore: ${ignore}`, `is not one of ${Object.keys(ignorable).join(", ")}`);
  }
  const misplaced = ignore ? "ignore" : compare !== "human" && foldCase ? "foldCase" : undefined;
  if (compare !== "bytes" && compare !== "natural" && misplaced !== undefined) {
    throw wrong(`${what}.${misplaced}`, `does not apply to the comparison ${compare}`);
  }
  if (name !== undefined && typeof name !== "string")
    throw wrong(`${what}.name: ${shown(name)}`, "is no string");
  requireForm(form, compare, `${what}.form`);
  if (invalid === undefined) {
    const [lone] = Object.entries({ guessed, nullWords }).find(([, value]) => value !== undefined) ?? [];
    if (lone !== undefined) throw wrong(`${what}.${lone}`, "needs a place for rows without a value, invalid");
    return;
  }
  const [problem] = nullWordsProblem(nullWords) ?? [];
  if (problem) throw wrong(`${what}.nullWords`, problem);
  if (!invalidPlaces.includes(invalid)) {
    throw wrong(`${what}.invalid: ${invalid}`, "is not one of first, last, error");
  }
  if (isString(key)) throw wrong(`${what}.invalid`, `applies to numbers, not to the comparison ${compare}`);
}

function requireForm(form: RowKey["form"], compare: RowComparison, what: string): void {
  if (form === undefined) return;
  if (compare !== "number") throw wrong(what, `does not apply to the comparison ${compare}`);
  requireKnown(what, form, ["point", "thousands"]);
  const { point = 46, thousands = 0 } = form;
  for (const byte of [point, thousands]) {
    if (!Number.isInteger(byte) || byte < 0 || byte > 127)
      throw wrong(`${what}: ${byte}`, "is not a byte of ASCII");
  }
  if (point === thousands) throw wrong(what, "has one byte for two purposes");
}

function requireCount(value: number, what: string): void {
  if (Number.isInteger(value) && value >= 0 && value <= MOST_BYTES) return;
  throw wrong(`${what}: ${value}`, `is not a whole number from 0 to ${MOST_BYTES}`);
}

function wrong(what: string, why: string): InputError {
  return new InputError(`the order of rows is wrong: ${what} ${why}`, {
    hint: "see RowOrder in the API reference",
    options: ["rows"],
  });
}
