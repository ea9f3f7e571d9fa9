import type { Dispatch } from "./twin.js";

/** The twin of wgsl/transpose.wgsl and of wgsl/transpose_naive.wgsl. */
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

/** The twin of wgsl/transpose_blocks.wgsl. */
export function transposeBlocks(dispatch: Dispatch): void {
  const [rowQuads, columnQuads] = dispatch.params as [number, number];
  transpose({ ...dispatch, params: [4 * rowQuads, 4 * columnQuads] });
}
