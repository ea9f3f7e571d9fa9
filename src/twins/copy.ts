import type { Dispatch } from "./twin.js";

/** The twin of wgsl/copy.wgsl. */
export function copy({ bindings, params }: Dispatch): void {
  const [input, output] = bindings as [Uint32Array, Uint32Array];
  output.set(input.subarray(0, 4 * params[0]!));
}
