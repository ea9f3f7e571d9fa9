import { readParams } from "../demo_kernels/kernels.js";
import { constant, type Dispatch } from "./cpu_kernel.js";

/** The CPU version of wgsl/demos/occupancy.wgsl. */
export function occupancy(dispatch: Dispatch): void {
  const [table, output] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { words, steps } = readParams("occupancy", dispatch.params);
  const size = constant(dispatch, "WORKGROUP_SIZE");
  const walk = (at: number) => {
    let place = Math.imul(at, 0x9e3779b1) & (words - 1);
    for (let step = 0; step < steps; step++) place = (table[place]! + step) & (words - 1);
    return place;
  };
  for (let first = 0; first < output.length; first += size) {
    const places = Array.from({ length: size }, (_, i) => walk(first + i));
    for (let i = 0; i < size && first + i < output.length; i++) {
      output[first + i] = places[i]! ^ places[(i + 1) % size]!;
    }
  }
}
