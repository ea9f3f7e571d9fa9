import { promises as fs } from "node:fs";
import { join } from "node:path";
import { InputError } from "../core/errors.js";
import { addChecksums, checksumOfText } from "../core/items/checksum.js";
import { itemOrder } from "../core/items/order.js";
import { combine, emptySummary, type Summary } from "../core/items/summary.js";
import { limitConcurrency } from "../files/limit_concurrency.js";
import { removeTemporaryFiles } from "../files/temporary/stale_files.js";
import { KernelThreads } from "../threads/kernel_threads.js";
import { readCuts } from "./cuts.js";
import { type JobFolder, markerPath, unfinished } from "./folder.js";
import { readPart } from "./merge_part.js";
import { plannedItems } from "./plan.js";
import { itemsContentOf, notConfirmed, type Receipt, readReceipt, sameContent } from "./receipt.js";
import { removeReceiptsAndThrow } from "./reread_after_mismatch.js";
import { UnfinishedError } from "./sealed.js";
import { type JobSuccess, publish, successOf, unpublish } from "./success.js";

export interface FinishOptions {
  /** Whether to read all parts, and not only those whose time of modification is not that of their receipt. */
  readonly readAll?: boolean | undefined;
  /** Whether to remove the runs once the output is right. Their receipts stay. */
  readonly removeRuns?: boolean | undefined;
  /** As for `sortFile`. */
  readonly threads?: number | undefined;
}

/**
 * Ends a job: checks that every part is there and is what its receipt says, that the parts follow each other in
 * order, and that together they hold what the runs hold. Then it writes _SUCCESS.json beside the parts. If they
 * are not what they should be, it removes the one of an earlier success.
 *
 * A part that was edited, swapped or doubled has another time of modification than its receipt says; it is read
 * then, and compared.
 *
 * @throws UnfinishedError if a part is missing, or not what its receipt says, or if the parts do not hold what
 *   the runs hold; InputError if something else lies beside them.
 */
export async function finishJob(job: JobFolder, options: FinishOptions = {}): Promise<JobSuccess> {
  const threads = new KernelThreads(options.threads);
  try {
    const success = await checkedOutput(job, options.readAll ?? false, threads);
    await publish(job, success);
    if (options.removeRuns) await removeRuns(job);
    await removeTemporaryFiles(job.plan.output, (name) => name.startsWith("part-"));
    await removeTemporaryFiles(join(job.path, "runs"));
    return success;
  } catch (error) {
    if (error instanceof UnfinishedError) await unpublish(job); // another error says nothing about the parts
    throw error;
  } finally {
    threads.close();
  }
}

async function checkedOutput(job: JobFolder, readsAll: boolean, threads: KernelThreads): Promise<JobSuccess> {
  const cuts = await readCuts(job);
  const receipts = await partReceipts(job, cuts.digest);
  await requireParts(job, receipts, readsAll, threads);
  const runs = await limitConcurrency(job.runs, async (run) => {
    const receipt = await readReceipt(job, "sort", run);
    if (receipt?.checksum === cuts.checksums[run]) return receipt!;
    throw unfinished(job, `run ${run} is not the one that was cut`, "cut");
  });
  const all = combineSummaries(job, receipts);
  const fault = faultOf(job, runs, receipts, all);
  if (fault !== undefined) return removeReceiptsAndThrow(job, fault, threads);
  await refuseOthers(job); // last, so that it does not hide what is wrong with the parts
  const { written: items, ...found } = itemsContentOf(job.plan.output, all);
  return successOf(job, receipts, { items, ...found });
}

/** Whoever reads all files of the folder must read nothing else. Hidden files are temporary ones. */
async function refuseOthers(job: JobFolder): Promise<void> {
  const { output } = job.plan;
  const expected = new Set(Array.from({ length: job.parts }, (_, part) => job.partPath(part)));
  for (const path of [markerPath(output), job.successPath]) expected.add(path);
  const others = (await fs.readdir(output)).filter(
    (name) => !name.startsWith(".") && !expected.has(join(output, name)),
  );
  if (others.length === 0) return;
  const more = others.length === 1 ? "" : `, and ${others.length - 1} more`;
  throw new InputError(`${output} holds ${others[0]}${more}, which the job did not write`, {
    hint: "the parts of the job are right; move the rest elsewhere, then run gpusort job finish again",
  });
}

