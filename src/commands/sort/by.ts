import { InputError } from "../../core/errors.js";
import { ownProperty } from "../../core/names.js";
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
    nullWords: nulls?.flatMap((words) => words.split(",")).filter((word) => word !== ""),
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
    const fields: Omit<SortColumn, "column"> = ownProperty(words, text.toLowerCase()) ?? { type: text };
    for (const [field, value] of Object.entries(fields) as [keyof typeof fields, never][]) {
      if (text === "") throw notColumns(whole, "a colon is followed by nothing");
      if (column[field] !== undefined) throw notColumns(whole, `${name.text} has two words of the same kind`);
      column[field] = value;
    }
  }
  return column;
}

function notColumns(text: string, why: string): InputError {
  return new InputError(`--by '${text}' names no columns: ${why}`, {
    hint: "write NAME, NAME:desc or NAME:nulls-first, separated by commas, as in --by 'day:desc,\"a,b\"'",
  });
}
