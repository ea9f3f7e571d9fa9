import { readParams } from "../../core/shaders/kernels.js";
import { constant, type Dispatch, workgroupCount } from "./cpu_kernel.js";
import { type Bits, type KeyOps, keyOps } from "./order.js";

/** The CPU version of wgsl/bitonic_local.wgsl. */
export function bitonicLocal(dispatch: Dispatch): void {
  const ops = keyOps(dispatch.keyBits, dispatch.constants);
  const [keys] = dispatch.bindings as [Uint32Array];
  const params = readParams("bitonic_local", dispatch.params);
  const tileBits = constant(dispatch, "TILE_BITS");
  const tiles = Math.min(workgroupCount(dispatch.grid), params.tiles);
  for (let number = 0; number < tiles; number++) sortTile(params, tileBits, ops, keys, number);
}

function sortTile(
  params: ReturnType<typeof readParams<"bitonic_local">>,
  tileBits: number,
  ops: KeyOps,
  keys: Uint32Array,
  number: number,
): void {
  const { keyCount, shift, windowEnd, rows, columns, columnBits, tilesPerRow, firstLevel, lastLevel } =
    params;
  const size = 2 ** tileBits;
  const firstRow = Math.floor(number / tilesPerRow) * 2 ** (tileBits - columnBits);
  const firstColumn = (number % tilesPerRow) * 2 ** columnBits;
  const rowOf = (slot: number) => firstRow + (slot >> columnBits);
  const columnOf = (slot: number) => firstColumn + (slot & (2 ** columnBits - 1));
  const slots = Array.from({ length: size }, (_, slot) => slot).filter(
    (slot) => rowOf(slot) < rows && columnOf(slot) < columns,
  );

  const tile: Bits[] = [];
  for (const slot of slots)
    tile[slot] = ops.toOrdered(ops.read(keys, rowOf(slot) * columns + columnOf(slot)));

  for (let level = firstLevel; level <= lastLevel; level++) {
    for (let bit = Math.min(level, windowEnd); bit > shift; bit--) {
      const stride = 2 ** (bit - 1 - shift);
      for (const low of slots) {
        const index = columnOf(low) * 2 ** shift + rowOf(low);
        if ((low & stride) !== 0 || index + 2 ** (bit - 1) >= keyCount) continue;
        const high = low + stride;
        const descending = (((index ^ (keyCount - 1)) >>> level) & 1) === 1;
        if (tile[high]! < tile[low]! !== descending) [tile[low], tile[high]] = [tile[high]!, tile[low]!];
      }
    }
  }

  for (const slot of slots)
    ops.write(keys, rowOf(slot) * columns + columnOf(slot), ops.fromOrdered(tile[slot]!));
}
