import { binary, kernelNames, memoryFlagsAt } from "./kernels.generated.js";
import { type KernelCall, KernelProgram } from "./program.js";

/** The kernels of assembly/, by the bytes of a key and of an element: "encode_4_8". */
export type KernelName = (typeof kernelNames)[number];

export type { KernelCall };

/** The kernels of the radix sort. */
export const sortKernels = new KernelProgram(kernelNames, binary, memoryFlagsAt);
