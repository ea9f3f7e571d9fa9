import type { KernelName, ModuleName } from "../wgsl.generated.js";
import type { Grid } from "./grid.js";

/**
 * A plan is GPU work as data: which buffers, and which kernels run over them in which order. Algorithms are
 * pure functions that return one, so they can be tested without a GPU, printed, run by the CPU twins, or
 * encoded into somebody else's command encoder.
 */
export interface Plan {
  readonly buffers: Readonly<Record<string, BufferSpec>>;
  /** Named apart from the buffers. */
  readonly textures?: Readonly<Record<string, TextureSpec>>;
  /** Named apart from both. */
  readonly samplers?: Readonly<Record<string, SamplerSpec>>;
  /** In order; each sees all that the passes before it wrote. A pass of several rounds may stand here several times. */
  readonly passes: readonly Pass[];
  /** The buffer or texture that holds the result after the last pass. */
  readonly result: string;
}

export interface BufferSpec {
  /** A multiple of 4, and at least 16. */
  readonly bytes: number;
  /** Whether a pass takes its parameters from it. */
  readonly uniform?: boolean;
}

/** A two-dimensional texture without mip levels, that kernels may read, sample and store to. */
export interface TextureSpec {
  /** Texels. */
  readonly width: number;
  /** Texels. */
  readonly height: number;
  readonly format: TextureFormat;
}

/** Formats that every WebGPU device can both read and store to. */
export type TextureFormat = "rgba8unorm" | "r32float" | "rgba32float";

/** Words of 32 bits a texel. */
export const texelWords: Readonly<Record<TextureFormat, number>> = {
  rgba8unorm: 1,
  r32float: 1,
  rgba32float: 4,
};

export interface SamplerSpec {
  readonly filter: "nearest" | "linear";
  /** What stands beyond a texture's edge. */
  readonly address: "clamp-to-edge" | "repeat" | "mirror-repeat";
}

/** A kernel made concrete: its WGSL file, the shared files it leans on, and the constants it is built with. */
export interface Program {
  /** A file of wgsl/, without its ending. */
  readonly kernel: KernelName;
  /** Files of wgsl/shared/, without their endings, in the order in which they are put before the kernel. */
  readonly uses: readonly ModuleName[];
  /** Declared as `const NAME: u32` before everything else. Whole numbers, 0 … 2^32 - 1. */
  readonly constants: Readonly<Record<string, number>>;
  /** WGSL extensions to enable; the device must have the features of these names. */
  readonly enables?: readonly "subgroups"[];
  /**
   * What is bound, binding by binding, the parameters aside, where it cannot be told from the WGSL: a texture of
   * 32-bit floats, which devices need not filter, looks there as any that is sampled.
   */
  readonly layout?: readonly BindingKind[];
}

export type BindingKind =
  | "read-only-buffer"
  | "buffer"
  | "unfilterable-texture"
  | "nearest-sampler"
  | `store-${TextureFormat}`;

/** The words of a plan's buffers and textures, by name; a texture's are its texels, row by row without gaps. */
export type Words = Readonly<Record<string, Uint32Array<ArrayBuffer>>>;

/** Where ranges of buffers may start: WebGPU's largest alignment of storage and uniform offsets, in bytes. */
export const BINDING_ALIGNMENT = 256;

/** A range of a buffer. */
export interface BufferRange {
  readonly buffer: string;
  /** Bytes; a multiple of BINDING_ALIGNMENT. */
  readonly offset: number;
  readonly bytes: number;
}

/** What a pass binds: a whole buffer, a texture or a sampler of the plan, by its name, or a range of a buffer. */
export type Binding = string | BufferRange;

/** One dispatch. */
export interface Pass {
  readonly program: Program;
  /** Buffers, textures and samplers bound at group 0, bindings 0, 1, …, in this order; the parameters follow them. */
  readonly bindings: readonly Binding[];
  /**
   * The kernel's uniform struct, word by word, or where an earlier pass wrote it; `floatBits` gives a float's word.
   * A kernel without one has none.
   */
  readonly params: readonly number[] | BufferRange;
  /** Workgroups; where `indirect` is given, the most that it may ask for. */
  readonly grid: Grid;
  /** A buffer that this pass does not bind, whose first three words an earlier pass has made the grid. */
  readonly indirect?: string;
}

/** A buffer's binding as a range. */
export function rangeOf(binding: Binding, buffers: Plan["buffers"]): BufferRange {
  return typeof binding === "string"
    ? { buffer: binding, offset: 0, bytes: buffers[binding]!.bytes }
    : binding;
}

/** A buffer size that WebGPU accepts: whole words, and never less than one element of any kernel's. */
export function bufferBytes(bytes: number): number {
  return Math.max(16, Math.ceil(bytes / 4) * 4);
}

/** The bytes of device memory that a plan asks for. */
export function planBytes({ buffers, textures = {} }: Plan): number {
  const sizes = [
    ...Object.values(buffers).map(({ bytes }) => bytes),
    ...Object.values(textures).map((texture) => 4 * textureWords(texture)),
  ];
  return sizes.reduce((total, bytes) => total + bytes, 0);
}

/** Words that a texture's texels take, row by row without gaps. */
export function textureWords({ width, height, format }: TextureSpec): number {
  return width * height * texelWords[format];
}

/** The words of floats, for parameters and inputs. */
export function floatBits(values: ArrayLike<number>): number[] {
  return [...new Uint32Array(new Float32Array(values).buffer)];
}
