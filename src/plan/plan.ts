import type { KernelName, ModuleName } from "../wgsl.generated.js";
import type { Grid } from "./grid.js";

/**
 * A plan is GPU work as data: which buffers, and which kernels run over them in which order. Algorithms are
 * pure functions that return one, so they can be tested without a GPU, printed, run by the CPU twins, or
 * encoded into somebody else's command encoder.
 */
export interface Plan {
  readonly buffers: Readonly<Record<string, BufferSpec>>;
  /** In order; each sees all that the passes before it wrote. */
  readonly passes: readonly Pass[];
  /** The buffer that holds the result after the last pass. */
  readonly result: string;
}

export interface BufferSpec {
  /** A multiple of 4, and at least 16. */
  readonly bytes: number;
  /** Whether a pass takes its parameters from it. */
  readonly uniform?: boolean;
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
}

/** Where ranges of buffers may start: WebGPU's largest alignment of storage and uniform offsets, in bytes. */
export const BINDING_ALIGNMENT = 256;

/** A range of a buffer. */
export interface BufferRange {
  readonly buffer: string;
  /** Bytes; a multiple of BINDING_ALIGNMENT. */
  readonly offset: number;
  readonly bytes: number;
}

/** What a pass binds: a whole buffer of the plan, by its name, or a range of one. */
export type Binding = string | BufferRange;

/** One dispatch. */
export interface Pass {
  readonly program: Program;
  /** Bound at group 0, bindings 0, 1, …, in this order; the parameters follow them. */
  readonly bindings: readonly Binding[];
  /** The kernel's uniform struct, word by word, or where an earlier pass wrote it. */
  readonly params: readonly number[] | BufferRange;
  readonly grid: Grid;
}

/** A binding as a range. */
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
export function planBytes(plan: Plan): number {
  return Object.values(plan.buffers).reduce((total, buffer) => total + buffer.bytes, 0);
}
