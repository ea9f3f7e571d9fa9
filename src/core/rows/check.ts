import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { params, program } from "./kernels.js";
import type { RowReading } from "./reading.js";
import { chunksOf, textBuffer, wordsBuffer } from "./shape.js";

/** Rows to check. */
export interface CheckedRows {
  readonly bytes: number;
  readonly rows: number;
  readonly reading: RowReading;
  readonly orderWords: number;
}

/**
 * Looks for rows without the field of a key that must be there, or with a key that must be a number and is
 * none: `readFirstWrong` reads what it found from the word "wrong", which must be 0 before.
 */
export function checkRowsPlan({ bytes, rows, reading, orderWords }: CheckedRows, traits: DeviceTraits): Plan {
  const { workgroupSize, grid } = chunksOf(rows, [1, 1], traits);
  return {
    buffers: {
      text: textBuffer(bytes),
      starts: wordsBuffer(rows + 1),
      order: wordsBuffer(orderWords),
      wrong: wordsBuffer(1),
    },
    passes: [
      {
        program: program("rows_check", {
          variants: {
            row_fields: reading.row_fields,
            row_numbers: reading.row_numbers,
            row_kinds: reading.row_kinds,
          },
          constants: { WORKGROUP_SIZE: workgroupSize },
        }),
        bindings: ["text", "starts", "order", "wrong"],
        params: params("rows_check", { count: rows }),
        grid,
      },
    ],
    result: "wrong",
  };
}

/** The first row that is in error, from 0; undefined if there is none. */
export function readFirstWrong([wrong = 0]: ArrayLike<number> & Iterable<number>): number | undefined {
  return wrong === 0 ? undefined : 0xffff_ffff - wrong;
}
