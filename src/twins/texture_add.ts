import type { Dispatch } from "./twin.js";

/** The twin of wgsl/texture_add.wgsl: (a + b) / 255, clamped to 1, is a byte again. */
export function textureAdd({ bindings }: Dispatch): void {
  const [a, b, output] = bindings.map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  ) as [Uint8Array, Uint8Array, Uint8Array];
  for (let i = 0; i < output.length; i++) output[i] = Math.min(255, a[i]! + b[i]!);
}
