import { allEnded } from "../core/all_ended.js";
import type { TemporaryFile } from "../files/temporary.js";
import { type MergeJob, mergeRuns } from "./merge.js";
import { type Run, RunFile } from "./runs.js";
import { type RowChecks, type RowSink, TableWriter } from "./write_table.js";

/**
 * The part of the memory of a merge that one block of each run may take. The less it is, the more rows of each
 * part of a merge are written; what is left over is sorted again with the next part.
 */
const BLOCKS_SHARE = 1 / 2;

/** Copies of a block while it is written: as it waits, put together, and packed. */
const WRITE_COPIES = 3;

/** What the merges before the last one take. */
export interface PassesJob extends Omit<MergeJob, "runs" | "writer"> {
  readonly signal: AbortSignal | undefined;
  /** About the bytes of a run's blocks. */
  readonly blockBytes: number;
  /** Creates a file for runs. @param bytes its length at most. */
  readonly createFile: (bytes: number) => Promise<TemporaryFile>;
}

/** Runs that are few enough, and what it took. */
export interface Merged {
  readonly runs: readonly Run[];
  /** Bytes that were written to temporary files. */
  readonly bytes: number;
  /** Closes the temporary files of the runs. */
  close(): Promise<void>;
}

/**
 * Merges runs until they are so few that one merge takes all of them. Neighbours are merged, as many as fit in
 * memory, so that rows with equal keys keep their order; and no more of them than must be, as each merge writes
 * and reads its rows once more. Each pass over the runs has a file of its own. A file is closed, also one that
 * was given, when no run is in it any more.
 *
 * @throws InputError if not even two runs can be merged, or if the disk is full; VerifyError as `mergeRuns` does.
 *   The files that are left are then closed.
 */
export async function mergeUntilFew(job: PassesJob, from: readonly Run[]): Promise<Merged> {
  const files = new Set(from.map(({ file }) => file));
  const close = async () => {
    await allEnded([...files].map((file) => file.close()));
  };
  const most = BLOCKS_SHARE * job.budget;
  let [runs, bytes] = [[...from], 0];
  try {
    while (runs.length > 2 && costOf(runs) > most) {
      const into = new RunFile(await job.createFile(sumOf(runs, "bytes")), job.clock, job.signal);
      files.add(into);
      runs = await mergeOnce(job, runs, most, into);
      bytes += into.bytes;
      for (const file of files) {
        if (runs.some((run) => run.file === file)) continue;
        files.delete(file);
        await file.close();
      }
    }
    return { runs, bytes, close };
  } catch (error) {
    await close().catch(() => {}); // the first error says more
    throw error;
  }
}

const sumOf = (runs: readonly Run[], what: "blockCost" | "bytes") =>
  runs.reduce((sum, run) => sum + run[what], 0);

const costOf = (runs: readonly Run[]) => sumOf(runs, "blockCost");

/** Merges neighbours, until all that is left can be merged at once. */
async function mergeOnce(job: PassesJob, runs: readonly Run[], most: number, file: RunFile): Promise<Run[]> {
  const merged: Run[] = [];
  let rest = runs;
  for (;;) {
    const excess = costOf(merged) + costOf(rest) - most;
    if (rest.length === 0 || excess <= 0) return [...merged, ...rest];
    const group = rest.slice(0, groupLength(rest, most, excess));
    rest = rest.slice(group.length);
    merged.push(...(group.length === 1 ? group : await mergeGroup(job, group, file)));
  }
}

/**
 * How many of the first runs are merged: as many as fit in memory, but at least two; and no more than it takes
 * to be rid of an excess.
 */
function groupLength(runs: readonly Run[], most: number, excess: number): number {
  let [cost, largest] = [0, 0];
  for (const [i, { blockCost }] of runs.entries()) {
    if (i >= 2 && (cost + blockCost > most || cost - largest >= excess)) return i;
    cost += blockCost;
    largest = Math.max(largest, blockCost);
  }
  return runs.length;
}

/** @returns the run, or nothing if no rows are left. */
async function mergeGroup(job: PassesJob, runs: readonly Run[], file: RunFile): Promise<Run[]> {
  const { blockBytes, keys, unique, verify, signal } = job;
  const into = file.begin(blockBytes);
  const sink: RowSink = {
    batchRows: Number.POSITIVE_INFINITY,
    copies: WRITE_COPIES,
    write: async (columns, rowCount) =>
      into.add(
        [...columns],
        Uint32Array.from({ length: rowCount }, (_, row) => row),
      ),
    end: async () => {},
    stop: async () => {},
  };
  const checks: RowChecks | undefined = verify ? { keys, unique } : undefined;
  const writer = new TableWriter(sink, checks, () => signal?.throwIfAborted(), blockBytes);
  await mergeRuns({ ...job, runs, writer, budget: job.budget - WRITE_COPIES * blockBytes });
  await writer.end();
  const run = await into.end();
  return run ? [run] : [];
}
