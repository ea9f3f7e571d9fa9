import { InputError } from "../core/errors.js";
import type { SortOutput } from "../external/outputs.js";
import { ownDescriptor, statDescriptor } from "../files/descriptor.js";
import { WritableOutput } from "../files/stream_output.js";

const STDOUT = 1;

/** The output that the command line names: a path, or "-" for standard output. */
export function outputOf(target: string): SortOutput {
  if (target !== "-") return target;
  if (!statDescriptor(STDOUT)) {
    throw new InputError("standard output is closed", {
      hint: "redirect it to a file or a pipe, or name a file",
      options: ["output"],
    });
  }
  return new WritableOutput(process.stdout, "standard output");
}

/** Whether the output that the command line names is standard output, by "-" or by a path. */
export async function isStandardOutput(target: string): Promise<boolean> {
  return target === "-" || (await ownDescriptor(target)) === STDOUT;
}
