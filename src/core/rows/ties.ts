import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { params, program } from "./kernels.js";
import { type Chunks, chunksOf, scanCountsPass, wordsBuffer } from "./shape.js";
import { type RowList, TIE_WORDS } from "./words.js";

/** Rows of an invocation, on hardware and on a software adapter. A chunk has fewer than 2^16. */
const ROWS = [8, 256] as const;

/** Rows that were sorted by words of their keys. */
export interface SortedRows {
  /** All rows by their first words, or those that were tied before. */
  readonly list: RowList;
  readonly count: number;
  /** Whether the words are those of a key in descending order. */
  readonly descending: boolean;
}

/** Names of the buffers that hold what was sorted. */
export interface TieBuffers {
  /** For each place in the order, which of the rows is there. */
  readonly sorted: string;
  /** The words in this order for "all" rows; as they were read for those that are "tied". */
  readonly words: string;
}

/**
 * Counts the rows that are tied after a sort: two words "tie_total", the rows and their groups. The word
 * "goes_on", which must be 0 before, becomes 1 if a word of one says that its string goes on.
 */
export function countTiesPlan(rows: SortedRows, names: TieBuffers, traits: DeviceTraits): Plan {
  const { chunks, buffers, bindings, constants, words } = shapeOf(rows, names, 5, traits);
  return {
    buffers: { ...buffers, goes_on: wordsBuffer(1), tie_total: wordsBuffer(2) },
    passes: [
      {
        program: program("rows_tie_count", { constants }),
        bindings: [...bindings, "tie_counts", "goes_on"],
        params: params("rows_tie_count", words),
        grid: chunks.grid,
      },
      scanCountsPass("tie_counts", "tie_total", chunks.count, traits, 2),
    ],
    result: "tie_total",
  };
}

/**
 * Lists the rows that are still tied in "next_ties", after `countTiesPlan` has run, and puts the rows that
 * were sorted into their places in "permutation".
 *
 * @param all all rows; `next` those that are still tied.
 */
export function moveTiesPlan(
  rows: SortedRows,
  names: TieBuffers,
  { all, next }: { readonly all: number; readonly next: number },
  traits: DeviceTraits,
): Plan {
  const { chunks, buffers, bindings, constants, words } = shapeOf(rows, names, 6, traits);
  return {
    buffers: { ...buffers, next_ties: wordsBuffer(TIE_WORDS * next), permutation: wordsBuffer(all) },
    passes: [
      {
        program: program("rows_tie_move", { constants }),
        bindings: [...bindings, "tie_counts", "next_ties", "permutation"],
        params: params("rows_tie_move", words),
        grid: chunks.grid,
      },
    ],
    result: "next_ties",
  };
}

/** Makes the keys "keys" of the groups of tied rows, in the order "by_words". */
export function groupKeysPlan(count: number, traits: DeviceTraits): Plan {
  const { workgroupSize, grid } = chunksOf(count, [1, 1], traits);
  return {
    buffers: {
      by_words: wordsBuffer(count),
      ties: wordsBuffer(TIE_WORDS * count),
      keys: wordsBuffer(2 * count),
    },
    passes: [
      {
        program: program("rows_tie_groups", { constants: { WORKGROUP_SIZE: workgroupSize } }),
        bindings: ["by_words", "ties", "keys"],
        params: params("rows_tie_groups", { count }),
        grid,
      },
    ],
    result: "keys",
  };
}

/** Combines the order "by_words" and then that by groups, the buffer `byGroups`, into "sorted". */
export function combinedOrderPlan(count: number, byGroups: string, traits: DeviceTraits): Plan {
  const { workgroupSize, grid } = chunksOf(count, [1, 1], traits);
  return {
    buffers: {
      by_words: wordsBuffer(count),
      [byGroups]: wordsBuffer(count),
      sorted: wordsBuffer(count),
    },
    passes: [
      {
        program: program("rows_tie_order", { constants: { WORKGROUP_SIZE: workgroupSize } }),
        bindings: ["by_words", byGroups, "sorted"],
        params: params("rows_tie_order", { count }),
        grid,
      },
    ],
    result: "sorted",
  };
}

/** @param paramsAt the number of the binding of the parameters. */
function shapeOf(
  { list, count, descending }: SortedRows,
  names: TieBuffers,
  paramsAt: number,
  traits: DeviceTraits,
) {
  const isTied = list === "tied";
  const chunks: Chunks = chunksOf(count, ROWS, traits);
  return {
    chunks,
    buffers: {
      [names.sorted]: wordsBuffer(count),
      [names.words]: wordsBuffer(2 * count),
      tie_counts: wordsBuffer(2 * chunks.count),
      ...(isTied ? { ties: wordsBuffer(TIE_WORDS * count) } : {}),
    },
    // Of all rows there are no ties before; the kernels then do not read what is bound.
    bindings: [names.sorted, names.words, isTied ? "ties" : names.sorted],
    constants: {
      WORKGROUP_SIZE: chunks.workgroupSize,
      ROWS_PER_INVOCATION: chunks.perInvocation,
      PARAMS: paramsAt,
    },
    words: { count, chunks: chunks.count, flip: descending ? 0xffff_ffff : 0, ofTies: Number(isTied) },
  };
}
