import { InputError } from "../core/errors.js";
import type { InputFile } from "../files/input_file.js";
import { hasParquetEnd, type TableKind, tableKindOfPath } from "../tables/kinds.js";
import { openOne, type SortInput } from "./inputs.js";
import type { SortOutput } from "./outputs.js";
import type { SortFileOptions } from "./sort_options.js";

/** The inputs, which are open; and of what kind they are if DuckDB reads them. */
export interface FoundTables {
  readonly files: readonly InputFile[];
  readonly kind: TableKind | undefined;
}

/**
 * Opens the inputs and finds out whether DuckDB reads them: Parquet, and CSV or lines of JSON if the output is
 * Parquet. A file is Parquet if its extension or either of its ends says so, unless another format is named.
 *
 * @param output undefined if nothing is written.
 * @throws InputError if an input cannot be read, or if some are Parquet and others are not.
 */
export async function findTables(
  inputs: readonly SortInput[],
  output: SortOutput | undefined,
  options: Pick<SortFileOptions, "by" | "format" | "to">,
): Promise<FoundTables> {
  const files: InputFile[] = [];
  try {
    for (const input of inputs) files.push(await openOne(input));
    return { files, kind: await kindOf(files, output, options) };
  } catch (error) {
    for (const file of files) await file.close();
    throw error;
  }
}

async function kindOf(
  files: readonly InputFile[],
  output: SortOutput | undefined,
  { by, format, to }: Pick<SortFileOptions, "by" | "format" | "to">,
): Promise<TableKind | undefined> {
  const some = format === undefined ? await firstParquet(files) : undefined;
  if (some || format === "parquet") return "parquet";
  const written = to ?? (typeof output === "string" ? tableKindOfPath(output) : undefined);
  if (written !== "parquet") return undefined;
  const named = files[0] && tableKindOfPath(files[0].name);
  if (named !== undefined || !by || !files[0]) return named;
  const [first] = await files[0].peek(1);
  return first === "{".charCodeAt(0) ? "json" : "csv";
}

/** The first Parquet file. @throws InputError if there is one, and another file is none. */
async function firstParquet(files: readonly InputFile[]): Promise<InputFile | undefined> {
  const are = await Promise.all(
    files.map(async (file) => tableKindOfPath(file.name) === "parquet" || hasParquetEnd(file)),
  );
  const first = files[are.indexOf(true)];
  const other = files[are.indexOf(false)];
  if (!first || !other) return first;
  throw new InputError(`${first.name} is a Parquet file, but ${other.name} is none`, {
    hint: "sort them one by one",
  });
}
