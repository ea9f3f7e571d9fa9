import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { params, program } from "./kernels.js";
import { chunksOf, scanCountsPass, textBuffer, wordsBuffer } from "./shape.js";

/** Rows of an invocation that finds their places: on hardware, on a software adapter. */
const ROWS = [8, 256] as const;

/**
 * Vectors of the output of an invocation: on hardware, on a software adapter. A tile has 8 KiB on hardware.
 */
const VECTORS = [2, 64] as const;

/** Rows of a tile in workgroup memory, at most: 8 KiB. The places of more are read where they are. */
const ROOM = 1024;

/**
 * Moves the rows of "text", which begin at "starts", into the order of "permutation". Its result "output" has
 * the length of these rows, and zeros up to a whole word. It leaves "places", where they begin in it and where
 * the last one ends.
 *
 * Three dispatches and a scan: the lengths of the rows, their places, and then the rows. That is
 * reduce-then-scan, as in `radixPlan`; a chunk of rows is scanned by a workgroup. The copy is divided by the
 * output and not by rows, so a long row keeps no invocation busy alone, and each word is written once.
 *
 * @param bytes of the output.
 * @param rows of the output.
 * @param from the bytes and rows of the text, of which "permutation" may list only some.
 */
export function moveRowsPlan(
  bytes: number,
  rows: number,
  traits: DeviceTraits,
  from: { readonly bytes: number; readonly rows: number } = { bytes, rows },
): Plan {
  const chunks = chunksOf(rows, ROWS, traits);
  const tiles = chunksOf(Math.ceil(bytes / 16), VECTORS, traits);
  const ofChunks = { WORKGROUP_SIZE: chunks.workgroupSize, ROWS_PER_INVOCATION: chunks.perInvocation };
  const tileBytes = 16 * tiles.workgroupSize * tiles.perInvocation;
  return {
    buffers: {
      text: textBuffer(from.bytes),
      starts: wordsBuffer(from.rows + 1),
      permutation: wordsBuffer(rows),
      sources: wordsBuffer(rows),
      places: wordsBuffer(rows + 1),
      row_counts: wordsBuffer(chunks.count),
      moved_bytes: wordsBuffer(1),
      first_rows: wordsBuffer(tiles.count + 1),
      output: textBuffer(bytes),
    },
    passes: [
      {
        program: program("rows_measure", { constants: ofChunks }),
        bindings: ["starts", "permutation", "sources", "places", "row_counts"],
        params: params("rows_measure", { count: rows, chunks: chunks.count }),
        grid: chunks.grid,
      },
      scanCountsPass("row_counts", "moved_bytes", chunks.count, traits),
      {
        program: program("rows_place", { constants: { ...ofChunks, TILE_BYTES: tileBytes } }),
        bindings: ["row_counts", "places", "first_rows"],
        params: params("rows_place", { count: rows, chunks: chunks.count, tiles: tiles.count }),
        grid: chunks.grid,
      },
      {
        program: program("rows_gather", {
          constants: { WORKGROUP_SIZE: tiles.workgroupSize, VECTORS: tiles.perInvocation, ROOM },
        }),
        bindings: ["text", "sources", "places", "first_rows", "output"],
        params: params("rows_gather", { bytes, tiles: tiles.count }),
        grid: tiles.grid,
      },
    ],
    result: "output",
  };
}
