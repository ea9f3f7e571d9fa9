import type { Pass, Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { params, program } from "./kernels.js";
import { chunksOf, scanCountsPass, textBuffer, wordsBuffer } from "./shape.js";

/** Vectors of 16 bytes that an invocation reads: on hardware, on a software adapter. */
const VECTORS = [4, 256] as const;

/** A text, and what ends its rows. */
export interface TextShape {
  readonly bytes: number;
  readonly terminator: number;
  /** The byte between two fields that may be in quotes; undefined if a quote is a byte like others. */
  readonly separator: number | undefined;
}

/**
 * Counts the rows of the buffer "text": the word "row_total". It leaves in "text_counts" what `findRowsPlan`
 * needs, and reads the text once.
 *
 * Where fields may be in quotes, what lies within these ends no row. It then reads the text twice and leaves
 * what is needed in "quote_counts" too; the word "quote_total" becomes the number of quotes, an odd one if
 * one is not closed. The word "misplaced_quotes", which must be 0 before, becomes 1 if a quote begins quoted
 * text where no field begins.
 */
export function countRowsPlan(text: TextShape, traits: DeviceTraits): Plan {
  const { chunks, constants, words, ends } = shapeOf(text, traits);
  const quotes: Pass[] = [
    {
      program: program("rows_quotes", { constants: { ...constants, PARAMS: 2 } }),
      bindings: ["text", "quote_counts"],
      params: params("rows_quotes", words),
      grid: chunks.grid,
    },
    scanCountsPass("quote_counts", "quote_total", chunks.count, traits),
  ];
  return {
    buffers: {
      text: textBuffer(text.bytes),
      text_counts: wordsBuffer(chunks.count),
      misplaced_quotes: wordsBuffer(1),
      row_total: wordsBuffer(1),
      quote_total: wordsBuffer(1),
      ...ends.buffers,
    },
    passes: [
      ...(ends.isQuoted ? quotes : []),
      {
        program: program("rows_count", {
          variants: { row_ends: ends.variant },
          constants: { ...constants, ...ends.constants },
        }),
        bindings: ["text", "text_counts", "misplaced_quotes", ...ends.bindings],
        params: params("rows_count", words),
        grid: chunks.grid,
      },
      scanCountsPass("text_counts", "row_total", chunks.count, traits),
    ],
    result: "row_total",
  };
}

/**
 * Stores in "starts" where each of `rows` rows begins, and the end of the last one. The word "longest", which
 * must be 0 before, becomes the bytes of the longest row. It reads the text once.
 */
export function findRowsPlan(text: TextShape, rows: number, traits: DeviceTraits): Plan {
  const { chunks, constants, words, ends } = shapeOf(text, traits);
  const ofRows = chunksOf(rows, [1, 1], traits);
  return {
    buffers: {
      text: textBuffer(text.bytes),
      text_counts: wordsBuffer(chunks.count),
      starts: wordsBuffer(rows + 1),
      longest: wordsBuffer(1),
      ...ends.buffers,
    },
    passes: [
      {
        program: program("rows_find", {
          variants: { row_ends: ends.variant },
          constants: { ...constants, ...ends.constants },
        }),
        bindings: ["text", "text_counts", "starts", ...ends.bindings],
        params: params("rows_find", words),
        grid: chunks.grid,
      },
      {
        program: program("rows_longest", { constants: { WORKGROUP_SIZE: ofRows.workgroupSize } }),
        bindings: ["starts", "longest"],
        params: params("rows_longest", { count: rows }),
        grid: ofRows.grid,
      },
    ],
    result: "starts",
  };
}

function shapeOf({ bytes, terminator, separator }: TextShape, traits: DeviceTraits) {
  const chunks = chunksOf(Math.ceil(bytes / 16), VECTORS, traits);
  const isQuoted = separator !== undefined;
  return {
    chunks,
    constants: { WORKGROUP_SIZE: chunks.workgroupSize, VECTORS: chunks.perInvocation },
    words: { bytes, terminator, separator: separator ?? terminator, chunks: chunks.count },
    /** What tells the kernels which bytes end rows. */
    ends: {
      isQuoted,
      variant: isQuoted ? "quoted" : "plain",
      buffers: isQuoted ? { quote_counts: wordsBuffer(chunks.count) } : {},
      bindings: isQuoted ? ["quote_counts"] : [],
      constants: isQuoted ? { QUOTE_COUNTS: 3, PARAMS: 4 } : { PARAMS: 3 },
    },
  } as const;
}
