import { kernelsOf } from "../shaders/program.js";
import { type Contracts, library } from "./kernels.generated.js";

/**
 * Makes programs of the kernels for rows of text, and converts their parameters to words and back. They are a
 * library of their own, so that gpusort/core does not grow by them.
 */
export const { program, params, readParams } = kernelsOf<Contracts>(library);

export { type Contracts, library } from "./kernels.generated.js";
