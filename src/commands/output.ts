import type { SortOutput } from "../external/outputs.js";
import { WritableOutput } from "../files/output.js";

/** The output that the command line names: a path, or "-" for standard output. */
export function outputOf(target: string): SortOutput {
  return target === "-" ? new WritableOutput(process.stdout, "standard output") : target;
}
