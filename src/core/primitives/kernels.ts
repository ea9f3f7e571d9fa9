import { kernelsOf } from "../shaders/program.js";
import { type Contracts, library } from "./kernels.generated.js";

/** Makes programs of the kernels of scans, compactions and histograms, and converts their parameters. */
export const { program, params, readParams } = kernelsOf<Contracts>(library);

export { type Contracts, library } from "./kernels.generated.js";
