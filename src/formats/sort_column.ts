/** A column to sort by. */
export interface SortColumn {
  /** The column's name, or its number from 1 if no column has that name. */
  readonly column: string;
  /** Whether the order of this column is descending. Default: false. */
  readonly descending?: boolean | undefined;
  /** Where the rows go in which the column is null. Default: "last", whatever the direction. */
  readonly nulls?: "first" | "last" | undefined;
  /** How to read the column, if the file does not say it. Parquet does. */
  readonly type?: string | undefined;
  /**
   * Whether text is compared without regard to case, by Unicode's simple case folding; in natural order, by that
   * of ASCII. Not for Parquet. Default: false.
   */
  readonly ignoreCase?: boolean | undefined;
}

/** The name of a column as the command takes it: in quotes if it has a mark in it. */
export const columnWord = (name: string): string =>
  /[,:"]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
