import { readParams } from "../../core/shaders/kernels.js";
import { readParams as readDemoParams } from "../../demo_kernels/kernels.js";
import type { Dispatch } from "./cpu_kernel.js";

/** The CPU version of wgsl/transpose.wgsl. */
export function transposeKeys(dispatch: Dispatch): void {
  const { rows, columns } = readParams("transpose", dispatch.params);
  transposeWords(dispatch, rows, columns, dispatch.keyBits / 32);
}

/** The CPU version of wgsl/demos/transpose_naive.wgsl. */
export function transposeNaive(dispatch: Dispatch): void {
  const { rows, columns } = readDemoParams("transpose_naive", dispatch.params);
  transposeWords(dispatch, rows, columns, 1);
}

function transposeWords({ bindings }: Dispatch, rows: number, columns: number, words: number): void {
  const [input, output] = bindings as [Uint32Array, Uint32Array];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      for (let word = 0; word < words; word++) {
        output[(column * rows + row) * words + word] = input[(row * columns + column) * words + word]!;
      }
    }
  }
}

/** The CPU version of wgsl/transpose_blocks.wgsl. */
export function transposeBlocks(dispatch: Dispatch): void {
  const { rowQuads, columnQuads } = readParams("transpose_blocks", dispatch.params);
  transposeWords(dispatch, 4 * rowQuads, 4 * columnQuads, 1);
}
