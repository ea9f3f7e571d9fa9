import type { Words32 } from "../bytes.js";
import type { Program, TextureFormat } from "../shaders/program.js";
import type { Grid } from "./grid.js";

/**
 * GPU work as data: the buffers, and the kernels that run on them in order. Algorithms are pure functions
 * that return a plan. A plan can be tested without a GPU, printed, run on the CPU, or encoded into any
 * command encoder.
 */
export interface Plan {
  /** The buffers by name. */
  readonly buffers: Readonly<Record<string, BufferSpec>>;
  /** The textures by name. A texture must not have the name of a buffer. */
  readonly textures?: Readonly<Record<string, TextureSpec>>;
  /** The samplers by name. A sampler must not have the name of a buffer or of a texture. */
  readonly samplers?: Readonly<Record<string, SamplerSpec>>;
  /**
   * The passes in the order in which they run. Each pass sees everything that earlier passes wrote. A pass
   * may occur several times.
   */
  readonly passes: readonly Pass[];
  /** The name of the buffer or texture that holds the result after the last pass. */
  readonly result: string;
}

/** A buffer of a plan. */
export interface BufferSpec {
  /** The length in bytes: a multiple of 4, and at least one element of what kernels bind it as. */
  readonly bytes: number;
  /** Whether a pass reads its parameters from the buffer. */
  readonly uniform?: boolean;
}

/** A two-dimensional texture without mip levels. Kernels may read it, sample it and store to it. */
export interface TextureSpec {
  /** Texels. */
  readonly width: number;
  /** Texels. */
  readonly height: number;
  /** How a texel is stored. */
  readonly format: TextureFormat;
}

/** 32-bit words per texel. */
export const texelWords: Readonly<Record<TextureFormat, number>> = {
  rgba8unorm: 1,
  r32float: 1,
  rgba32float: 4,
};

/** A sampler of a plan: what a kernel gets that samples a texture. */
export interface SamplerSpec {
  /** Whether it gets the nearest texel, or a linear mix of the texels around. */
  readonly filter: "nearest" | "linear";
  /** How coordinates outside of the texture are mapped to texels. */
  readonly address: "clamp-to-edge" | "repeat" | "mirror-repeat";
}

/**
 * The words of a plan's buffers and textures by name. The words of a texture are its texels, row by row
 * without gaps.
 */
export type Words = Readonly<Record<string, Words32>>;

/**
 * Ranges of buffers start at multiples of this many bytes: the largest offset alignment that a device may
 * require.
 */
export const BINDING_ALIGNMENT = 256;

/** A range of a buffer of a plan. */
export interface BufferRange {
  /** The name of the buffer. */
  readonly buffer: string;
  /** The first byte of the range, a multiple of 256. */
  readonly offset: number;
  /** The length of the range in bytes. */
  readonly bytes: number;
}

/**
 * What a pass binds: the name of a whole buffer, a texture or a sampler of the plan; or a range of a buffer.
 */
export type Binding = string | BufferRange;

/** One dispatch. */
export interface Pass {
  /** The kernel to run. */
  readonly program: Program;
  /** The resources of group 0, at bindings 0, 1, … in this order. The parameters are the next binding. */
  readonly bindings: readonly Binding[];
  /**
   * The 32-bit words of the kernel's uniform struct, or the range of a buffer to which an earlier pass wrote
   * them. Empty for a kernel without a uniform.
   */
  readonly params: readonly number[] | BufferRange;
  /** The workgroups to dispatch; with `indirect`, the maximum. */
  readonly grid: Grid;
  /**
   * The name of a buffer whose first three words are the grid, or the place of these words in a buffer, as an
   * earlier pass wrote them. This pass must not bind that buffer.
   */
  readonly indirect?: string | GridPlace;
}

/** The three words of a grid in a buffer of a plan. */
export interface GridPlace {
  /** The name of the buffer. */
  readonly buffer: string;
  /** The first byte of the words, a multiple of 4. */
  readonly offset: number;
}

/** @returns where a pass finds its grid; undefined if the plan says what it is. */
export function gridPlace({ indirect }: Pass): GridPlace | undefined {
  return typeof indirect === "string" ? { buffer: indirect, offset: 0 } : indirect;
}

/** @returns the binding of a buffer as a range. */
export function rangeOf(binding: Binding, buffers: Plan["buffers"]): BufferRange {
  return typeof binding === "string"
    ? { buffer: binding, offset: 0, bytes: buffers[binding]!.bytes }
    : binding;
}

/**
 * Rounds up to a buffer size that WebGPU accepts: whole words, and at least one element of any kernel's
 * array. Buffers that gpusort makes have it, as another plan may bind them as vectors.
 */
export function bufferBytes(bytes: number): number {
  return Math.max(16, Math.ceil(bytes / 4) * 4);
}

/** @returns the bytes of an array in a buffer: whole words, at least one element, as WebGPU binds no less. */
export function arrayBytes(count: number, elementBytes: number): number {
  return Math.ceil((Math.max(1, count) * elementBytes) / 4) * 4;
}

/** @returns the same plan with other names for its buffers. It must have no textures or samplers. */
export function renamed<P extends Plan>(plan: P & { values?: string }, nameOf: (name: string) => string): P {
  const one = (binding: Binding): Binding =>
    typeof binding === "string" ? nameOf(binding) : { ...binding, buffer: nameOf(binding.buffer) };
  return {
    ...plan,
    buffers: Object.fromEntries(Object.entries(plan.buffers).map(([name, spec]) => [nameOf(name), spec])),
    passes: plan.passes.map((pass) => {
      const grid = gridPlace(pass);
      return {
        ...pass,
        bindings: pass.bindings.map(one),
        params: "buffer" in pass.params ? (one(pass.params) as BufferRange) : pass.params,
        ...(grid === undefined ? {} : { indirect: { ...grid, buffer: nameOf(grid.buffer) } }),
      };
    }),
    result: nameOf(plan.result),
    ...(plan.values === undefined ? {} : { values: nameOf(plan.values) }),
  };
}

/** @returns the bytes of device memory that a plan needs. */
export function planBytes({ buffers, textures = {} }: Plan): number {
  const sizes = [
    ...Object.values(buffers).map(({ bytes }) => bytes),
    ...Object.values(textures).map((texture) => 4 * textureWords(texture)),
  ];
  return sizes.reduce((total, bytes) => total + bytes, 0);
}

/** @returns the 32-bit words of a texture's texels, row by row without gaps. */
export function textureWords({ width, height, format }: TextureSpec): number {
  return width * height * texelWords[format];
}
