/**
 * Workgroup and grid sizes from a device's limits, after Apple's "Calculating threadgroup and grid sizes".
 *
 * Metal can dispatch a grid that is not a multiple of the workgroup; WebGPU cannot. So a grid here is
 * always rounded up to whole workgroups, and every kernel guards its edge: an invocation outside the
 * data leaves, or skips its loads and stores where a barrier still waits for it.
 */

/** Workgroups to dispatch in x, y and z. */
export type Grid = readonly [x: number, y: number, z: number];

/** The limits that geometry and plans depend on: a subset of `GPUSupportedLimits`, with its names. */
export interface Limits {
  readonly maxComputeInvocationsPerWorkgroup: number;
  readonly maxComputeWorkgroupSizeX: number;
  readonly maxComputeWorkgroupSizeY: number;
  readonly maxComputeWorkgroupSizeZ: number;
  readonly maxComputeWorkgroupsPerDimension: number;
  /** Bytes of workgroup memory. */
  readonly maxComputeWorkgroupStorageSize: number;
  /** Bytes. */
  readonly maxStorageBufferBindingSize: number;
  /** Bytes. */
  readonly maxBufferSize: number;
  /** Texels. */
  readonly maxTextureDimension2D: number;
}

/** What WebGPU guarantees on every device, for plans that must run anywhere. */
export const defaultLimits: Limits = {
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxComputeWorkgroupStorageSize: 16_384,
  maxStorageBufferBindingSize: 134_217_728,
  maxBufferSize: 268_435_456,
  maxTextureDimension2D: 8192,
};

/** The largest power of two that is at most `value`; value >= 1. */
export function floorPowerOfTwo(value: number): number {
  return 2 ** Math.floor(Math.log2(value));
}

/** The number of bits that number the values 0 … count - 1; count >= 1. */
export function indexBits(count: number): number {
  let bits = 0;
  while (2 ** bits < count) bits++;
  return bits;
}

/** ceil(extent / size) in each dimension: the grid that covers the extent, its edge guarded by the kernel. */
export function gridToCover(extent: readonly number[], workgroupSize: readonly number[]): Grid {
  const cover = (axis: number) => Math.ceil((extent[axis] ?? 1) / (workgroupSize[axis] ?? 1));
  return [cover(0), cover(1), cover(2)];
}

/**
 * A grid of at least `workgroups` workgroups that no dimension's limit refuses: one row if it fits, else as
 * many equal rows as it takes. Kernels number the workgroups along the rows (see wgsl/shared/grid.wgsl), and
 * those past the last, fewer than one row, leave at once.
 *
 * @throws RangeError past the square of the limit, 2^32 workgroups on every known device.
 */
export function linearGrid(workgroups: number, limits: Limits): Grid {
  const limit = limits.maxComputeWorkgroupsPerDimension;
  const rows = Math.ceil(workgroups / limit);
  if (rows > limit) throw new RangeError(`${workgroups} workgroups do not fit a grid of ${limit} x ${limit}`);
  return rows <= 1 ? [workgroups, 1, 1] : [Math.ceil(workgroups / rows), rows, 1];
}

/**
 * The article's listing 1: rows as wide as the hardware executes together (threadExecutionWidth, here the
 * subgroup width), and as many of them as a workgroup may hold. 512 invocations of width 32 give 32 x 16.
 */
export function workgroupSize2d(subgroupWidth: number, limits: Limits): [width: number, height: number] {
  const width = Math.min(
    subgroupWidth,
    limits.maxComputeWorkgroupSizeX,
    limits.maxComputeInvocationsPerWorkgroup,
  );
  const height = Math.min(
    Math.max(1, Math.floor(limits.maxComputeInvocationsPerWorkgroup / width)),
    limits.maxComputeWorkgroupSizeY,
  );
  return [width, height];
}

/** The largest power-of-two row of invocations that a workgroup may have, at most `wanted`. */
export function workgroupSize1d(wanted: number, limits: Limits): number {
  return floorPowerOfTwo(
    Math.min(wanted, limits.maxComputeWorkgroupSizeX, limits.maxComputeInvocationsPerWorkgroup),
  );
}

/** Invocations that a grid starts beyond the extent it covers. */
export function idleInvocations(extent: readonly number[], workgroupSize: readonly number[]): number {
  const product = (values: readonly number[]) => values.reduce((all, one) => all * one, 1);
  return product(gridToCover(extent, workgroupSize)) * product(workgroupSize) - product(extent);
}
