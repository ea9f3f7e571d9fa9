import type { ElementType } from "../elements.js";
import { floorPowerOfTwo, linearGrid } from "../plan/grid.js";
import type { Pass } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { keyModule } from "./key.js";

/** What may be tuned to a device without changing the result. */
export type TransposeTuning = TileTuning | BlockTuning;

/** wgsl/transpose.wgsl, for any keys and any shape. */
export interface TileTuning {
  readonly kernel: "transpose";
  /** Keys along a side of the square tile that a workgroup turns round; a power of two. */
  readonly tileSide: number;
  /** Invocations; a power of two. */
  readonly workgroupSize: number;
  /** Keys that an invocation loads before it waits for the first; a power of two. */
  readonly batch: number;
  /** Rows of tiles that workgroups take side by side: see wgsl/shared/tiles.wgsl. */
  readonly band: number;
}

/** wgsl/transpose_blocks.wgsl, for 32-bit keys in a matrix whose sides are multiples of 4. */
export interface BlockTuning {
  readonly kernel: "transpose_blocks";
  /** Blocks of 4 x 4 keys along a tile's rows and columns; an invocation each. With `exchange` 16 x 16. */
  readonly blocks: readonly [x: number, y: number];
  /** Whether blocks change hands in workgroup memory (16 KiB) to be written by longer rows. */
  readonly exchange: boolean;
  readonly band: number;
}

/** Keys along a tile's side by default: with a column of padding at most 8,448 bytes, which every device has. */
const TILE_SIDE = 32;

/** The tuning that sorts take. */
export function transposeTuning(
  type: ElementType,
  rows: number,
  columns: number,
  traits: DeviceTraits,
): TransposeTuning {
  const blocks = type.words === 1 && rows % 4 === 0 && columns % 4 === 0;
  if (blocks && traits.software) {
    const x = Math.min(4, cooperativeWorkgroupSize(8, traits));
    const y = Math.max(1, cooperativeWorkgroupSize(8, traits) / x);
    return { kernel: "transpose_blocks", blocks: [x, y], exchange: false, band: 1 };
  }
  if (blocks && exchangeFits(traits)) {
    return { kernel: "transpose_blocks", blocks: [16, 16], exchange: true, band: 1 };
  }
  return tileTuning(traits, {});
}

/** Whether a device has the invocations and the workgroup memory for blocks that are exchanged. */
export function exchangeFits({ limits }: DeviceTraits): boolean {
  return (
    Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX) >= 256 &&
    limits.maxComputeWorkgroupStorageSize >= 16_384
  );
}

/** Tiles cut to a device: a workgroup that it takes, and batches that a tile is a multiple of. */
export function tileTuning(
  traits: DeviceTraits,
  { tileSide = TILE_SIDE, workgroupSize = 256, batch = 4, band = 1 }: Partial<Omit<TileTuning, "kernel">>,
): TileTuning {
  const invocations = Math.min(cooperativeWorkgroupSize(workgroupSize, traits), tileSide * tileSide);
  const most = floorPowerOfTwo((tileSide * tileSide) / invocations);
  return { kernel: "transpose", tileSide, workgroupSize: invocations, batch: Math.min(batch, most), band };
}

/**
 * One pass that writes the transpose of `rows` x `columns` keys, row by row, from one buffer to another.
 * Any shape, 1 x n included. Moves 2 * rows * columns keys.
 *
 * By tiles it is the seed's 16 x 16 tile, which took shapes that are multiples of 16 only, with three changes: the
 * tile's rows are padded by one key against bank conflicts, its edge is guarded, and an invocation loads several
 * keys before it waits for one, as it is the loads under way that keep a fast memory busy. By blocks it loads and
 * stores 16 bytes at a time.
 *
 * @throws RangeError if the tuning is by blocks and the keys or the sides do not allow it.
 */
export function transposePass(
  type: ElementType,
  rows: number,
  columns: number,
  buffers: readonly [input: string, output: string],
  traits: DeviceTraits,
  tuning: TransposeTuning = transposeTuning(type, rows, columns, traits),
): Pass {
  return tuning.kernel === "transpose"
    ? tilesPass(type, rows, columns, buffers, traits, tuning)
    : blocksPass(type, rows, columns, buffers, traits, tuning);
}

function tilesPass(
  type: ElementType,
  rows: number,
  columns: number,
  buffers: readonly string[],
  { limits }: DeviceTraits,
  { tileSide, workgroupSize, batch, band }: TileTuning,
): Pass {
  const { tilesARow, tiles } = tiling(rows / tileSide, columns / tileSide, band);
  return {
    program: {
      kernel: "transpose",
      uses: [keyModule(type), "grid", "tiles"],
      constants: { TILE_SIDE: tileSide, WORKGROUP_SIZE: workgroupSize, BATCH: batch, BAND: band },
    },
    bindings: buffers,
    params: [rows, columns, tilesARow, tiles],
    grid: linearGrid(tiles, limits),
  };
}

function blocksPass(
  type: ElementType,
  rows: number,
  columns: number,
  buffers: readonly string[],
  { limits }: DeviceTraits,
  { blocks: [x, y], exchange, band }: BlockTuning,
): Pass {
  if (type.words !== 1 || rows % 4 !== 0 || columns % 4 !== 0) {
    throw new RangeError(`cannot transpose ${rows} x ${columns} ${type.name} keys by blocks of 4 x 4`);
  }
  const { tilesARow, tiles } = tiling(rows / (4 * y), columns / (4 * x), band);
  return {
    program: {
      kernel: "transpose_blocks",
      uses: ["grid", "tiles"],
      constants: { BLOCKS_X: x, BLOCKS_Y: y, EXCHANGE: exchange ? 1 : 0, BAND: band },
    },
    bindings: buffers,
    params: [rows / 4, columns / 4, tilesARow, tiles],
    grid: linearGrid(tiles, limits),
  };
}

/** From the matrix's sides in tiles. */
function tiling(rows: number, columns: number, band: number): { tilesARow: number; tiles: number } {
  const tilesARow = Math.ceil(columns);
  return { tilesARow, tiles: Math.ceil(Math.ceil(rows) / band) * band * tilesARow };
}
