import type { Dispatch } from "./cpu_kernel.js";

/**
 * The CPU version of wgsl/demos/texture_add.wgsl. A sum of two channels is clamped to 255, as the texture
 * does.
 */
export function textureAdd({ bindings }: Dispatch): void {
  const [a, b, output] = bindings.map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  ) as [Uint8Array, Uint8Array, Uint8Array];
  for (let i = 0; i < output.length; i++) output[i] = Math.min(255, a[i]! + b[i]!);
}
