import { InputError } from "../core/errors.js";
import type { TableFile } from "../tables/open_tables.js";
import type { SortFileOptions } from "./sort_options.js";

/** Options that mean nothing for a table, as its file says what is in it, or as tables are not merged. */
const refused = [
  ...["type", "blankLines", "header", "textOverflow", "byteOrder", "skipBytes", "recordBytes", "keys"],
  "merge",
] as const;

/** @throws InputError if no columns are named, or if an option has no effect on tables. */
export function refuseOptions(files: readonly TableFile[], options: SortFileOptions): void {
  const [{ file, format }] = files as [TableFile];
  if (!options.by || options.by.length === 0) {
    throw new InputError(`${file.name} is ${format.title}, so the columns to sort by must be named`, {
      hint: "name one or more of its columns",
      options: ["by"],
    });
  }
  const given = refused.find((name) => options[name] !== undefined && options[name] !== false);
  if (given === undefined) return;
  throw new InputError(`${file.name} is ${format.title}, where the option ${given} has no effect`, {
    hint: "leave it out",
    options: [given],
  });
}
