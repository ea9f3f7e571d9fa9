/*
 * Computes workgroup and grid sizes from a device's limits, after Apple's "Calculating threadgroup and grid
 * sizes".
 *
 * Metal can dispatch a grid that is not a multiple of the workgroup; WebGPU cannot. Grids are therefore
 * rounded up to whole workgroups, and every kernel checks its bounds: an invocation outside the data returns,
 * or only skips its loads and stores if a barrier follows.
 */

/** The number of workgroups to dispatch in x, y and z. */
export type Grid = readonly [x: number, y: number, z: number];

/**
 * The limits that grids and plans depend on: a subset of `GPUSupportedLimits`, with the same names. Each is the
 * most that the device allows.
 */
export interface Limits {
  /** Invocations of a workgroup in all, x times y times z. */
  readonly maxComputeInvocationsPerWorkgroup: number;
  /** Invocations of a workgroup in x. */
  readonly maxComputeWorkgroupSizeX: number;
  /** Invocations of a workgroup in y. */
  readonly maxComputeWorkgroupSizeY: number;
  /** Invocations of a workgroup in z. */
  readonly maxComputeWorkgroupSizeZ: number;
  /** Workgroups of a dispatch in x, in y and in z. */
  readonly maxComputeWorkgroupsPerDimension: number;
  /** Bytes of workgroup memory. */
  readonly maxComputeWorkgroupStorageSize: number;
  /** Bytes of a buffer that one binding shows to a kernel. */
  readonly maxStorageBufferBindingSize: number;
  /** Bytes of a buffer. */
  readonly maxBufferSize: number;
  /** Texels along a side of a two-dimensional texture. */
  readonly maxTextureDimension2D: number;
}

/** The limits that WebGPU guarantees on every device, for plans that must run anywhere. */
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

/**
 * The least share such that as few shares cover the total as would of the largest.
 *
 * @param total more than 0.
 * @param largest an integer of at least 1, which the share does not exceed.
 */
export function evenShare(total: number, largest: number): number {
  return Math.ceil(total / Math.ceil(total / largest));
}

/**
 * Rounds down to a power of two.
 *
 * @param value at least 1.
 * @returns the largest power of two that is at most `value`.
 */
export function floorPowerOfTwo(value: number): number {
  return 2 ** Math.floor(Math.log2(value));
}

/**
 * Counts the bits of the largest of `count` indices.
 *
 * @param count at least 1.
 * @returns the number of bits that hold every index from 0 to count - 1.
 */
export function indexBits(count: number): number {
  let bits = 0;
  while (2 ** bits < count) bits++;
  return bits;
}

/**
 * Computes the grid that covers an extent: ceil(extent / size) in each dimension. The kernel must check its
 * bounds.
 *
 * @param extent invocations that are needed in x, y and z; missing dimensions count as 1.
 * @param workgroupSize invocations per workgroup in x, y and z; missing dimensions count as 1.
 */
export function gridToCover(extent: readonly number[], workgroupSize: readonly number[]): Grid {
  const cover = (axis: number) => Math.ceil((extent[axis] ?? 1) / (workgroupSize[axis] ?? 1));
  return [cover(0), cover(1), cover(2)];
}

/**
 * Computes a grid of at least `workgroups` workgroups within the limit of each dimension: one row if it fits,
 * or else the minimum number of equal rows. Kernels number the workgroups row by row (see
 * wgsl/shared/grid.wgsl). Surplus workgroups, fewer than one row, must return immediately.
 *
 * @param workgroups how many are needed, 0 or more.
 * @param limits the limits of the device.
 * @throws RangeError if `workgroups` exceeds the square of the limit, which is about 2^32 on every known
 *   device.
 */
export function linearGrid(workgroups: number, limits: Limits): Grid {
  const limit = limits.maxComputeWorkgroupsPerDimension;
  const rows = Math.ceil(workgroups / limit);
  if (rows > limit) throw new RangeError(`${workgroups} workgroups do not fit a grid of ${limit} x ${limit}`);
  return rows <= 1 ? [workgroups, 1, 1] : [Math.ceil(workgroups / rows), rows, 1];
}

/**
 * Computes a two-dimensional workgroup size, as listing 1 of Apple's "Calculating threadgroup and grid sizes"
 * does. A row has as many invocations as the hardware executes together (Metal's threadExecutionWidth, here
 * the subgroup width), and there are as many rows as fit in a workgroup. For example, 512 invocations and
 * width 32 give 32 x 16.
 *
 * @param subgroupWidth invocations that execute together.
 * @param limits the limits of the device.
 * @returns the invocations per row, and the rows.
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

/**
 * Computes a one-dimensional workgroup size.
 *
 * @param most the maximum number of invocations.
 * @param limits the limits of the device.
 * @returns the largest power of two that is at most `most` and within the limits.
 */
export function workgroupSize1d(most: number, limits: Limits): number {
  return floorPowerOfTwo(
    Math.min(most, limits.maxComputeWorkgroupSizeX, limits.maxComputeInvocationsPerWorkgroup),
  );
}

/** Whether the device supports one-dimensional workgroups of a size. */
export function supportsWorkgroup(workgroupSize: number, limits: Limits): boolean {
  return (
    workgroupSize <= limits.maxComputeInvocationsPerWorkgroup &&
    workgroupSize <= limits.maxComputeWorkgroupSizeX
  );
}

/**
 * Counts the idle invocations of a grid: those outside of the extent that the grid covers. The parameters are
 * those of `gridToCover`.
 */
export function idleInvocations(extent: readonly number[], workgroupSize: readonly number[]): number {
  const product = (values: readonly number[]) => values.reduce((all, one) => all * one, 1);
  return product(gridToCover(extent, workgroupSize)) * product(workgroupSize) - product(extent);
}
