import type { Binding, Pass } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { params, program } from "../shaders/kernels.js";

/**
 * Plans one dispatch that replaces counts by their exclusive prefix sums, and writes their total. A workgroup
 * scans a row of counts.
 *
 * @param columns the counts of a row.
 * @param rows the rows, which follow each other in `counts`; each has a word in `totals`.
 */
export function scanCountsPass(
  counts: Binding,
  totals: Binding,
  columns: number,
  traits: DeviceTraits,
  rows = 1,
): Pass {
  return {
    program: program("radix_scan", {
      variants: {},
      constants: { WORKGROUP_SIZE: cooperativeWorkgroupSize(256, traits), PARAMS: 2 },
    }),
    bindings: [counts, totals],
    params: params("radix_scan", {
      columns,
      keyCount: 0,
      shift: 0,
      chunk: 0,
      firstColumn: 0,
      inputBegin: 0,
      outputBegin: 0,
      outputKeys: 0,
      extraShift: 0,
    }),
    grid: [rows, 1, 1],
  };
}
