import { readParams } from "../demo_kernels/kernels.js";
import { constant, type Dispatch } from "./cpu_kernel.js";

/**
 * The CPU version of wgsl/demos/neighbours.wgsl. It always computes the result that the barrier guarantees.
 */
export function neighbours(dispatch: Dispatch): void {
  const [input, output] = dispatch.bindings as [Uint32Array, Uint32Array];
  const size = constant(dispatch, "WORKGROUP_SIZE");
  const { count } = readParams("neighbours", dispatch.params);
  for (let i = 0; i < count; i++) {
    const first = i - (i % size);
    output[i] = input[first + ((i + size - 1) % size)]! + input[first + ((i + 1) % size)]!;
  }
}
