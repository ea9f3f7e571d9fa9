import { InputError } from "../core/errors.js";
import { itemOrder } from "../core/items/order.js";
import { combine } from "../core/items/summary.js";
import { ProgressMeter } from "../core/streams/progress.js";
import { summarizeItems } from "../external/check_items.js";
import { type OpenedInputs, openInputs } from "../external/inputs.js";
import { jsonText } from "../report/json.js";
import { verifyText } from "../report/verify.js";
import { KernelThreads } from "../threads/kernel_threads.js";
import { ExitCode } from "./exit_code.js";
import { inputsOf } from "./inputs.js";
import { printNoInput } from "./no_input.js";
import { parseThreads } from "./numbers.js";
import { type InputArguments, parseInputArguments } from "./parse.js";
import { ProgressLine } from "./progress_line.js";
import { readText } from "./read_text.js";
import { fromJson, type SummaryFile, toJson } from "./summary_json.js";
import { announceTerminal, namedOrPiped, readsTerminal } from "./terminal.js";

export interface VerifyArguments extends InputArguments {
  readonly reverse?: boolean | undefined;
  readonly combine?: boolean | undefined;
  readonly threads?: string | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/**
 * `gpusort verify [FILE...]`: checks the order of the keys, counts keys and duplicates, and computes a
 * checksum, like valsort for the sort benchmark. Exits with 1 if the keys are not in order.
 */
export async function verify(named: readonly string[], typed: VerifyArguments): Promise<void> {
  const paths = typed.combine ? named : namedOrPiped(named);
  if (!paths || paths.length === 0) return printNoInput();
  const found = typed.combine ? await combineSummaries(paths) : await checked(paths, typed);
  if (typed.json) process.stdout.write(jsonText(toJson(found)));
  else if (!typed.quiet) process.stdout.write(verifyText({ input: paths.join(" "), ...found }));
  if (found.summary.inversions > 0) process.exitCode = ExitCode.notSorted;
}

async function checked(paths: readonly string[], typed: VerifyArguments): Promise<SummaryFile> {
  const { reverse: descending = false } = typed;
  announceTerminal(paths);
  const threads = new KernelThreads(parseThreads(typed.threads));
  const line = new ProgressLine(process.stderr, { wanted: !typed.quiet && !readsTerminal(paths) });
  let inputs: OpenedInputs | undefined;
  try {
    inputs = await openInputs(await inputsOf(paths), parseInputArguments(typed), threads);
    const { items } = inputs;
    const { item, itemCount, source } = items;
    const progress = new ProgressMeter(line.update);
    const checking = itemCount === undefined ? undefined : itemCount * item.bytes;
    progress.expect({ checking }, ["checking"]);
    const counted = {
      ...items,
      ...progress.stream("checking", items, item.bytes),
      ...(source && { source: progress.source("checking", source) }),
    };
    const summary = await summarizeItems(counted, { descending, threads });
    await inputs.checkUnchanged();
    return { item, descending, summary };
  } finally {
    line.end();
    await inputs?.close();
    threads.close();
  }
}

async function combineSummaries(paths: readonly string[]): Promise<SummaryFile> {
  let all: SummaryFile | undefined;
  for (const path of paths) {
    const part = fromJson(path, await readText(path));
    if (all && JSON.stringify([all.item, all.descending]) !== JSON.stringify([part.item, part.descending])) {
      throw new InputError(`${path} and ${paths[0]} summarize items of different types or orders`, {
        hint: "combine only summaries of the parts of one file",
      });
    }
    const order = itemOrder(part.item, part.descending);
    all = all ? { ...all, summary: combine(all.summary, part.summary, order) } : part;
  }
  return all!;
}
