import { type ErrorDetails, VerifyError } from "../errors.js";
import type { Pass, Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { params, program } from "./kernels.js";
import type { RowReading } from "./reading.js";
import { chunksOf, textBuffer, wordsBuffer } from "./shape.js";

/** Words of a number that are compared, at most. */
const MOST_STAGES = 64;

/** Words of the buffer of totals. */
export const TOTALS_WORDS = 9;

/** What an inspection of rows finds. */
export interface RowTotals {
  /** Two sums of hashes of 32 bits of all rows, modulo 2^32. They do not depend on the order. */
  readonly sums: readonly [number, number];
  /** Inspected rows. */
  readonly seen: number;
  /**
   * Rows that do not end where a row ends, or that end before; a first or a last one that is not where the
   * text begins or ends.
   */
  readonly malformed: number;
  /** Neighbours in the wrong order. */
  readonly inversions: number;
  /** Neighbours that are not told apart by the first thousand digits of a number. */
  readonly unknown: number;
  /** Neighbours whose keys are equal. */
  readonly equal: number;
  /** The sum of the words of the first rows, modulo 2^32. Zeros complete the last one. */
  readonly wordSum: number;
  /** Rows that were compared with the one before; the first one counts. */
  readonly compared: number;
}

/** What a sort must not change. */
export type RowInvariants = Pick<RowTotals, "sums" | "seen" | "malformed">;

/** Rows to inspect. */
export interface InspectedRows {
  readonly bytes: number;
  readonly rows: number;
  readonly terminator: number;
  readonly reading: RowReading;
  readonly orderWords: number;
  /** Names of the buffers of the text, and of where rows begin in it. */
  readonly text: string;
  readonly starts: string;
  /** Whether they must be in order. */
  readonly isSorted: boolean;
  /** The number of first rows whose words are added up. Default: all. */
  readonly firstRows?: number | undefined;
}

/**
 * Inspects rows, and adds what it finds to `totals`, which must be zero before: `readRowTotals` reads them.
 * It reads the text once, and of sorted rows the keys twice more.
 */
export function inspectRowsPlan(inspected: InspectedRows, totals: string, traits: DeviceTraits): Plan {
  const { bytes, rows, terminator, reading, orderWords, text, starts, isSorted } = inspected;
  const firstRows = Math.min(inspected.firstRows ?? rows, rows);
  const { workgroupSize, grid } = chunksOf(rows, [1, 1], traits);
  return {
    buffers: {
      [text]: textBuffer(bytes),
      [starts]: wordsBuffer(rows + 1),
      ...(isSorted ? { order: wordsBuffer(orderWords), none_distinct: wordsBuffer(1) } : {}),
      [totals]: wordsBuffer(TOTALS_WORDS),
    },
    passes: [
      {
        program: program("rows_inspect", {
          variants: { row_fields: reading.variants.row_fields },
          constants: { ...reading.constants, WORKGROUP_SIZE: workgroupSize },
        }),
        bindings: [text, starts, totals],
        params: params("rows_inspect", { count: rows, bytes, terminator, firstRows }),
        grid,
      },
      ...(isSorted ? [compareRowsPass(inspected, "none_distinct", totals, traits)] : []),
    ],
    result: totals,
  };
}

/**
 * Compares rows with the one before, and adds what it finds to `totals`. The same kernel checks the order and
 * finds distinct rows, as it takes long to compile.
 *
 * @param isDistinct the buffer that says which rows differ from the one before, if `stores`.
 */
export function compareRowsPass(
  { rows, reading, text, starts }: Pick<InspectedRows, "rows" | "reading" | "text" | "starts">,
  isDistinct: string,
  totals: string,
  traits: DeviceTraits,
  stores = false,
): Pass {
  const { workgroupSize, grid } = chunksOf(rows, [1, 1], traits);
  return {
    program: program("rows_compare", {
      variants: reading.variants,
      constants: { ...reading.constants, WORKGROUP_SIZE: workgroupSize, MOST_STAGES },
    }),
    bindings: [text, starts, "order", isDistinct, totals],
    params: params("rows_compare", { count: rows, stores: Number(stores) }),
    grid,
  };
}

/** Reads the totals of an inspection. */
export function readRowTotals(words: Uint32Array): RowTotals {
  const [sumA = 0, sumB = 0, seen = 0, malformed = 0, inversions = 0] = words;
  const [unknown = 0, equal = 0, wordSum = 0, compared = 0] = words.subarray(5);
  return { sums: [sumA, sumB], seen, malformed, inversions, unknown, equal, wordSum, compared };
}

const details: ErrorDetails = {
  hint: "the input is untouched and no output was written; try another device, or the CPU",
  options: ["device"],
};

/** @throws VerifyError unless all rows were inspected, and each is one. */
export function checkWholeRows(rows: number, { seen, malformed }: RowInvariants, device: string): void {
  if (seen === rows && malformed === 0) return;
  throw new VerifyError(
    `${device} inspected ${seen} of ${rows} rows, of which ${malformed} do not begin and end where rows do`,
    details,
  );
}

/** @throws VerifyError unless the result of a sort has the rows of the input, in order. */
export function checkRowTotals(rows: number, before: RowInvariants, after: RowTotals, device: string): void {
  for (const totals of [before, after]) checkWholeRows(rows, totals, device);
  if (after.compared !== rows)
    throw new VerifyError(`${device} compared ${after.compared} of ${rows} rows`, details);
  if (before.sums.some((sum, i) => sum !== after.sums[i])) {
    throw new VerifyError(`${device} changed rows while it sorted them: the checksums differ`, details);
  }
  if (after.inversions > 0) {
    throw new VerifyError(
      `${device} sorted rows wrongly: ${after.inversions} neighbours are out of order`,
      details,
    );
  }
}

/** @throws VerifyError unless an inspection saw as many distinct rows as another kernel found or left. */
export function checkDistinctRows(distinct: number, { seen, equal }: RowTotals, device: string): void {
  if (distinct === seen - equal) return;
  throw new VerifyError(
    `${device} left out the wrong rows: it found ${distinct} distinct ones, and inspected ${seen - equal}`,
    details,
  );
}
