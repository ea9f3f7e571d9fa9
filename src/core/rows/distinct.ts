import { type Plan, renamed } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { compactionPlan } from "../primitives/compaction_plan.js";
import { CHUNK_SUMS, TOTAL } from "../primitives/scan_plan.js";
import { compareRowsPass, type InspectedRows, TOTALS_WORDS } from "./inspect.js";
import { params, program } from "./kernels.js";
import { chunksOf, scanCountsPass, textBuffer, wordsBuffer } from "./shape.js";

/** Rows of an invocation, on hardware and on a software adapter. */
const ROWS = [8, 256] as const;

/**
 * Finds which rows of the sorted text "output", which begin at "places", differ from the one before by their
 * keys: "is_distinct". The words "distinct_total" become their number and their bytes. Adds what it finds to
 * "distinct_sums", which must be zero before: `readRowTotals` reads them.
 */
export function distinctRowsPlan(
  sorted: Pick<InspectedRows, "bytes" | "rows" | "reading" | "orderWords">,
  traits: DeviceTraits,
): Plan {
  const { bytes, rows, reading, orderWords } = sorted;
  const compared = { rows, reading, text: "output", starts: "places" };
  const chunks = chunksOf(rows, ROWS, traits);
  return {
    buffers: {
      output: textBuffer(bytes),
      places: wordsBuffer(rows + 1),
      order: wordsBuffer(orderWords),
      is_distinct: wordsBuffer(rows),
      distinct_counts: wordsBuffer(2 * chunks.count),
      distinct_total: wordsBuffer(2),
      distinct_sums: wordsBuffer(TOTALS_WORDS),
    },
    passes: [
      compareRowsPass(compared, "is_distinct", "distinct_sums", traits, true),
      {
        program: program("rows_distinct", {
          constants: { WORKGROUP_SIZE: chunks.workgroupSize, ROWS_PER_INVOCATION: chunks.perInvocation },
        }),
        bindings: ["output", "places", "is_distinct", "distinct_counts", "distinct_sums"],
        params: params("rows_distinct", { count: rows, chunks: chunks.count }),
        grid: chunks.grid,
      },
      scanCountsPass("distinct_counts", "distinct_total", chunks.count, traits, 2),
    ],
    result: "distinct_total",
  };
}

/** The buffers of a compaction by flags, as the rows have them. */
const KEPT: Readonly<Record<string, string>> = {
  flags: "is_distinct",
  values: "permutation",
  output: "next_permutation",
  [CHUNK_SUMS]: "kept_sums",
  [TOTAL]: "kept_total",
};

/** Lists the distinct ones of the rows of "permutation" in "next_permutation", after `distinctRowsPlan`. */
export function keepDistinctPlan(rows: number, traits: DeviceTraits): Plan {
  const compaction = compactionPlan({ capacity: rows, valueBytes: 4, indices: false, traits });
  return renamed(compaction, (name) => KEPT[name]!);
}
