import { readParams } from "../demo_kernels/kernels.js";
import { asFloats, type Dispatch } from "./cpu_kernel.js";

/** Floats per `Data` struct: v1 at 0, v2 at 4, and padding at 3, 6 and 7. */
const STRIDE = 8;
const MEMBERS = [0, 1, 2, 4, 5];

/** The CPU version of wgsl/demos/vecadd.wgsl. */
export function vecadd({ bindings, params }: Dispatch): void {
  const [a, b, output] = bindings.map(asFloats) as [Float32Array, Float32Array, Float32Array];
  const { count } = readParams("vecadd", params);
  for (let i = 0; i < count; i++) {
    for (const member of MEMBERS) {
      output[i * STRIDE + member] = a[i * STRIDE + member]! + b[i * STRIDE + member]!;
    }
  }
}
