import { KernelProgram } from "../core/cpu/program.js";
import type { KernelRunner } from "../core/cpu/runner.js";
import { binary, kernelNames, memoryFlagsAt } from "./row_kernels.generated.js";

/** The kernels of assembly/rows/. */
export type RowKernel = (typeof kernelNames)[number];

export type RowRunner = KernelRunner<RowKernel>;

/** The kernels that sort, merge and check rows. */
export const rowKernels = new KernelProgram(kernelNames, binary, memoryFlagsAt);
