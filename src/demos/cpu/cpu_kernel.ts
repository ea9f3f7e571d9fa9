import type { Grid } from "../../core/plan/grid.js";
import {
  type Binding,
  gridPlace,
  type Pass,
  type Plan,
  rangeOf,
  textureWords,
} from "../../core/plan/plan.js";

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

/** CPU versions of kernels, by the names of the kernels. */
export type CpuKernels = Readonly<Record<string, CpuKernel>>;

/**
 * Runs a plan on the CPU, pass by pass.
 *
 * @param kernels those of the plan, by their names.
 * @param inputs the initial words of buffers and textures, by name; all others start as zeros. Not modified.
 * @returns the words of every buffer and texture of the plan after the last pass.
 * @throws RangeError if an input is longer than its buffer, or if a kernel is missing.
 */
export function runOnCpu(
  kernels: CpuKernels,
  plan: Plan,
  inputs: Readonly<Record<string, Uint32Array>>,
): Record<string, Uint32Array<ArrayBuffer>> {
  const words: Record<string, Uint32Array<ArrayBuffer>> = {};
  const start = (name: string, length: number) => {
    words[name] = new Uint32Array(length);
    words[name].set(inputs[name] ?? []);
  };
  for (const [name, { bytes }] of Object.entries(plan.buffers)) start(name, bytes / 4);
  for (const [name, texture] of Object.entries(plan.textures ?? {})) start(name, textureWords(texture));
  for (const pass of plan.passes) runPass(kernels, plan, pass, words);
  return words;
}

function runPass(
  kernels: CpuKernels,
  { buffers, textures = {} }: Plan,
  pass: Pass,
  words: Readonly<Record<string, Uint32Array>>,
): void {
  const { program, bindings, params } = pass;
  const view = (binding: Binding) => {
    if (typeof binding === "string" && !buffers[binding]) return words[binding] ?? new Uint32Array();
    const { buffer, offset, bytes } = rangeOf(binding, buffers);
    return words[buffer]!.subarray(offset / 4, (offset + bytes) / 4);
  };
  const place = gridPlace(pass);
  const [x, y, z] = place ? words[place.buffer]!.subarray(place.offset / 4) : pass.grid;
  const kernel = kernels[program.kernel];
  if (!kernel) throw new RangeError(`the kernel ${program.kernel} has no version for the CPU`);
  kernel({
    bindings: bindings.map(view),
    extents: bindings.map((binding) => (typeof binding === "string" ? textures[binding] : undefined)),
    params: "buffer" in params ? [...view(params)] : params,
    constants: program.constants,
    grid: [x!, y!, z!],
    variants: program.variants,
    keyBits: Number(program.variants.key ?? 32),
  });
}
