import type { Schema } from "apache-arrow";
import { InputError } from "../core/errors.js";
import type { InputFile } from "../files/input_file.js";
import type { TaskRunner } from "./codec_tasks.js";
import type { ReadLimits, TableFormat, TableInput, TableStyle } from "./format.js";
import { bytesToSort, MOST_BYTES, requireMemory } from "./memory.js";
import { firstDifference } from "./schema.js";

/** A file and its format. */
export interface TableFile {
  readonly file: InputFile;
  readonly format: TableFormat;
}

/** Inputs of the same columns. */
export interface OpenedTables {
  /** That of the first input. */
  readonly schema: Schema;
  /** That of the first input. */
  readonly style: TableStyle;
  readonly inputs: readonly TableInput[];
  readonly files: readonly TableFile[];
}

/**
 * Opens inputs of the same columns.
 *
 * @param budget bytes of memory that the sort may take.
 * @param tasks is used until the last batch was read.
 * @throws InputError if one cannot be read, or names the first difference between two schemas.
 */
export async function openTables(
  files: readonly TableFile[],
  budget: number,
  tasks: TaskRunner,
): Promise<OpenedTables> {
  const inputs: TableInput[] = [];
  for (const { file, format } of files) {
    const limits: ReadLimits = {
      budget,
      require: (part) =>
        requireBatch({ name: file.name, piece: format.piece }, budget, part, part.reading ?? part.bytes),
    };
    const input = await (await format.load()).read(file, limits, tasks);
    const [first] = inputs;
    const difference = first && firstDifference(first.schema, input.schema);
    if (difference) {
      throw new InputError(`${first.name} and ${input.name} differ: ${difference}`, {
        hint: "sort them one by one, or give them the same columns",
      });
    }
    inputs.push(input);
  }
  const [{ schema, style }] = inputs as [TableInput];
  return { schema, style, inputs, files };
}

/**
 * @param batch its number, from 1, and the bytes of its data. Its rows, if they are known.
 * @param reading bytes of memory that are taken while it is read.
 * @throws InputError if a batch cannot be sorted even by itself.
 */
export function requireBatch(
  { name, piece }: { readonly name: string; readonly piece: string },
  budget: number,
  { batch, bytes, rows = 0 }: Parameters<ReadLimits["require"]>[0],
  reading: number,
): void {
  const hint = `write the file in smaller ${piece === "batch" ? "batches" : "row groups"}`;
  requireMemory(`${piece} ${batch} of ${name}`, bytesToSort(bytes, rows) + reading, budget, hint);
  if (bytes <= MOST_BYTES) return;
  throw new InputError(`${piece} ${batch} of ${name} is too large: gpusort reads at most 4 GiB of one`, {
    hint,
  });
}
