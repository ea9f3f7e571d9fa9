import { promises as fs } from "node:fs";
import type { KernelThreads } from "../threads/kernel_threads.js";
import { type JobFolder, unfinished } from "./folder.js";
import { plannedItems } from "./plan.js";
import { readReceipt, sameContent } from "./receipt.js";
import { hasSamples, readRun } from "./run_file.js";

/**
 * Reads all runs again, because what was made of them is wrong, although no file was touched: a disk or a
 * memory failed. The receipts of runs that differ from their receipt or from the plan are removed, so that
 * these runs are sorted again.
 *
 * @returns the numbers of those runs.
 */
export async function removeReceiptsOfWrongRuns(job: JobFolder, threads: KernelThreads): Promise<number[]> {
  const wrong: number[] = [];
  for (let run = 0; run < job.runs; run++) {
    if (await matchesReceipt(job, run, threads)) continue;
    wrong.push(run);
    await fs.rm(job.receiptPath("sort", run), { force: true });
  }
  return wrong;
}

async function matchesReceipt(job: JobFolder, run: number, threads: KernelThreads): Promise<boolean> {
  const receipt = await readReceipt(job, "sort", run);
  if (!receipt || !(await hasSamples(job, receipt))) return false;
  if (receipt.read !== (plannedItems(job.plan.runs[run]!) ?? receipt.read)) return false;
  const now = await readRun(job, run, threads).catch(() => undefined);
  return now !== undefined && sameContent(receipt, now.content) && now.sum === receipt.sum;
}

/**
 * Ends `finish` where the parts do not hold what the runs hold: finds out which runs are wrong, and removes the
 * receipts of all parts, which may have been made of them.
 *
 * @throws UnfinishedError that names the tasks that must run again.
 */
export async function removeReceiptsAndThrow(
  job: JobFolder,
  why: string,
  threads: KernelThreads,
): Promise<never> {
  const wrong = await removeReceiptsOfWrongRuns(job, threads);
  for (let part = 0; part < job.parts; part++) {
    await fs.rm(job.receiptPath("merge", part), { force: true });
  }
  if (wrong.length > 0) throw unfinished(job, `${why}: runs are not what they were`, "sort", wrong);
  throw unfinished(job, why, "merge");
}
