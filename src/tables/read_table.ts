import type { Data, RecordBatch, Schema } from "apache-arrow";
import { InputError } from "../core/errors.js";
import type { InputFile } from "../files/input_file.js";
import type { Column } from "./column.js";
import { concatenateColumn } from "./concatenate.js";
import type { ReadLimits, TableFormat, TableInput, TableStyle } from "./format.js";
import { damaged, readingFrom } from "./input_bytes.js";
import { firstDifference } from "./schema.js";

/** A table in memory. */
export interface Table {
  /** That of the first input. */
  readonly schema: Schema;
  readonly columns: readonly Column[];
  readonly rowCount: number;
  /** Bytes of all values as they were read. */
  readonly bytes: number;
  /** That of the first input. */
  readonly style: TableStyle;
}

/** A file and its format. */
export interface TableFile {
  readonly file: InputFile;
  readonly format: TableFormat;
}

/** Rows are numbered by u32, and the last number means none. */
const MOST_ROWS = 2 ** 32 - 2;

/** Bytes that the sort keeps for each row besides the table: codes, keys and indices. */
const BYTES_PER_ROW = 48;
/** A table is in memory twice while its pieces are put together. */
const COPIES = 2;

/**
 * Opens inputs of the same columns.
 *
 * @returns the first one's schema and style, and the inputs.
 * @throws InputError if one cannot be read, or names the first difference between two schemas.
 */
export async function openTables(
  files: readonly TableFile[],
  limits: ReadLimits,
): Promise<{ schema: Schema; style: TableStyle; inputs: readonly TableInput[] }> {
  const inputs: TableInput[] = [];
  for (const { file, format } of files) {
    const input = await (await format.load()).read(file, limits);
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
  return { schema, style, inputs };
}

/** Reads all rows, those of the first input first. @throws InputError if an input is damaged or too large. */
export async function readTable(
  { schema, style, inputs }: Awaited<ReturnType<typeof openTables>>,
  files: readonly TableFile[],
  limits: ReadLimits,
): Promise<Table> {
  const pieces: Data[][] = schema.fields.map(() => []);
  let rowCount = 0;
  let bytes = 0;
  for (const [i, input] of inputs.entries()) {
    const { title } = files[i]!.format;
    for await (const batch of input.batches()) {
      requireWhole(input.name, title, batch, schema.fields.length);
      batch.data.children.forEach((data, column) => {
        pieces[column]!.push(data);
      });
      rowCount += batch.numRows;
      // The length cannot be taken if a part is missing.
      bytes += await readingFrom(input.name, title, () => batch.data.byteLength);
      if (rowCount > MOST_ROWS) {
        throw new InputError(
          `${input.name} has too many rows: gpusort sorts at most ${MOST_ROWS} of a table`,
          {
            hint: "sort a part of the table",
          },
        );
      }
      limits.require(bytes + (rowCount * BYTES_PER_ROW) / COPIES);
    }
  }
  const columns = schema.fields.map(({ name, type }, column) => {
    try {
      const whole = concatenateColumn(name, type, pieces[column]!);
      pieces[column] = [];
      return whole;
    } catch (cause) {
      if (cause instanceof InputError) throw cause;
      const names = inputs.map((input) => input.name).join(", ");
      throw damaged(
        names,
        files[0]!.format.title,
        new Error(`the column ${name} is damaged: ${(cause as Error).message}`),
      );
    }
  });
  return { schema, columns, rowCount, bytes, style };
}

function requireWhole(name: string, title: string, { data, numRows }: RecordBatch, columns: number): void {
  const { children } = data;
  if (Number.isSafeInteger(numRows) && numRows >= 0 && children.length === columns) {
    if (children.every(({ length }) => length === numRows)) return;
  }
  throw damaged(name, title, new Error("its columns have different numbers of rows"));
}

/** Limits that hold a sort to a budget of memory. */
export function limitsOf(names: readonly string[], budget: number): ReadLimits {
  return {
    require(bytes) {
      const needed = COPIES * bytes;
      if (needed <= budget) return;
      throw new InputError(
        `to sort ${names.join(", ")} takes more than ${Math.ceil(needed)} bytes of memory, but only ${budget} may be used`,
        {
          hint: "tables are sorted in memory: give the sort more of it, or sort the table in parts",
          options: ["memoryBytes"],
        },
      );
    },
  };
}
