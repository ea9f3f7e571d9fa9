import { InputError } from "../core/errors.js";
import type { SortInput } from "../external/inputs.js";
import { openStandardInput } from "../files/input.js";

/** The inputs that the command line names: paths, and "-" for standard input. */
export async function inputsOf(paths: readonly string[]): Promise<SortInput[]> {
  if (paths.filter((path) => path === "-").length > 1) {
    throw new InputError("standard input is named twice", { hint: "name - only once" });
  }
  return Promise.all(paths.map((path) => (path === "-" ? openStandardInput() : path)));
}
