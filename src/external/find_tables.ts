import { InputError } from "../core/errors.js";
import type { InputFile } from "../files/input_file.js";
import type { TableFile } from "../tables/open_tables.js";
import {
  HEAD_BYTES,
  isTableFormat,
  tableFormat,
  tableFormatNames,
  tableFormatOfBytes,
  tableFormatOfPath,
} from "../tables/registry.js";
import { openOne, type SortInput } from "./inputs.js";
import type { SortFileOptions } from "./sort_options.js";

/** The inputs, of which the first is open; and all of them as tables, if they are tables. */
export interface FoundTables {
  readonly inputs: readonly SortInput[];
  readonly tables: readonly TableFile[] | undefined;
}

/**
 * Finds out whether the inputs are tables: if columns to sort by or a format of tables are named, or by the
 * first input's extension. Then it opens all of them.
 *
 * @throws InputError if an input cannot be read, or if only some are tables.
 */
export async function findTables(
  inputs: readonly SortInput[],
  { by, format, to }: Pick<SortFileOptions, "by" | "format" | "to">,
): Promise<FoundTables> {
  const named = isTableFormat(format) ? tableFormat(format) : undefined;
  const [first, ...others] = inputs;
  const mayBeTable = named || (format === undefined && (by || extensionOf(first)));
  if (!mayBeTable || first === undefined) return notTables(inputs, to);
  const files: InputFile[] = [];
  try {
    const tables: TableFile[] = [];
    for (const input of [first, ...others]) {
      const file = await openOne(input);
      files.push(file);
      const found = named ?? tableFormatOfBytes(await file.peek(HEAD_BYTES));
      if (found) tables.push({ file, format: found });
      else if (files.length === 1) return notTables([file, ...others], to);
      else throw notTable(file.name);
    }
    return { inputs: files, tables };
  } catch (error) {
    for (const file of files) await file.close();
    throw error;
  }
}

const extensionOf = (input: SortInput | undefined) =>
  typeof input === "string" ? tableFormatOfPath(input) : undefined;

function notTables(inputs: readonly SortInput[], to: string | undefined): FoundTables {
  if (!isTableFormat(to)) return { inputs, tables: undefined };
  throw new InputError(`only tables can be written as ${to}, and the input is none`, {
    hint: `tables are Arrow and Parquet files (${tableFormatNames.join(", ")})`,
    options: ["to"],
  });
}

function notTable(name: string): InputError {
  return new InputError(`${name} is no Arrow or Parquet file, as the first input is`, {
    hint: "sort them one by one",
  });
}
