import { binary, kernelNames, memoryFlagsAt } from "./check_kernels.generated.js";
import { KernelProgram } from "./program.js";

/** The kernels of assembly/check/: for keys, by their bytes, and for records. */
export type CheckKernel = (typeof kernelNames)[number];

export const checkKernels = new KernelProgram(kernelNames, binary, memoryFlagsAt);
