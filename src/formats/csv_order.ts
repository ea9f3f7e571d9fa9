import { InputError } from "../core/errors.js";
import { nameHint } from "../core/names.js";
import { quote, quoteBytes } from "../core/quote.js";
import { optionTable } from "../kinds/options.js";
import type { InvalidPlace, NumberForm, RowKey, RowOrder } from "../rows/order/row_order.js";
import type { Misfit } from "../rows/order/tally.js";
import {
  columnTypes,
  isMissing,
  number,
  type Reading,
  readings,
  typedReading,
  withoutCase,
} from "./column_values.js";
import type { CsvSample } from "./csv.js";
import { columnHint, columnNumber, type SortColumn } from "./sort_column.js";

/** How columns are read, besides what they say themselves. */
export interface ColumnOptions {
  /** Whether the inputs begin with names of columns. */
  readonly header: boolean;
  /**
   * Where rows go whose value is no number or date, unless a column says it; "error" if they are an error. With
   * "first" and "last", rows that are too short for a column have an empty value in it; else they are an error.
   */
  readonly invalid?: InvalidPlace | undefined;
  /** Words that are no value of a number or a date. */
  readonly nullWords?: readonly string[] | undefined;
  /** How numbers are written. */
  readonly form?: NumberForm | undefined;
}

/** A column to sort by, as it is read. */
export interface ReadColumn {
  readonly name: string;
  readonly reading: Reading;
}

/** The order of rows that columns to sort by mean. */
export interface ColumnOrder {
  readonly order: RowOrder;
  /** The columns in words: "price as a number (guessed), descending, then name as text". */
  readonly text: string;
  /** The columns, in the order of the keys. */
  readonly columns: readonly ReadColumn[];
  /** What the order becomes when a value is not what was guessed. */
  readonly widen: (misfit: Misfit) => ColumnOrder;
}

/** A column, and what it may hold by the values that are known. */
interface Candidate {
  readonly column: SortColumn;
  readonly field: number;
  /** What the header calls the column. */
  readonly name: string | undefined;
  /** The first one is taken. */
  readonly readings: readonly Reading[];
  /** What would make numbers of the values of a column of text. */
  readonly advice?: string | undefined;
  /** A value because of which the column is not what most of its values are, and what these are. */
  readonly exception?: { readonly value: string; readonly others: Reading } | undefined;
}

/**
 * Makes an order of rows of columns. What a column holds is guessed from the samples, unless it is said:
 * numbers if all its values are numbers, else dates if all are dates, else text. The guess holds until a value
 * shows that it is wrong: then `widen` gives the order to begin anew with.
 *
 * @param samples the first rows of all inputs.
 * @param by the columns: the first decides, then the second, …
 * @throws InputError if a column is unknown or ambiguous, if a row has no such column, if the inputs have other
 *   columns than the first, or if an option has no effect, as all columns are said to be text.
 */
export function orderOfColumns(
  samples: readonly CsvSample[],
  by: readonly SortColumn[],
  options: ColumnOptions,
): ColumnOrder {
  const sample = samples.find(({ records }) => records.length > 0) ?? samples[0]!;
  if (options.header) for (const other of samples) requireSameColumns(sample, other);
  if (by.length === 0) {
    throw new InputError("no column to sort by is named", { hint: "name one or more", options: ["by"] });
  }
  for (const column of by) requireType(column, sample.name);
  requireUse(by, options);
  // Inputs without any bytes have no header either, and nothing to sort.
  if (options.header && sample.records.length === 0) {
    const empty = { order: { ...styleOf(sample), keys: [] }, text: "no rows", columns: [] };
    return { ...empty, widen: () => orderOfColumns(samples, by, options) };
  }
  const required = isRequired(options);
  const candidates = by.map((column): Candidate => {
    const field = fieldOf(column, sample, options);
    const values = samples.flatMap((one) => valuesOf(one, field, column.column, required, options.header));
    const name = options.header ? sample.records[0]!.fields[field] : undefined;
    const read = column.type === undefined ? guess(values, options) : { readings: typedReading(column.type) };
    return { column, field, name, ...read };
  });
  return orderOf(candidates, sample, options);
}

const isRequired = ({ invalid }: ColumnOptions) => invalid === undefined || invalid === "error";

const styleOf = ({ terminator, separator }: CsvSample) => ({ terminator, separator, quotes: true }) as const;

function orderOf(candidates: readonly Candidate[], sample: CsvSample, options: ColumnOptions): ColumnOrder {
  return {
    order: { ...styleOf(sample), keys: candidates.map((one) => keyOf(one, options)) },
    text: candidates.map((one) => textOf(one, options)).join(", then ") + unusedText(candidates, options),
    columns: candidates.map((one) => ({ name: one.column.column, reading: readingOf(one) })),
    widen: (misfit) => {
      const value = Buffer.from(misfit.value).toString();
      const wider = widen(candidates[misfit.key]!, value, misfit, options);
      return orderOf(candidates.with(misfit.key, wider), sample, options);
    },
  };
}

