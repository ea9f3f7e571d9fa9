import type { Grid } from "../../core/plan/grid.js";

/** One dispatch, as a CPU kernel receives it. */
export interface Dispatch {
  /**
   * The words of each bound resource, in binding order; a sampler has no words. Outputs are written in place.
   */
  readonly bindings: readonly Uint32Array[];
  /** The size of each binding that is a texture. */
  readonly extents: readonly (Extent | undefined)[];
  /** The words of the kernel's uniform struct. */
  readonly params: readonly number[];
  readonly constants: Readonly<Record<string, number>>;
  /** The variant that the program chooses for each slot. */
  readonly variants: Readonly<Record<string, string | undefined>>;
  readonly grid: Grid;
  /** Bits of a key as it is stored, if the kernel has keys: 8, 16, 32 or 64. */
  readonly keyBits: number;
}

/** The size of a texture in texels. */
interface Extent {
  readonly width: number;
  readonly height: number;
}

/**
 * The CPU version of a WGSL kernel: plain code with the same name, bindings, parameters and constants. Tests
 * and demos compare the GPU's results with it, and with it any plan can run without a GPU.
 */
export type CpuKernel = (dispatch: Dispatch) => void;

/** The number of workgroups in a grid, as wgsl/shared/grid.wgsl counts them. */
export function workgroupCount([x, y, z]: Grid): number {
  return x * y * z;
}

/** The value of a constant that the kernel needs. @throws RangeError if the program does not define it. */
export function constant(dispatch: Dispatch, name: string): number {
  const value = dispatch.constants[name];
  if (value === undefined) throw new RangeError(`the program does not define ${name}`);
  return value;
}

/** The same memory, viewed as floats. */
export function asFloats({ buffer, byteOffset, length }: Uint32Array): Float32Array {
  return new Float32Array(buffer, byteOffset, length);
}
