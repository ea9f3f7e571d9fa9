import { elementType } from "../elements.js";
import { transposePass } from "../sort/transpose.js";
import type { Demo } from "./demo.js";

/** Neither side is a multiple of the tile's, so that its guarded edge is seen to work. */
const ROWS = 45;
const COLUMNS = 70;
const SHOWN = 6;

const type = elementType("u32");

/** The bitonic sort's other kernel, alone: element (row, column) holds 100 * row + column, and is turned round. */
export const transpose: Demo = {
  name: "transpose",
  summary: `a ${ROWS} x ${COLUMNS} matrix transposed in tiles through workgroup memory`,
  build: (traits) => {
    const bytes = ROWS * COLUMNS * type.bytes;
    const number = (_: number, i: number) => 100 * Math.floor(i / COLUMNS) + (i % COLUMNS);
    const input = new Uint32Array(ROWS * COLUMNS).map(number);
    return {
      plan: {
        buffers: { input: { bytes }, output: { bytes } },
        passes: [transposePass(type, ROWS, COLUMNS, ["input", "output"], traits)],
        result: "output",
      },
      inputs: { input },
      show: (output) =>
        `the first ${SHOWN} rows and columns of the input:\n${corner(input, COLUMNS)}` +
        `and of the output:\n${corner(output, ROWS)}`,
    };
  },
};

function corner(matrix: Uint32Array, columns: number): string {
  const cells = (row: number) => [...matrix.subarray(row * columns, row * columns + SHOWN)];
  const line = (_: unknown, row: number) =>
    `${cells(row)
      .map((cell) => String(cell).padStart(5))
      .join("")}\n`;
  return Array.from({ length: SHOWN }, line).join("");
}
