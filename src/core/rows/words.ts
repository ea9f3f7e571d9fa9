import { rangeOfBits } from "../bytes.js";
import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import type { KeyBits } from "../sort/key.js";
import { params, program } from "./kernels.js";
import type { RowReading } from "./reading.js";
import { chunksOf, textBuffer, wordsBuffer } from "./shape.js";

/** Which rows: all in their order, or those that are tied. */
export type RowList = "all" | "tied";

/** Rows whose keys are read. */
export interface ReadRows {
  /** Bytes of the text, and all of its rows. */
  readonly bytes: number;
  readonly rows: number;
  readonly reading: RowReading;
  /** Words of the order: see src/rows/order/order_words.ts. */
  readonly orderWords: number;
  readonly list: RowList;
  /** The rows that are read. */
  readonly count: number;
  /** The number of the key. */
  readonly key: number;
}

/** Bytes that are compared at a time, at most. */
const MOST_PREFIX = 2 ** 20;

/** Words of the buffer "findings". */
export const FINDINGS_WORDS = 7;

/** Words of a tie: its place, its row, its group, and one that is unused. */
export const TIE_WORDS = 4;

/** What the words of keys show. */
export interface WordFindings {
  /**
   * The narrowest range of whole bytes that holds every bit in which the words differ; empty if all are
   * equal.
   */
  readonly varying: KeyBits;
  /** Whether a key goes on after its word. */
  readonly more: boolean;
  /** Whether a key is a number of a form that is not read: a hexadecimal one. */
  readonly unread: boolean;
  /**
   * The first row, from 0, without the field of a key that must be there, or with a key that must be a number
   * or a date and is none; undefined if there is none.
   */
  readonly wrong: number | undefined;
}

/**
 * Reads one word of a key from each row into the buffer `into`, two words each. Adds what they show to
 * "findings", which must be zero before: `readWordFindings` reads them.
 *
 * @param stage how many words of the key come before.
 * @param prefix bytes of the key that come before, and are known to be equal where rows are tied.
 */
export function keyWordsPlan(
  rows: ReadRows,
  { stage, prefix, into }: { readonly stage: number; readonly prefix: number; readonly into: string },
  traits: DeviceTraits,
): Plan {
  const { count, key } = rows;
  const { buffers, bindings, constants, ofTies, chunks } = shapeOf(rows, traits);
  return {
    buffers: { ...buffers, [into]: wordsBuffer(2 * count), findings: wordsBuffer(FINDINGS_WORDS) },
    passes: [
      {
        program: program("rows_words", { variants: rows.reading.variants, constants }),
        bindings: [...bindings, into, "findings"],
        params: params("rows_words", { count, key, stage, prefix, ofTies }),
        grid: chunks.grid,
      },
    ],
    result: into,
  };
}

/**
 * Finds how many bytes tied keys have in common after the first `passed` ones: `readPrefix` reads it from the
 * word "differing", which must be 0 before.
 */
export function prefixPlan(rows: ReadRows, passed: number, traits: DeviceTraits): Plan {
  const { count, key } = rows;
  const { buffers, bindings, constants, ofTies, chunks } = shapeOf(rows, traits);
  const { row_fields, row_bytes } = rows.reading.variants;
  return {
    buffers: { ...buffers, differing: wordsBuffer(1) },
    passes: [
      {
        program: program("rows_prefix", {
          variants: { row_fields, row_bytes },
          constants: { ...constants, MOST: MOST_PREFIX },
        }),
        bindings: [...bindings, "differing"],
        params: params("rows_prefix", { count, key, passed, ofTies }),
        grid: chunks.grid,
      },
    ],
    result: "differing",
  };
}

/** The bytes that tied keys have in common; undefined if no two of them differ. */
export function readPrefix([differing = 0]: ArrayLike<number> & Iterable<number>): number | undefined {
  return differing === 0 ? undefined : MOST_PREFIX + 1 - differing;
}

function shapeOf({ bytes, rows, reading, orderWords, list, count }: ReadRows, traits: DeviceTraits) {
  const isTied = list === "tied";
  const chunks = chunksOf(count, [1, 1], traits);
  return {
    chunks,
    buffers: {
      text: textBuffer(bytes),
      starts: wordsBuffer(rows + 1),
      order: wordsBuffer(orderWords),
      ...(isTied ? { ties: wordsBuffer(TIE_WORDS * count) } : {}),
    },
    // Of all rows there are no ties; the kernels then do not read what is bound.
    bindings: ["text", "starts", "order", isTied ? "ties" : "order"],
    constants: { ...reading.constants, WORKGROUP_SIZE: chunks.workgroupSize },
    ofTies: Number(isTied),
  };
}

/** Reads the buffer "findings". */
export function readWordFindings(words: Uint32Array): WordFindings {
  const [onesLow = 0, onesHigh = 0, zerosLow = 0, zerosHigh = 0, more, unread, wrong = 0] = words;
  const { begin, end } = rangeOfBits((onesLow & zerosLow) >>> 0, (onesHigh & zerosHigh) >>> 0);
  return {
    varying: { begin: begin - (begin % 8), end: Math.ceil(end / 8) * 8 }, // so one kernel serves all digits
    more: more === 1,
    unread: unread === 1,
    wrong: wrong === 0 ? undefined : 0xffff_ffff - wrong,
  };
}
