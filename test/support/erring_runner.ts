import type { KernelCall, KernelName } from "../../src/core/cpu/kernels.js";
import type { KernelRunner } from "../../src/core/cpu/runner.js";

/** What goes wrong in the runs of a kernel. */
export interface KernelFault {
  /** How the name of the kernel begins. */
  readonly kernel: string;
  /** Which of its runs errs, counted from 0. Default: the first for which `when` holds. */
  readonly at?: number;
  /** Whether it errs yet. Default: from the start. */
  readonly when?: () => boolean;
  /** Changes the memory before the run, or after it. */
  readonly before?: Tampering;
  readonly after?: Tampering;
  /** Whether the run does nothing at all. */
  readonly skips?: boolean;
}

export type Tampering = (memory: Uint8Array, calls: readonly KernelCall[]) => void;

/** A runner that errs in one run of a kernel. It runs all others as the real one does. */
export function erringRunner<Name extends string = KernelName>(
  real: KernelRunner<Name>,
  fault: KernelFault,
): KernelRunner<Name> & { readonly errors: () => number } {
  let memory: WebAssembly.Memory;
  let [runs, errors] = [0, 0];
  const errsNow = (kernel: Name) => {
    if (!kernel.startsWith(fault.kernel) || !(fault.when?.() ?? true)) return false;
    const isAt = runs++ === (fault.at ?? 0);
    if (isAt) errors++;
    return isAt;
  };
  const tamper = (how: Tampering | undefined, calls: readonly KernelCall[]) =>
    how?.(new Uint8Array(memory.buffer), calls);
  return {
    errors: () => errors,
    threads: real.threads,
    threadsFor: (...sizes) => real.threadsFor(...sizes),
    makeMemory: (...sizes) => {
      memory = real.makeMemory(...sizes) as WebAssembly.Memory;
      return memory;
    },
    dropMemory: () => real.dropMemory(),
    async run(kernel, calls, ...more) {
      if (!errsNow(kernel)) return real.run(kernel, calls, ...more);
      tamper(fault.before, calls);
      const [threads, options] = more;
      // Whoever asks now and then would see what is not wrong yet.
      if (!fault.skips) await real.run(kernel, calls, threads, { ...options, ended: undefined });
      tamper(fault.after, calls);
    },
    runSync(kernel, calls) {
      const errs = errsNow(kernel);
      if (errs) tamper(fault.before, calls);
      if (!errs || !fault.skips) real.runSync(kernel, calls);
      if (errs) tamper(fault.after, calls);
    },
    isDueToYield: () => real.isDueToYield(),
    ...(real.share && { share: real.share.bind(real) }),
    close: () => real.close(),
  };
}

/** Swaps two elements of `bytes` bytes. @param argument which argument is the address of the first element. */
export const swapped =
  (bytes: number, [a, b]: readonly [number, number], argument = 0): Tampering =>
  (memory, [call]) => {
    const at = Number(call![argument]);
    const held = memory.slice(at + a * bytes, at + (a + 1) * bytes);
    memory.copyWithin(at + a * bytes, at + b * bytes, at + (b + 1) * bytes);
    memory.set(held, at + b * bytes);
  };

/** Puts one element in the place of another one, which is lost. */
export const duplicated =
  (bytes: number, [from, to]: readonly [number, number], argument = 0): Tampering =>
  (memory, [call]) => {
    const at = Number(call![argument]);
    memory.copyWithin(at + to * bytes, at + from * bytes, at + (from + 1) * bytes);
  };

/** Adds to a word of four bytes. @param offset counts words from the address that is an argument. */
export const added =
  (offset: number, more: number, argument: number): Tampering =>
  (memory, [call]) => {
    const view = new DataView(memory.buffer, Number(call![argument]) + 4 * offset);
    view.setUint32(0, view.getUint32(0, true) + more, true);
  };

/** Changes a byte of the first copy of a text in memory. */
export const changed =
  (text: string, at: number, to: string): Tampering =>
  (memory) => {
    const place = Buffer.from(memory.buffer).indexOf(text);
    if (place < 0) throw new Error(`${text} is not in the memory`);
    memory[place + at] = to.charCodeAt(0);
  };