/** What a column may hold besides, as a value is not what was guessed. */
function widen(candidate: Candidate, value: string, misfit: Misfit, { form }: ColumnOptions): Candidate {
  const [others, ...rest] = candidate.readings;
  const shown = `row ${misfit.row + 1} of ${misfit.input} holds ${quoteBytes(misfit.value)}`;
  return {
    ...candidate,
    readings: rest.filter(({ fits }) => fits(value.trim(), form)),
    exception: { value: shown, others: others! },
  };
}

/** How a column is read: as the first of its readings that are left. */
function readingOf({ column, readings: [reading] }: Candidate): Reading {
  return column.ignoreCase ? withoutCase(reading!) : reading!;
}

function keyOf(candidate: Candidate, options: ColumnOptions): RowKey {
  const { column, field, name } = candidate;
  const { invalid, nullWords = [], form } = options;
  const { compare, isText = false, foldCase, what } = readingOf(candidate);
  const { descending = false, nulls, type } = column;
  if (isText && nulls !== undefined && (nulls === "first") === descending) {
    throw new InputError(`rows without ${quote(column.column)} cannot go ${nulls}, as it is ${what}`, {
      hint: "empty text goes before other text, or after it in descending order; leave the place out, or name a type, as in :number:nulls-last",
      options: ["by"],
    });
  }
  return {
    begin: { field, offset: 0 },
    end: { field },
    compare,
    ...(foldCase && { foldCase }),
    ...(descending && { descending }),
    ...(!isText && { invalid: nulls ?? invalid ?? "last" }),
    ...(!isText && type === undefined && { guessed: true }),
    ...(!isText && nullWords.length > 0 && { nullWords }),
    ...(compare === "number" && form && { form }),
    ...(isRequired(options) && { required: true }),
    ...(name !== undefined && { name }),
  };
}

/** Options of columns of numbers, or of dates, of which there are none. */
function unusedOptions(columns: readonly Reading[], { nullWords = [], form = {} }: ColumnOptions) {
  const hasNumbers = columns.some(({ compare }) => compare === "number");
  const isUnused = {
    nullWords: nullWords.length > 0 && columns.every(({ isText }) => isText),
    decimal: form.point !== undefined && !hasNumbers,
    thousands: form.thousands !== undefined && !hasNumbers,
  };
  return (Object.keys(isUnused) as (keyof typeof isUnused)[])
    .filter((option) => isUnused[option])
    .map((option) => ({ option, what: optionTable[option].what }));
}

/** @throws InputError if the types of all columns are said, and no column has a use for an option. */
function requireUse(by: readonly SortColumn[], options: ColumnOptions): void {
  const columns = by.flatMap(({ type }) => (type === undefined ? [] : typedReading(type)));
  const [unused] = columns.length < by.length ? [] : unusedOptions(columns, options);
  if (!unused) return;
  const types = by.map(({ column, type }) => `${quote(column)} is ${type}`).join(", ");
  throw new InputError(`${unused.what} has no effect without a column of numbers: ${types}`, {
    hint: "leave the option out, or name a column of numbers",
    options: [unused.option, "by"],
  });
}

function unusedText(candidates: readonly Candidate[], options: ColumnOptions): string {
  const unused = unusedOptions(candidates.map(readingOf), options).map(({ what }) => what);
  return unused.length === 0 ? "" : `; without effect, as no column holds numbers: ${unused.join(", ")}`;
}

function textOf(candidate: Candidate, { invalid }: ColumnOptions): string {
  const { column, exception, advice } = candidate;
  const why = advice
    ? `guessed; ${advice}`
    : exception
      ? `guessed, as ${exception.value}; :${exception.others.type} sorts the others as ${exception.others.type}s`
      : "guessed";
  const guessed = column.type === undefined ? ` (${why})` : "";
  const { isText, what } = readingOf(candidate);
  const { descending = false } = column;
  // Text has no place for rows without a value: theirs is empty text.
  const empty = descending ? "last" : "first";
  const places = isText && invalid !== undefined && invalid !== "error" && invalid !== empty;
  return `${column.column} as ${what}${guessed}${descending ? ", descending" : ""}${places ? `, empty text ${empty}` : ""}`;
}

/** A value of a column, and the row that it is in. */
interface SampleValue {
  readonly value: string;
  readonly input: string;
  readonly row: number;
}

/** Finds what a column may hold, by some of its values. */
function guess(
  values: readonly SampleValue[],
  { form, nullWords = [] }: ColumnOptions,
): Pick<Candidate, "readings" | "advice" | "exception"> {
  const misfits = (reading: Reading) =>
    values.filter(({ value }) => !isMissing(value, reading, nullWords) && !reading.fits(value, form));
  const fitting = readings.filter((reading) => misfits(reading).length === 0);
  const [first] = fitting;
  if (first!.type !== "text") return { readings: fitting };
  // Most values may be numbers: then the others are worth a word.
  const others = readings.find(
    (reading) => reading.type !== "text" && 2 * misfits(reading).length < values.length,
  );
  const misfit = others && misfits(others)[0];
  if (!misfit) return { readings: fitting, advice: adviceFor(values, form) };
  const value = `row ${misfit.row} of ${misfit.input} holds ${quote(misfit.value)}`;
  return { readings: fitting, exception: { value, others } };
}

