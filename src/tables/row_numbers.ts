import { InputError } from "../core/errors.js";
import type { ItemSink } from "../core/streams/item_stream.js";
import type { Column, ColumnOf } from "./column.js";
import type { RowSink } from "./write_table.js";

/** Numbers that are written at a time. */
const BATCH_ROWS = 1 << 18;

/**
 * The numbers of rows in the input as a column, which stands behind the others.
 *
 * @param start the number of the first row, from 0.
 * @param name the inputs.
 * @throws InputError if the numbers do not fit u32.
 */
export function numberColumn(start: number, length: number, name: string): Column {
  if (start + length > 2 ** 32) {
    throw new InputError(`${name} has more than 2^32 rows, so their numbers do not fit u32`, {
      hint: "sort it in parts, or sort the rows instead of their numbers",
      options: ["argsort"],
    });
  }
  const values = Uint32Array.from({ length }, (_, row) => start + row);
  // No format sees the type of this column.
  return { kind: "fixed", type: {} as never, length, width: 4, values: new Uint8Array(values.buffer) };
}

/** Writes the numbers of rows, as u32. */
export function numberRows(sink: ItemSink): RowSink {
  let at = 0;
  return {
    batchRows: BATCH_ROWS,
    copies: 1,
    async write(columns) {
      const { values } = [...columns].at(-1) as ColumnOf<"fixed">;
      await sink.write(values as Uint8Array<ArrayBuffer>, at);
      at += values.length;
    },
    end: () => sink.end(),
    stop: async () => {},
  };
}
