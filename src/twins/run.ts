import { type Binding, type Plan, rangeOf } from "../plan/plan.js";
import type { KernelName } from "../wgsl.generated.js";
import { bitonicLocal } from "./bitonic_local.js";
import { deviceCopy } from "./device_copy.js";
import { gather } from "./gather.js";
import { inspect } from "./inspect.js";
import {
  countingFill,
  radixCount,
  radixLocal,
  radixPack,
  radixScan,
  radixScatter,
  radixSerialCount,
  radixSerialScatter,
  radixShareOut,
} from "./radix.js";
import { transpose } from "./transpose.js";
import type { Twin } from "./twin.js";
import { vecadd } from "./vecadd.js";

const twins: Record<KernelName, Twin> = {
  bitonic_local: bitonicLocal,
  counting_fill: countingFill,
  gather,
  device_copy: deviceCopy,
  inspect,
  radix_count: radixCount,
  radix_local: radixLocal,
  radix_pack: radixPack,
  radix_scan: radixScan,
  radix_scatter: radixScatter,
  radix_serial_count: radixSerialCount,
  radix_serial_scan: radixScan,
  radix_serial_scatter: radixSerialScatter,
  radix_share_out: radixShareOut,
  radix_workgroup_scatter: radixScatter,
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
  const view = (binding: Binding) => {
    const { buffer, offset, bytes } = rangeOf(binding, plan.buffers);
    return buffers[buffer]!.subarray(offset / 4, (offset + bytes) / 4);
  };
  for (const { program, bindings, params, grid } of plan.passes) {
    twins[program.kernel]({
      bindings: bindings.map(view),
      params: "buffer" in params ? [...view(params)] : params,
      constants: program.constants,
      grid,
      keyBits: keyBits(program.uses),
      uses: program.uses,
    });
  }
  return buffers;
}

function keyBits(uses: readonly string[]): number {
  const key = uses.find((name) => /^key\d+$/.test(name));
  return key === undefined ? 32 : Number(key.slice("key".length));
}