async function partReceipts(job: JobFolder, cuts: string): Promise<Receipt[]> {
  const receipts = await limitConcurrency(job.parts, (part) => readReceipt(job, "merge", part));
  const isOfCuts = (receipt: Receipt | undefined) => receipt?.cuts === cuts;
  const missing = receipts.flatMap((receipt, part) => (isOfCuts(receipt) ? [] : [part]));
  if (missing.length === 0) return receipts as Receipt[];
  throw unfinished(job, `${missing.length} of ${job.parts} parts are not written yet`, "merge", missing);
}

/** @throws UnfinishedError if parts are not what their receipts say. */
async function requireParts(
  job: JobFolder,
  receipts: readonly Receipt[],
  readsAll: boolean,
  threads: KernelThreads,
): Promise<void> {
  const read = async ({ index }: Receipt) =>
    itemsContentOf(job.partPath(index), await readPart(job, index, threads));
  const wrong = await notConfirmed(job, receipts, read);
  for (const receipt of readsAll ? receipts : []) {
    if (wrong.includes(receipt.index)) continue;
    const content = await read(receipt).catch(() => undefined);
    if (!content || !sameContent(receipt, content)) wrong.push(receipt.index);
  }
  if (wrong.length === 0) return;
  for (const index of wrong) await fs.rm(job.receiptPath("merge", index), { force: true });
  const what = wrong.length === 1 ? `part ${wrong[0]} is` : `${wrong.length} parts are`;
  throw unfinished(job, `${what} missing, edited, or another part`, "merge", wrong);
}

/** Puts the summaries of the parts together. */
function combineSummaries({ item, plan }: JobFolder, receipts: readonly Receipt[]): Summary {
  const order = itemOrder(item, plan.descending);
  return receipts.map(summaryOf).reduce((all, part) => combine(all, part, order), emptySummary);
}

function summaryOf(receipt: Receipt): Summary {
  const bytes = (hex: string | null) => (hex === null ? undefined : new Uint8Array(Buffer.from(hex, "hex")));
  return {
    count: receipt.written,
    inversions: 0,
    firstInversion: undefined,
    duplicates: receipt.duplicates,
    checksum: checksumOfText(receipt.checksum),
    first: bytes(receipt.first),
    last: bytes(receipt.last),
  };
}

/** What is wrong with the parts together; undefined if nothing is. */
function faultOf(
  { plan, keepsChecksum }: JobFolder,
  runs: readonly Receipt[],
  parts: readonly Receipt[],
  all: Summary,
): string | undefined {
  const sum = (receipts: readonly Receipt[], field: "read" | "written" | "sum") =>
    receipts.reduce((total, receipt) => total + (receipt[field] ?? 0), 0);
  if (all.inversions > 0) return "the parts do not follow each other in order";
  if (plan.unique && all.duplicates > 0)
    return "a part begins with the item that the part before it ends with";
  const taken = sum(runs, "read");
  const planned = plannedItems(plan.runs.flat()) ?? taken;
  if (taken !== planned) return `the runs hold ${taken} of ${planned} items`;
  const [held, merged] = [sum(runs, "written"), sum(parts, "read")];
  if (held !== merged) return `the parts were made of ${merged} of ${held} items`;
  const before = runs.map(({ checksum }) => checksumOfText(checksum)).reduce(addChecksums, [0, 0]);
  const isSame = keepsChecksum
    ? before[0] === all.checksum[0] && before[1] === all.checksum[1]
    : sum(runs, "sum") >>> 0 === sum(parts, "sum") >>> 0;
  return isSame ? undefined : "the parts hold other items than the runs";
}

async function removeRuns(job: JobFolder): Promise<void> {
  for (let run = 0; run < job.runs; run++) {
    for (const path of [job.runPath(run), job.samplesPath(run)]) await fs.rm(path, { force: true });
  }
}
