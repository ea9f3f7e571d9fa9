import type { Plan } from "../plan/plan.js";
import type { KernelName } from "../wgsl.generated.js";
import { bitonicLocal } from "./bitonic_local.js";
import { inspect } from "./inspect.js";
import { radixCount, radixScan, radixScatter } from "./radix.js";
import { transpose } from "./transpose.js";
import type { Twin } from "./twin.js";
import { vecadd } from "./vecadd.js";

const twins: Record<KernelName, Twin> = {
  bitonic_local: bitonicLocal,
  inspect,
  radix_count: radixCount,
  radix_scan: radixScan,
  radix_scatter: radixScatter,
  radix_serial_count: radixCount,
  radix_serial_scan: radixScan,
  radix_serial_scatter: radixScatter,
  transpose,
  vecadd,
};

/**
 * Runs a plan on the CPU, kernel by kernel with their twins.
 *
 * @param inputs initial contents by buffer, as words; a buffer not named starts as zeros. Not modified.
 * @returns every buffer of the plan as it is after the last pass.
 * @throws RangeError if an input is longer than its buffer.
 */
export function runOnTwins(
  plan: Plan,
  inputs: Readonly<Record<string, Uint32Array>>,
): Record<string, Uint32Array> {
  const buffers: Record<string, Uint32Array> = {};
  for (const [name, { bytes }] of Object.entries(plan.buffers)) {
    const words = new Uint32Array(bytes / 4);
    words.set(inputs[name] ?? []);
    buffers[name] = words;
  }
  for (const { program, bindings, params, grid } of plan.passes) {
    twins[program.kernel]({
      bindings: bindings.map((name) => buffers[name]!),
      params,
      constants: program.constants,
      grid,
      keyWords: program.uses.includes("key64") ? 2 : 1,
    });
  }
  return buffers;
}