/** What would make numbers of all values, if anything does. @param said how numbers are said to be written. */
function adviceFor(values: readonly SampleValue[], said: NumberForm = {}): string | undefined {
  const grouped = said.point === COMMA ? "" : "a decimal comma and ";
  const ways: readonly (readonly [NumberForm, string])[] = [
    [{ point: COMMA }, "a decimal comma"],
    [{ thousands: COMMA }, "commas between thousands"],
    [{ point: COMMA, thousands: POINT }, `${grouped}points between thousands`],
  ];
  const way = ways.find(([form]) => values.every(({ value }) => number.fits(value, { ...said, ...form })));
  return way && `with ${way[1]} its values are numbers`;
}

const COMMA = 44;
const POINT = 46;

/** @throws InputError if two inputs, read with the same separator, have different headers. */
export function requireSameColumns(one: CsvSample, other: CsvSample): void {
  const [own, others] = [one, other].map(({ records }) => records[0]?.fields ?? []) as [string[], string[]];
  if (other.records.length === 0 || JSON.stringify(own) === JSON.stringify(others)) return;
  const separator = String.fromCharCode(one.separator);
  const [a, b] = [own, others].map((names) => quote(names.join(separator)));
  const isUnseparated = own.length > 1 && others.length === 1;
  const [without, same] = isUnseparated ? [`, without ${quote(separator)}`, " and separator"] : ["", ""];
  throw new InputError(`${one.name} has the columns ${a}, but ${other.name} has ${b}${without}`, {
    hint: `sort them one by one, or give them the same columns${same}`,
    options: ["header"],
  });
}

/** @throws InputError if an input begins with a blank line, where its header must be. */
export function requireHeader({ name, records: [first] }: Pick<CsvSample, "name" | "records">): void {
  if (first === undefined || first.row === 1) return;
  throw new InputError(`${name} begins with an empty line, so it has no header`, {
    hint: "remove the line, or name columns by their numbers, from 1",
    options: ["header", "by"],
  });
}

/** The place of a column, from 0. A name counts before a number. */
function fieldOf(sorted: SortColumn, { name, records }: CsvSample, { header }: ColumnOptions): number {
  const { column } = sorted;
  const [first] = records;
  const names = header ? (first?.fields ?? []) : undefined;
  if (header) requireHeader({ name, records });
  const at = names?.indexOf(column) ?? -1;
  if (at >= 0 && names!.indexOf(column, at + 1) >= 0) {
    throw new InputError(`${name} has more than one column ${quote(column)}`, {
      hint: `name it by its number, such as ${at + 1}`,
      options: ["by"],
    });
  }
  if (at >= 0) return at;
  const count = names?.length ?? Math.max(0, ...records.map(({ fields }) => fields.length));
  const number = columnNumber(sorted);
  if (number !== undefined && (number <= count || count === 0)) return number - 1;
  if (names) {
    const hint = columnHint(column, names.filter(Boolean));
    throw new InputError(`${name} has no column ${quote(column)} in its header`, { hint, options: ["by"] });
  }
  if (number !== undefined) {
    const isName = first?.fields.includes(column);
    throw new InputError(`${name} has ${count} columns, so it has no column ${column}`, {
      hint: isName
        ? "if its first line is a header, which has that name, say so"
        : "name another column, or the byte that separates columns",
      options: isName ? ["header"] : ["by", "rows"],
    });
  }
  throw new InputError(`the column ${quote(column)} of ${name} is not known without a header`, {
    hint: "say that the first line is a header, or name columns by their numbers, from 1",
    options: ["header", "by"],
  });
}

/** The values of a column. @throws InputError if a row has no such column, but must. */
function valuesOf(
  { name, records }: CsvSample,
  field: number,
  column: string,
  required: boolean,
  header: boolean,
): SampleValue[] {
  const rows = header ? records.slice(1) : records;
  const short = rows.find(({ fields }) => fields.length <= field);
  if (short && required) {
    const count = short.fields.length;
    throw new InputError(
      `${name}: row ${short.row} has ${count} ${count === 1 ? "field" : "fields"}, so it has no column ${quote(column)}`,
      {
        hint:
          "add the missing separators, or name the byte that separates columns; " +
          "or put rows without a value first or last",
        options: ["rows", "invalid"],
      },
    );
  }
  return rows
    .map(({ row, fields }) => ({ input: name, row, value: fields[field]?.trim() ?? "" }))
    .filter(({ value }) => value !== "");
}

/** What columns were said to hold, before numbers of all forms were compared exactly. */
const earlierTypes = ["decimal", "float"];

function requireType({ type }: SortColumn, name: string): void {
  if (type === undefined || columnTypes.some((one) => one === type)) return;
  throw new InputError(`${quote(type)} is no type of a column of ${name}`, {
    hint: earlierTypes.includes(type)
      ? `write ${number.type}: it compares numbers of any form and length exactly`
      : nameHint(type, columnTypes),
    options: ["by"],
  });
}
