import { type Contracts, library } from "./kernels.generated.js";
import { kernelsOf } from "./program.js";

/**
 * For the kernels of the core: `program("radix_count", { … })` makes a program, `params` returns the words of
 * its parameters, and `readParams` reads them.
 */
export const { program, params, readParams } = kernelsOf<Contracts>(library);

export type { Contracts } from "./kernels.generated.js";
