import type { Dispatch } from "./twin.js";

/** The twin of wgsl/transpose.wgsl. */
export function transpose({ bindings, params, keyBits }: Dispatch): void {
  const [input, output] = bindings as [Uint32Array, Uint32Array];
  const words = keyBits / 32;
  const [rows, columns] = params as [number, number];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      for (let word = 0; word < words; word++) {
        output[(column * rows + row) * words + word] = input[(row * columns + column) * words + word]!;
      }
    }
  }
}
