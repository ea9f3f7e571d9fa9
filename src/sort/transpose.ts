import type { ElementType } from "../elements.js";
import { linearGrid } from "../plan/grid.js";
import type { Pass } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { keyModule } from "./key.js";

/** Keys along a side of the square tile that a workgroup turns round. */
const TILE_SIDE = 32;

/**
 * One pass that writes the transpose of `rows` x `columns` keys, row by row, from one buffer to another.
 * Any shape, 1 x n included. Moves 2 * rows * columns keys; needs TILE_SIDE * (TILE_SIDE + 1) keys of
 * workgroup memory, at most 8,448 bytes, which every WebGPU device has.
 *
 * The seed's 16 x 16 tile, which took shapes that are multiples of 16 only, with two changes: the tile's rows
 * are padded by one key against bank conflicts, and its edge is guarded.
 */
export function transposePass(
  type: ElementType,
  rows: number,
  columns: number,
  [input, output]: readonly [string, string],
  traits: DeviceTraits,
): Pass {
  const invocations = cooperativeWorkgroupSize(256, traits);
  const width = Math.min(TILE_SIDE, invocations);
  const tilesARow = Math.ceil(columns / TILE_SIDE);
  const tiles = Math.ceil(rows / TILE_SIDE) * tilesARow;
  return {
    program: {
      kernel: "transpose",
      uses: [keyModule(type), "grid"],
      constants: { TILE_SIDE, WIDTH: width, HEIGHT: invocations / width },
    },
    bindings: [input, output],
    params: [rows, columns, tilesARow, tiles],
    grid: linearGrid(tiles, traits.limits),
  };
}
