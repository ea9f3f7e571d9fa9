import type { ElementType } from "../elements.js";
import { floorPowerOfTwo, linearGrid } from "../plan/grid.js";
import type { Pass } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { params, program } from "../shaders/kernels.js";
import { keyVariant } from "./key.js";

/** Settings that change the speed on a device but not the result. */
export type TransposeTuning = TileTuning | BlockTuning;

/** For wgsl/bitonic/transpose.wgsl, which takes 32-bit or 64-bit keys in a matrix of any shape. */
export interface TileTuning {
  /** The file below wgsl/, without its extension. */
  readonly kernel: "transpose";
  /** Keys along a side of the square tile that a workgroup transposes; a power of two. */
  readonly tileSide: number;
  /** Invocations; a power of two. */
  readonly workgroupSize: number;
  /** Keys that an invocation loads before it uses the first of them; a power of two. */
  readonly batch: number;
  /** Rows of tiles in a band: see wgsl/bitonic/tiles.wgsl. */
  readonly band: number;
}

/**
 * For wgsl/bitonic/transpose_blocks.wgsl, which takes 32-bit keys in a matrix whose sides are multiples of 4.
 */
export interface BlockTuning {
  /** The file below wgsl/, without its extension. */
  readonly kernel: "transpose_blocks";
  /**
   * Blocks of 4 x 4 keys along a tile's rows and columns, one invocation per block; 16 x 16 with `exchange`.
   */
  readonly blocks: readonly [x: number, y: number];
  /** Whether invocations exchange their blocks through workgroup memory (16 KiB), to write longer rows. */
  readonly exchange: boolean;
  /** As in `TileTuning`. */
  readonly band: number;
}

/**
 * Default keys along a tile's side. With a column of padding, a tile takes at most 8,448 bytes, which every
 * device has.
 */
const TILE_SIDE = 32;

/** A matrix of keys, which is stored row by row. */
export interface KeyMatrix {
  /** The type of the keys, of 32 or 64 bits. */
  readonly type: ElementType;
  /** The number of its rows. */
  readonly rows: number;
  /** The number of its columns, which are the keys of a row. */
  readonly columns: number;
}

/** The default tuning, which the sorts use. */
export function transposeTuning({ type, rows, columns }: KeyMatrix, traits: DeviceTraits): TransposeTuning {
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

/** Whether a device has enough invocations and workgroup memory to exchange blocks. */
export function exchangeFits({ limits }: DeviceTraits): boolean {
  return (
    Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX) >= 256 &&
    limits.maxComputeWorkgroupStorageSize >= 16_384
  );
}

/**
 * Fits a tuning to a device: a workgroup size that it supports, and a batch that divides the keys of an
 * invocation.
 */
export function tileTuning(
  traits: DeviceTraits,
  { tileSide = TILE_SIDE, workgroupSize = 256, batch = 4, band = 1 }: Partial<Omit<TileTuning, "kernel">>,
): TileTuning {
  const invocations = Math.min(cooperativeWorkgroupSize(workgroupSize, traits), tileSide * tileSide);
  const maxBatch = floorPowerOfTwo((tileSide * tileSide) / invocations);
  return {
    kernel: "transpose",
    tileSide,
    workgroupSize: invocations,
    batch: Math.min(batch, maxBatch),
    band,
  };
}

/**
 * One pass that reads a matrix from one buffer and writes its transpose to another. Any shape is allowed, 1 x n
 * included. It reads and writes rows * columns keys.
 *
 * The kernel by tiles is the 16 x 16 tile of the tutorial program that gpusort grew from, which allowed only
 * sides that are multiples of 16, with three changes. The rows of a tile are padded by one key against bank
 * conflicts. The edge of the matrix is guarded. An invocation loads several keys before it uses the first,
 * because a fast memory needs many loads in flight. The kernel by blocks loads and stores 16 bytes at a time.
 *
 * @param matrix the one that is read.
 * @param buffers the names, in the plan of the pass, of the buffer to read and of another one to write.
 * @param traits those of the device.
 * @param tuning the kernel and its sizes. Default: what is fastest on such a device.
 * @throws RangeError if the tuning is by blocks and the keys are not 32-bit keys or a side is not a multiple
 *   of 4.
 */
export function transposePass(
  matrix: KeyMatrix,
  buffers: readonly [input: string, output: string],
  traits: DeviceTraits,
  tuning: TransposeTuning = transposeTuning(matrix, traits),
): Pass {
  return tuning.kernel === "transpose"
    ? tilesPass(matrix, buffers, traits, tuning)
    : blocksPass(matrix, buffers, traits, tuning);
}

function tilesPass(
  { type, rows, columns }: KeyMatrix,
  buffers: readonly string[],
  { limits }: DeviceTraits,
  { tileSide, workgroupSize, batch, band }: TileTuning,
): Pass {
  const { tilesPerRow, tiles } = tiling(rows / tileSide, columns / tileSide, band);
  return {
    program: program("transpose", {
      variants: { key: keyVariant(type) },
      constants: { TILE_SIDE: tileSide, WORKGROUP_SIZE: workgroupSize, BATCH: batch, BAND: band },
    }),
    bindings: buffers,
    params: params("transpose", { rows, columns, tilesPerRow: tilesPerRow, tiles }),
    grid: linearGrid(tiles, limits),
  };
}

function blocksPass(
  { type, rows, columns }: KeyMatrix,
  buffers: readonly string[],
  { limits }: DeviceTraits,
  { blocks: [x, y], exchange, band }: BlockTuning,
): Pass {
  if (type.words !== 1 || rows % 4 !== 0 || columns % 4 !== 0) {
    throw new RangeError(
      `cannot transpose ${rows} x ${columns} ${type.name} keys by 4 x 4 blocks of 32-bit keys`,
    );
  }
  const { tilesPerRow, tiles } = tiling(rows / (4 * y), columns / (4 * x), band);
  return {
    program: program("transpose_blocks", {
      constants: { BLOCKS_X: x, BLOCKS_Y: y, EXCHANGE: exchange ? 1 : 0, BAND: band },
    }),
    bindings: buffers,
    params: params("transpose_blocks", {
      rowQuads: rows / 4,
      columnQuads: columns / 4,
      tilesPerRow: tilesPerRow,
      tiles,
    }),
    grid: linearGrid(tiles, limits),
  };
}

/**
 * Counts the tiles of a matrix whose sides are given in tiles, including those that fill up the last band.
 */
function tiling(rows: number, columns: number, band: number): { tilesPerRow: number; tiles: number } {
  const tilesPerRow = Math.ceil(columns);
  return { tilesPerRow, tiles: Math.ceil(Math.ceil(rows) / band) * band * tilesPerRow };
}
