import { kernelsOf } from "../core/shaders/program.js";
import { type Contracts, library } from "./kernels.generated.js";

/** Makes programs of the demos' kernels, and converts their parameters to words and back. */
export const { program, params, readParams } = kernelsOf<Contracts>(library);

export { type Contracts, library } from "./kernels.generated.js";
