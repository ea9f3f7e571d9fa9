import { constant, type Dispatch } from "./twin.js";

/** The twin of wgsl/neighbours.wgsl as it is with the barrier, whether it was built with it or not. */
export function neighbours(dispatch: Dispatch): void {
  const [input, output] = dispatch.bindings as [Uint32Array, Uint32Array];
  const size = constant(dispatch, "WORKGROUP_SIZE");
  for (let i = 0; i < dispatch.params[0]!; i++) {
    const first = i - (i % size);
    output[i] = input[first + ((i + size - 1) % size)]! + input[first + ((i + 1) % size)]!;
  }
}
