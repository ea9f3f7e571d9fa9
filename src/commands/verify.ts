import { promises as fs } from "node:fs";
import { InputError } from "../errors.js";
import { pieces } from "../keys/item_stream.js";
import { itemOrder } from "../keys/order.js";
import { combine, emptySummary, summarize } from "../keys/summary.js";
import { fromJson, type SummaryFile, toJson } from "../keys/summary_json.js";
import { verifyText } from "../report/verify.js";
import { ExitCode } from "./exit_code.js";
import { type InputOptions, openInputs } from "./inputs.js";
import { Progress } from "./progress.js";

export interface VerifyOptions extends InputOptions {
  readonly reverse: boolean;
  readonly combine: boolean;
  readonly json: boolean;
}

/** `gpusort verify FILE...`: what valsort is to a sort benchmark. Exits with 1 if the keys are not in order. */
export async function verify(paths: readonly string[], options: VerifyOptions): Promise<void> {
  const found = options.combine ? await combined(paths) : await looked(paths, options);
  process.stdout.write(
    options.json
      ? `${JSON.stringify(toJson(found), null, 2)}\n`
      : verifyText({ input: paths.join(" "), ...found }),
  );
  if (found.summary.inversions > 0) process.exitCode = ExitCode.notSorted;
}

async function looked(paths: readonly string[], options: VerifyOptions): Promise<SummaryFile> {
  const inputs = await openInputs(paths, options);
  const progress = new Progress(process.stderr, true);
  try {
    const { items } = inputs;
    const { item, itemCount } = items;
    const order = itemOrder(item, options.reverse);
    progress.expect(itemCount === undefined ? undefined : itemCount * item.bytes);
    let summary = emptySummary;
    for await (const piece of pieces({ ...items, ...progress.stream("looking at", items, item.bytes) })) {
      summary = combine(summary, summarize(piece, order), order);
    }
    await inputs.checkUnchanged();
    return { item, descending: options.reverse, summary };
  } finally {
    progress.end();
    await inputs.close();
  }
}

async function combined(paths: readonly string[]): Promise<SummaryFile> {
  let all: SummaryFile | undefined;
  for (const path of paths) {
    const text = await fs.readFile(path, "utf8").catch((cause: Error) => {
      throw new InputError(`cannot read ${path}: ${cause.message}`, { hint: "check the path", cause });
    });
    const part = fromJson(path, text);
    if (all && JSON.stringify([all.item, all.descending]) !== JSON.stringify([part.item, part.descending])) {
      throw new InputError(`${path} is of other items, or of another order, than ${paths[0]}`, {
        hint: "combine summaries of parts of one file",
      });
    }
    const order = itemOrder(part.item, part.descending);
    all = all ? { ...all, summary: combine(all.summary, part.summary, order) } : part;
  }
  return all!;
}
