import { readParams } from "../core/shaders/kernels.js";
import type { Dispatch } from "./cpu_kernel.js";

/** The CPU version of wgsl/gather.wgsl. */
export function gather({ bindings, params }: Dispatch): void {
  const [indices, values, gathered] = bindings as [Uint32Array, Uint32Array, Uint32Array];
  const { words, indexCount, valueBegin, valueCount } = readParams("gather", params);
  for (let i = 0; i < indexCount; i++) {
    const value = indices[i]! - valueBegin;
    if (value < 0 || value >= valueCount) continue;
    for (let word = 0; word < words; word++) gathered[i * words + word] = values[value * words + word]!;
  }
}
