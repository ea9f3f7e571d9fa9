import { nameHint, nearestName } from "../core/names.js";

/** A column to sort by. */
export interface SortColumn {
  /** The column's name, or its number from 1 if no column has that name. */
  readonly column: string;
  /** Whether `column` is a name, even if it looks like a number. Default: false. */
  readonly named?: boolean | undefined;
  /** Whether the order of this column is descending. Default: false. */
  readonly descending?: boolean | undefined;
  /** Where the rows go in which the column is null. Default: "last", whatever the direction. */
  readonly nulls?: "first" | "last" | undefined;
  /** How to read the column, if the file does not say it. Parquet does. */
  readonly type?: string | undefined;
  /**
   * Whether text is compared without regard to case, by Unicode's simple case folding; in natural order, by
   * that of ASCII. Not for Parquet. Default: false.
   */
  readonly ignoreCase?: boolean | undefined;
}

const isNumber = (text: string) => /^[1-9]\d*$/.test(text);

/** The number of a column, from 1, if that is what it may be named by. */
export const columnNumber = ({ column, named }: SortColumn): number | undefined =>
  !named && isNumber(column) ? Number(column) : undefined;

/** The name of a column as the command takes it: in quotes if it has a mark in it, or is a number. */
const columnWord = (name: string): string =>
  /[,:"]/.test(name) || isNumber(name) ? `"${name.replaceAll('"', '""')}"` : name;

/** The most columns that a message names: a table may have thousands. */
const SHOWN_COLUMNS = 20;

/** The names of columns as the command takes them: the first ones, and how many more there are. */
export function columnWords(names: readonly string[]): string[] {
  const more = names.length - SHOWN_COLUMNS;
  return [...names.slice(0, SHOWN_COLUMNS).map(columnWord), ...(more > 0 ? [`and ${more} more`] : [])];
}

/** The hint for a name that no column has. */
export const columnHint = (column: string, names: readonly string[]): string =>
  nameHint(column, columnWords(names), nearestName(column, names.map(columnWord)) ?? null);
