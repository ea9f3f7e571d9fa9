import { KernelProgram } from "../core/cpu/program.js";
import { binary, kernelNames, memoryFlagsAt } from "./kernels.generated.js";

/** The kernels of assembly/graysort/. */
export type GraysortKernel = (typeof kernelNames)[number];

export const graysortKernels = new KernelProgram(kernelNames, binary, memoryFlagsAt);
