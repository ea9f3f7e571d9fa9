import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { scanCountsPass } from "../sort/scan_counts.js";
import { params, program } from "./kernels.js";
import { chunksOf, textBuffer, wordsBuffer } from "./shape.js";

/** Vectors of 16 bytes that an invocation looks through: on hardware, on a software adapter. */
const VECTORS = [4, 256] as const;

/** A text, and what ends its rows. */
export interface TextShape {
  readonly bytes: number;
  readonly terminator: number;
  /** A byte to look for besides; undefined for none. */
  readonly quote: number | undefined;
}

/**
 * Counts the rows of the buffer "text": the word "row_total". The word "quotes", which must be 0 before, becomes 1
 * if a quote occurs. It leaves in "text_counts" what `findRowsPlan` needs. It reads the text once.
 */
export function countRowsPlan(text: TextShape, traits: DeviceTraits): Plan {
  const { chunks, constants, words } = shapeOf(text, traits);
  return {
    buffers: {
      text: textBuffer(text.bytes),
      text_counts: wordsBuffer(chunks.count),
      quotes: wordsBuffer(1),
      row_total: wordsBuffer(1),
    },
    passes: [
      {
        program: program("rows_count", { constants: { ...constants, PARAMS: 3 } }),
        bindings: ["text", "text_counts", "quotes"],
        params: params("rows_count", words),
        grid: chunks.grid,
      },
      scanCountsPass("text_counts", "row_total", chunks.count, traits),
    ],
    result: "row_total",
  };
}

/**
 * Stores in "starts" where each of `rows` rows begins, and the end of the last one. The word "longest", which must be
 * 0 before, becomes the bytes of the longest row. It reads the text once.
 */
export function findRowsPlan(text: TextShape, rows: number, traits: DeviceTraits): Plan {
  const { chunks, constants, words } = shapeOf(text, traits);
  const ofRows = chunksOf(rows, [1, 1], traits);
  return {
    buffers: {
      text: textBuffer(text.bytes),
      text_counts: wordsBuffer(chunks.count),
      starts: wordsBuffer(rows + 1),
      longest: wordsBuffer(1),
    },
    passes: [
      {
        program: program("rows_find", { constants: { ...constants, PARAMS: 3 } }),
        bindings: ["text", "text_counts", "starts"],
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

function shapeOf({ bytes, terminator, quote = terminator }: TextShape, traits: DeviceTraits) {
  const chunks = chunksOf(Math.ceil(bytes / 16), VECTORS, traits);
  return {
    chunks,
    constants: { WORKGROUP_SIZE: chunks.workgroupSize, VECTORS: chunks.perInvocation },
    words: { bytes, terminator, chunks: chunks.count, quote },
  };
}
