import { KernelProgram } from "../core/cpu/program.js";
import type { KernelRunner } from "../core/cpu/runner.js";
import * as merging from "./merge/merge_kernels.generated.js";
import * as sorting from "./row_kernels.generated.js";

/** The kernels of assembly/rows/ and of assembly/merge/. Each program has its own ones only. */
export type RowKernel = (typeof sorting.kernelNames | typeof merging.kernelNames)[number];

export type RowRunner = KernelRunner<RowKernel>;

/** The kernels that sort and check rows. */
export const rowKernels = programOf(sorting);

/** The kernels that merge sorted rows. */
export const mergeKernels = programOf(merging);

function programOf(module: typeof sorting | typeof merging): KernelProgram<RowKernel> {
  return new KernelProgram(module.kernelNames, module.binary, module.memoryFlagsAt);
}
