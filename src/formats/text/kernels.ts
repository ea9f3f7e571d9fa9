import { POWERS_BYTES, powersOfTen } from "../../core/cpu/powers_of_ten.js";
import { KernelProgram } from "../../core/cpu/program.js";
import { CallingThread, type KernelRunner } from "../../core/cpu/runner.js";
import type { ElementType } from "../../core/elements.js";
import type { FormatTools } from "../format.js";
import { binary, kernelNames, memoryFlagsAt } from "./kernels.generated.js";

/** The kernels of assembly/text/. */
export type TextKernel = (typeof kernelNames)[number];

const textKernels = new KernelProgram(kernelNames, binary, memoryFlagsAt);

/** What a call of a kernel has done. */
export interface Done {
  readonly keys: number;
  readonly lines: number;
  /** Bytes of text that were parsed or printed. */
  readonly bytes: number;
}

const DONE_BYTES = 16;

/** Where the powers of ten begin, as kernels for floats are told. Below are the kernels' own constants. */
export const POWERS_AT = 4096;
const DONE_AT = POWERS_AT + Math.ceil(POWERS_BYTES / DONE_BYTES) * DONE_BYTES;

/** The memory that the kernels for text work in, and what runs them there. */
export class TextWorkspace {
  readonly runner: KernelRunner<TextKernel>;
  readonly #memory: WebAssembly.Memory;
  /** The address of the first byte that the caller may use. It is a multiple of 16. */
  readonly start: number;

  /**
   * @param calls the most calls at a time.
   * @param bytes bytes for the caller's use.
   */
  constructor(runner: KernelRunner<TextKernel>, type: ElementType, calls: number, bytes: number) {
    this.runner = runner;
    this.start = DONE_AT + calls * DONE_BYTES;
    this.#memory = runner.makeMemory(this.start + bytes);
    if (type.order !== "float") return;
    const powers = powersOfTen();
    new BigUint64Array(this.#memory.buffer, POWERS_AT, powers.length).set(powers);
  }

  /** The address where a call says what it has done. */
  static doneAt(call: number): number {
    return DONE_AT + call * DONE_BYTES;
  }

  /** What a call has done. */
  done(call: number): Done {
    const [keys, lines, bytes] = new Uint32Array(this.#memory.buffer, TextWorkspace.doneAt(call), 3);
    return { keys: keys!, lines: lines!, bytes: bytes! };
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer as ArrayBuffer, at, length);
  }
}

/** Makes a runner of the kernels for text: on the calling thread, unless the tools have more. */
export function textRunner(tools: FormatTools): KernelRunner<TextKernel> {
  return tools.runner?.(textKernels) ?? new CallingThread<TextKernel>(false, textKernels);
}
