import { InputError, type OptionName } from "../core/errors.js";
import { requireKnown, requireSwitches } from "../core/names.js";
import type { SortColumn } from "../formats/sort_column.js";
import { isString } from "../rows/order_words.js";
import type { IgnoredBytes, InvalidPlace, RowComparison, RowKey, RowOrder } from "../rows/row_order.js";
import { isTableFormat } from "../tables/kinds.js";
import type { OpenInputsOptions } from "./inputs.js";

const comparisons: Record<RowComparison, true> = {
  bytes: true,
  decimal: true,
  human: true,
  float: true,
  month: true,
  date: true,
  natural: true,
  nocase: true,
};
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
  if (typeof rows !== "object" || rows === null) throw wrong(`${rows}`, "is no object");
  requireKnown("the order of rows", rows, ["terminator", "separator", "quotes", "keys"]);
  const { terminator, separator, quotes } = rows;
  if (terminator !== 10 && terminator !== 0) throw wrong(`terminator: ${terminator}`, "is neither 10 nor 0");
  if (separator !== undefined && !(Number.isInteger(separator) && separator >= 0 && separator < 256)) {
    throw wrong(`separator: ${separator}`, "is not a byte");
  }
  if (typeof quotes !== "boolean") throw wrong(`quotes: ${quotes}`, "is neither true nor false");
  if (quotes && separator === undefined) throw wrong("quotes: true", "needs a separator");
  if (!Array.isArray(rows.keys)) throw wrong(`keys: ${rows.keys}`, "is no array");
  for (const [i, key] of rows.keys.entries()) requireRowKey(key, `keys[${i}]`);
  if (format !== undefined && format !== "lines") {
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
}

/** @throws InputError if columns to sort by are wrong, or cannot be combined with the other options. */
export function requireColumns({ by, invalid, rows, format, recordBytes }: ColumnOptions): void {
  if (invalid !== undefined && !invalidPlaces.includes(invalid)) {
    throw new InputError(`'${invalid}' does not say what becomes of rows whose value is no number`, {
      hint: "use first, last or error",
      options: ["invalid"],
    });
  }
  if (by === undefined) return;
  if (!Array.isArray(by) || by.some((one) => typeof one?.column !== "string")) {
    throw new InputError("the columns to sort by are no array of columns", {
      hint: 'pass [{ column: "price", descending: true }]',
      options: ["by"],
    });
  }
  for (const [i, one] of by.entries()) {
    requireKnown(`by[${i}]`, one, ["column", "descending", "nulls", "type", "ignoreCase"]);
    requireSwitches(one, ["descending", "ignoreCase"], `by[${i}].`);
  }
  if (rows && rows.keys.length > 0) {
    throw new InputError("columns to sort by cannot be combined with keys of lines", {
      hint: "leave one of them out",
      options: ["by", "rows"],
    });
  }
  const hasColumns = format === undefined || format === "lines" || isTableFormat(format);
  if (recordBytes !== undefined || !hasColumns) {
    throw new InputError(`columns to sort by do not apply to ${format ?? "records"}`, {
      hint: "leave one of them out",
      options: ["by", format === undefined ? "recordBytes" : "format"],
    });
  }
}

function requireRowKey(key: RowKey, what: string): void {
  if (typeof key !== "object" || key === null) throw wrong(`${what}: ${key}`, "is no object");
  const known = ["begin", "end", "compare", "foldCase", "ignore", "descending", "invalid", "required"];
  requireKnown(`the row key ${what}`, key, known);
  requireSwitches(key, ["foldCase", "descending", "required"], `${what}.`);
  const { begin, end, compare, foldCase, ignore, invalid } = key;
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
  if (invalid === undefined) return;
  if (!invalidPlaces.includes(invalid)) {
    throw wrong(`${what}.invalid: ${invalid}`, "is not one of first, last, error");
  }
  if (isString(key)) throw wrong(`${what}.invalid`, `applies to numbers, not to the comparison ${compare}`);
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
