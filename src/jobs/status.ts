import { findCuts } from "./cuts.js";
import type { JobFolder, TaskKind } from "./folder.js";
import { isLeased, leaseClock } from "./lease.js";
import { identityOf, isSame, readReceipt } from "./receipt.js";
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
  const digest = (await findCuts(job))?.digest;
  for (let part = 0; part < job.parts; part++) if (!(await isDone(job, "merge", part, digest))) return false;
  return true;
}

/** Finds out which tasks of a job are done, which run, and which are missing. It reads no items. */
export async function jobStatus(job: JobFolder): Promise<JobStatus> {
  const now = await leaseClock(`${job.path}/leases`);
  const cuts = await findCuts(job);
  const [merged, merging] = await tasks(job, "merge", job.parts, now, cuts?.digest);
  const finished = await isFinished(job);
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
  const done: number[] = [];
  const running: number[] = [];
  for (let index = 0; index < count; index++) {
    if (await isDone(job, kind, index, cuts)) done.push(index);
    else if (await isLeased(job.leasePath(kind, index), now)) running.push(index);
  }
  return [done, running];
}

async function isDone(job: JobFolder, kind: TaskKind, index: number, cuts?: string): Promise<boolean> {
  const receipt = await readReceipt(job, kind, index);
  if (!receipt || (kind === "merge" && receipt.cuts !== cuts)) return false;
  return isSame(receipt, await identityOf(job.resultPath(kind, index)));
}
