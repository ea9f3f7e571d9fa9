import { findDisorder } from "../external/check_items.js";
import { type OpenedInputs, openInputs } from "../external/inputs.js";
import { disorderText } from "../report/verify.js";
import { KernelThreads } from "../threads/kernel_threads.js";
import { ExitCode } from "./exit_code.js";
import { inputsOf } from "./inputs.js";
import { parseThreads } from "./numbers.js";
import { type InputArguments, parseInputArguments } from "./parse.js";
import { announceTerminal } from "./terminal.js";

export interface CheckArguments extends InputArguments {
  readonly reverse?: boolean | undefined;
  /** Whether equal neighbours also count as out of order. */
  readonly unique?: boolean | undefined;
  readonly threads?: string | undefined;
  readonly quiet?: boolean | undefined;
}

/**
 * `gpusort --check FILE...`: if the input is not in order, prints the first pair of items in the wrong order
 * to standard error, and exits with 1.
 */
export async function check(paths: readonly string[], typed: CheckArguments): Promise<void> {
  const { reverse: descending = false, unique = false, quiet = false } = typed;
  if (!quiet) announceTerminal(paths);
  const threads = new KernelThreads(parseThreads(typed.threads));
  let inputs: OpenedInputs | undefined;
  try {
    inputs = await openInputs(await inputsOf(paths), parseInputArguments(typed), threads);
    const found = await findDisorder(inputs.each, unique, { descending, threads });
    if (!found) return;
    if (!quiet) process.stderr.write(disorderText(found.input, found.index, found.before, found.item));
    process.exitCode = ExitCode.notSorted;
  } finally {
    await inputs?.close();
    threads.close();
  }
}
