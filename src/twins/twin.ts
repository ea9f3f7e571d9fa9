import type { Grid } from "../plan/grid.js";

/** One dispatch as a CPU twin sees it. */
export interface Dispatch {
  /** What is bound, word by word, in binding order; a sampler has none. A twin writes where its kernel writes. */
  readonly bindings: readonly Uint32Array[];
  /** Of each binding that is a texture, how many texels it has. */
  readonly extents: readonly (Extent | undefined)[];
  readonly params: readonly number[];
  readonly constants: Readonly<Record<string, number>>;
  readonly grid: Grid;
  /** Bits of a key as it is stored, where the kernel has keys: 8, 16, 32 or 64. */
  readonly keyBits: number;
  /** The shared files that the kernel was built with. */
  readonly uses: readonly string[];
}

export interface Extent {
  readonly width: number;
  readonly height: number;
}

/**
 * A kernel written again, plainly, for the CPU: same name, bindings, parameters and constants. It is the
 * reference that tests and demos hold the WGSL against, and it lets any plan run without a GPU.
 */
export type Twin = (dispatch: Dispatch) => void;

/** The workgroups of a grid, numbered as wgsl/shared/grid.wgsl numbers them. */
export function workgroupCount([x, y, z]: Grid): number {
  return x * y * z;
}

/** A constant that the kernel needs. @throws RangeError if the pass does not define it. */
export function constant(dispatch: Dispatch, name: string): number {
  const value = dispatch.constants[name];
  if (value === undefined) throw new RangeError(`the pass does not define ${name}`);
  return value;
}

/** The same words as the floats that they are the bits of. */
export function asFloats({ buffer, byteOffset, length }: Uint32Array): Float32Array {
  return new Float32Array(buffer, byteOffset, length);
}
