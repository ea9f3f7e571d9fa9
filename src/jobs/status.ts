import { promises as fs } from "node:fs";
import { basename, dirname } from "node:path";
import { limitConcurrency } from "../files/limit_concurrency.js";
import { findCuts } from "./cuts.js";
import { type JobFolder, type TaskKind, undefinedIfMissing } from "./folder.js";
import { isLeased, leaseClock } from "./lease.js";
import { identityOf, isUnchanged, readReceipt } from "./receipt.js";
import { findSuccess } from "./success.js";

/** How far a job has come. Tasks are named by their numbers. */
export interface JobStatus {
  readonly job: string;
  readonly runs: number;
  readonly parts: number;
  readonly sorted: readonly number[];
  /** Those that somebody sorts now, by their leases. */
  readonly sorting: readonly number[];
  readonly cut: boolean;
  readonly merged: readonly number[];
  /** Those that somebody merges now, by their leases. */
  readonly merging: readonly number[];
  readonly finished: boolean;
}

/** Whether a job has finished, and its output is still there. */
export async function isFinished(job: JobFolder): Promise<boolean> {
  if (!(await findSuccess(job))) return false;
  const cuts = await findCuts(job);
  return (await doneTasks(job, "merge", job.parts, cuts?.digest)).length === job.parts;
}

/** Finds out which tasks of a job are done, which run, and which are missing. It reads no items. */
export async function jobStatus(job: JobFolder): Promise<JobStatus> {
  const now = await leaseClock(`${job.path}/leases`);
  const cuts = await findCuts(job);
  const [merged, merging] = await tasks(job, "merge", job.parts, now, cuts?.digest);
  const finished = merged.length === job.parts && (await findSuccess(job)) !== undefined;
  const all = Array.from({ length: job.runs }, (_, run) => run);
  // The runs of a finished job may have been removed.
  const [sorted, sorting] = finished ? [all, []] : await tasks(job, "sort", job.runs, now);
  return {
    job: job.id,
    runs: job.runs,
    parts: job.parts,
    ...{ sorted, sorting, cut: cuts !== undefined, merged, merging, finished },
  };
}

/** @returns the tasks that are done, and those that are not but run. */
async function tasks(
  job: JobFolder,
  kind: TaskKind,
  count: number,
  now: number,
  cuts?: string,
): Promise<[done: number[], running: number[]]> {
  const done = await doneTasks(job, kind, count, cuts);
  const leases = await namesBeside(job.leasePath(kind, 0));
  const isDoneAlready = new Set(done);
  const running = await tasksThat(count, async (index) => {
    const lease = job.leasePath(kind, index);
    return !isDoneAlready.has(index) && leases.has(basename(lease)) && (await isLeased(lease, now));
  });
  return [done, running];
}

/**
 * Looks only for files that are listed in their folder: each question costs a network file system as much as a
 * whole list.
 */
async function doneTasks(job: JobFolder, kind: TaskKind, count: number, cuts?: string): Promise<number[]> {
  const receipts = await namesBeside(job.receiptPath(kind, 0));
  return tasksThat(count, async (index) => {
    if (!receipts.has(basename(job.receiptPath(kind, index)))) return false;
    const receipt = await readReceipt(job, kind, index);
    if (!receipt || (kind === "merge" && receipt.cuts !== cuts)) return false;
    return isUnchanged(receipt, await identityOf(job.resultPath(kind, index)));
  });
}

/** @returns the tasks for which a test holds. */
async function tasksThat(count: number, holds: (index: number) => Promise<boolean>): Promise<number[]> {
  const isHeld = await limitConcurrency(count, holds);
  return isHeld.flatMap((each, index) => (each ? [index] : []));
}

async function namesBeside(path: string): Promise<ReadonlySet<string>> {
  return new Set(await fs.readdir(dirname(path)).catch(undefinedIfMissing));
}
