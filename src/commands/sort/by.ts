import { InputError } from "../../core/errors.js";
import { nearestName, ownProperty } from "../../core/names.js";
import { columnTypes } from "../../formats/column_values.js";
import type { SortColumn } from "../../formats/sort_column.js";
import type { SortFileOptions } from "../../sort/sort_options.js";

/** The arguments about columns. */
export interface ColumnArguments {
  readonly by?: readonly string[] | undefined;
  readonly invalid?: string | undefined;
  readonly null?: readonly string[] | undefined;
  readonly decimal?: string | undefined;
  readonly thousands?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
}

/** Reads the arguments about columns. @throws InputError as `parseBy`. The library checks the other ones. */
export function parseColumnOrder({ by, invalid, null: nulls, ignoreCase, ...form }: ColumnArguments) {
  const { decimal, thousands } = form;
  return {
    by: by && parseBy(by).map((column) => ({ ...column, ...(ignoreCase && { ignoreCase }) })),
    invalid: invalid as SortFileOptions["invalid"],
    nullWords: nulls?.flatMap((words) => words.split(",")),
    decimal,
    thousands,
  };
}

/** What may follow a column's name. Anything else is taken for a type. */
const words: Readonly<Record<string, Omit<SortColumn, "column">>> = {
  asc: { descending: false },
  desc: { descending: true },
  "nulls-first": { nulls: "first" },
  "nulls-last": { nulls: "last" },
};

/**
 * Reads the columns to sort by: NAME[:asc|:desc][:nulls-first|:nulls-last][:TYPE], separated by commas. A
 * name in double quotes may contain commas and colons, or be a number; two double quotes stand for one.
 *
 * @param texts one for each time that the option was given.
 * @throws InputError if a name is missing, if a quote does not end, or if a word contradicts another one.
 */
export function parseBy(texts: readonly string[]): SortColumn[] {
  return texts.flatMap((text) => split(text).map((parts) => parseColumn(text, parts)));
}

/** A name or a word, and whether it was in quotes. */
interface Part {
  readonly text: string;
  readonly quoted: boolean;
}

/** Splits a text into columns, and these into their names and words. */
function split(text: string): Part[][] {
  const columns: Part[][] = [[]];
  const part = /(?:"((?:[^"]|"")*)"|([^,:"][^,:]*|))(?=[,:]|$)/y;
  for (;;) {
    const rest = text.slice(part.lastIndex);
    const match = part.exec(text);
    if (!match) {
      const isClosed = /^"(?:[^"]|"")*"(?!")/.test(rest);
      throw notColumns(text, isClosed ? "text follows a closing quote" : "a quote is not closed");
    }
    const [, quoted, plain = ""] = match;
    columns.at(-1)!.push({ text: quoted?.replaceAll('""', '"') ?? plain, quoted: quoted !== undefined });
    const next = text[part.lastIndex];
    if (next === undefined) return columns;
    part.lastIndex++;
    if (next === ",") columns.push([]);
  }
}

function parseColumn(whole: string, [name, ...parts]: readonly Part[]): SortColumn {
  if (!name || (name.text === "" && !name.quoted)) throw notColumns(whole, "a column has no name");
  const column: { -readonly [Field in keyof SortColumn]: SortColumn[Field] } = {
    column: name.text,
    ...(name.quoted && { named: true }),
  };
  for (const { text } of parts) {
    const fields: Omit<SortColumn, "column"> = ownProperty(words, text.toLowerCase()) ?? typeOf(whole, text);
    for (const [field, value] of Object.entries(fields) as [keyof typeof fields, never][]) {
      if (text === "") throw notColumns(whole, "a colon is followed by nothing");
      if (column[field] !== undefined) throw notColumns(whole, `${name.text} has two words of the same kind`);
      column[field] = value;
    }
  }
  return column;
}

/** A word as a type. @throws InputError if it is a mistyped word of another kind. */
function typeOf(whole: string, type: string): Pick<SortColumn, "type"> {
  const nearest = nearestName(type, [...columnTypes, ...Object.keys(words)]);
  if (nearest !== undefined && Object.hasOwn(words, nearest)) {
    throw notColumns(whole, `'${type}' says nothing of a column`, `did you mean ${nearest}?`);
  }
  return { type };
}

function notColumns(text: string, why: string, suggestion = ""): InputError {
  const form =
    "write NAME, NAME:desc or NAME:nulls-first, separated by commas, as in --by 'day:desc,\"a,b\"'";
  return new InputError(`--by '${text}' names no columns: ${why}`, { hint: suggestion || form });
}
