import { InputError, VerifyError } from "../core/errors.js";
import { transferSum } from "../core/items/checksum.js";
import type { Summary } from "../core/items/summary.js";
import { limitConcurrency } from "../files/limit_concurrency.js";
import { concatenate } from "../formats/concatenate.js";
import type { ItemInput } from "../formats/format.js";
import { sliceItems } from "../formats/slice.js";
import { type OpenedInputs, openInputs, openItemInputs } from "../sort/inputs.js";
import { summarizeItems } from "../sort/items/check_items.js";
import type { KernelThreads } from "../threads/kernel_threads.js";
import { type Cuts, readCuts } from "./cuts.js";
import { type JobFolder, unfinished } from "./folder.js";
import { readingOfParts, styleOfParts } from "./plan.js";
import { itemsContentOf, type Receipt, readReceipt } from "./receipt.js";
import { removeReceiptsOfWrongRuns } from "./reread_after_mismatch.js";
import { closeRuns, openSortedRuns } from "./run_file.js";
import { noSuchTask } from "./sort_run.js";
import { runTask, sortInto, type TaskOptions, type TaskResult, workerOptions } from "./task.js";

/** Bytes that are read at a time for a sum. */
const SUM_BYTES = 8 << 20;

/**
 * Writes a part of the output: merges its ranges of all runs. If its receipt is there, it returns immediately.
 *
 * @throws InputError if there is no such part; UnfinishedError if the runs are not cut yet, or if a run is not
 *   the one that was cut; and as `sortFile` does.
 */
export async function mergePart(
  job: JobFolder,
  part: number,
  options: TaskOptions = {},
): Promise<TaskResult> {
  if (!Number.isInteger(part) || part < 0 || part >= job.parts)
    throw noSuchTask(job, "part", part, job.parts);
  const cuts = await readCuts(job);
  const read = async (threads: KernelThreads) =>
    itemsContentOf(job.partPath(part), await readPart(job, part, threads));
  return runTask(
    job,
    {
      kind: "merge",
      index: part,
      own: { cuts: cuts.digest },
      read,
      async run(tools) {
        const { threads } = tools;
        const inputs = await openRanges(job, cuts, part, threads);
        const { descending, unique, writing } = job.plan;
        const { format: to, compress } = writing;
        const settings = { ...workerOptions(job, options), descending, unique, to, compress, merge: true };
        try {
          const sum = job.keepsChecksum ? undefined : await sumOf(inputs.items);
          const summary = await sortInto(job.partPath(part), inputs, tools, settings as never);
          return { summary, read: summary.keyCount, sum, ...(await read(threads)) };
        } catch (error) {
          if (!(error instanceof InputError && error.options.includes("merge"))) throw error;
          const wrong = await removeReceiptsOfWrongRuns(job, threads);
          if (wrong.length > 0) throw unfinished(job, "runs are not what they were", "sort", wrong, error);
          throw new VerifyError(`part ${part} is not in order, although all runs are`, { cause: error });
        } finally {
          await inputs.close();
        }
      },
    },
    options,
  );
}

/** Reads a part from its beginning to its end. @throws InputError if it is not of the job's format. */
export async function readPart(job: JobFolder, part: number, threads: KernelThreads): Promise<Summary> {
  const options = readingOfParts(job.plan);
  const opened = await openInputs([job.partPath(part)], options);
  try {
    const { items } = await openItemInputs(opened, options, threads);
    return await summarizeItems(items, { descending: job.plan.descending, threads });
  } finally {
    await opened.close();
  }
}

/**
 * Opens the ranges of all runs that are one part. @throws UnfinishedError if a run is not the one that was cut.
 */
async function openRanges(
  job: JobFolder,
  cuts: Cuts,
  part: number,
  threads: KernelThreads,
): Promise<OpenedInputs> {
  const { from, to } = await cuts.range(part);
  const style = styleOfParts(job.plan);
  const runs = Array.from({ length: job.runs }, (_, run) => run).filter((run) => to[run]! > from[run]!);
  const receipts = await limitConcurrency(runs.length, (at) => receiptOfRun(job, runs[at]!, cuts));
  const opened = await openSortedRuns(job, receipts, threads);
  const each = opened.map(({ items }, at): ItemInput => {
    const run = runs[at]!;
    return { ...sliceItems(items, from[run]!, to[run]! - from[run]!), style };
  });
  if (each.length === 0) each.push(nothing(job, style));
  const files = opened.map(({ file }) => file);
  const checkUnchanged = async () => {
    for (const file of files) await file.checkUnchanged();
  };
  return { items: concatenate(each), each, files, checkUnchanged, close: () => closeRuns(opened) };
}

async function receiptOfRun(job: JobFolder, run: number, cuts: Cuts): Promise<Receipt> {
  const receipt = await readReceipt(job, "sort", run);
  if (receipt?.checksum === cuts.checksums[run]) return receipt!;
  if (!receipt) throw unfinished(job, `run ${run} is not sorted`, "sort", [run]);
  throw unfinished(job, `run ${run} was sorted anew, and is another one`, "cut");
}

/** The sum of the items of a part. They are read once more for it, as the merge reads some of them twice. */
async function sumOf({ source, itemCount, item }: ItemInput): Promise<number> {
  const piece = new Uint8Array(Math.max(1, Math.floor(SUM_BYTES / item.bytes)) * item.bytes);
  let sum = 0;
  for (let at = 0; at < itemCount! * item.bytes; at += piece.length) {
    const items = piece.subarray(0, itemCount! * item.bytes - at);
    await source!.read(items, at);
    sum = (sum + transferSum(items, item)) >>> 0;
  }
  return sum;
}

/** More parts than items: some are empty. */
function nothing({ item }: JobFolder, style: ItemInput["style"]): ItemInput {
  const source = { read: async () => {} };
  return { name: "no items", item, itemCount: 0, source, next: async () => 0, style };
}
