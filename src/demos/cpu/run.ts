import {
  type Binding,
  gridPlace,
  type Pass,
  type Plan,
  rangeOf,
  textureWords,
} from "../../core/plan/plan.js";
import type { CpuKernel } from "./cpu_kernel.js";

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
