import { itemOrder } from "../core/items/order.js";
import { limitConcurrency } from "../files/limit_concurrency.js";
import { RankCuts, type Run } from "../sort/runs/rank_cuts.js";
import { KernelThreads } from "../threads/kernel_threads.js";
import { type Cuts, findCuts, writeCuts } from "./cuts.js";
import { type JobFolder, unfinished } from "./folder.js";
import { type Receipt, readReceipt } from "./receipt.js";
import { closeRuns, type OpenRun, openSortedRuns, readSamples } from "./run_file.js";
import { digest } from "./sealed.js";

/** Where the runs were cut, and whether they were cut already. */
export interface CutResult {
  readonly cuts: Cuts;
  readonly wasDone: boolean;
}

/**
 * Cuts the sorted runs into parts of equal numbers of items, give or take one: equal keys are told apart by
 * their run and their place in it. If only the first of equal keys are kept, a part begins with the first of
 * them, so it may have as many items more as there are runs.
 *
 * @throws UnfinishedError if a run is not sorted, or was changed.
 */
export async function makeCuts(job: JobFolder): Promise<CutResult> {
  const receipts = await sortedRuns(job);
  const named = digest(
    JSON.stringify([job.id, receipts.map(({ written, checksum }) => [written, checksum])]),
  );
  const cuts = await findCuts(job);
  if (cuts?.digest === named && (await cuts.areWhole())) return { cuts, wasDone: true };
  const of = {
    digest: named,
    checksums: receipts.map(({ checksum }) => checksum),
    counts: receipts.map(({ written }) => written),
  };
  return { cuts: await writeCuts(job, of, startsOfParts(job, receipts)), wasDone: false };
}

async function sortedRuns(job: JobFolder): Promise<Receipt[]> {
  const perRun = await limitConcurrency(job.runs, (run) => readReceipt(job, "sort", run));
  const receipts = perRun.flatMap((receipt) => receipt ?? []);
  if (receipts.length === job.runs) return receipts;
  const missing = perRun.flatMap((receipt, run) => (receipt ? [] : [run]));
  throw unfinished(job, `${missing.length} of ${job.runs} runs are not sorted yet`, "sort", missing);
}

/** Where each part but the first begins in each run. */
async function* startsOfParts(job: JobFolder, receipts: readonly Receipt[]): AsyncGenerator<number[], void> {
  const { stride, descending, unique } = job.plan;
  const threads = new KernelThreads();
  let opened: OpenRun[] = [];
  try {
    opened = await openSortedRuns(job, receipts, threads);
    const samples = await limitConcurrency(job.runs, (run) => readSamples(job, receipts[run]!));
    const runs = opened.map(({ items }, run): Run => {
      return { source: items.source!, itemCount: items.itemCount!, samples: samples[run]! };
    });
    const cuts = new RankCuts(runs, stride, itemOrder(job.item, descending));
    const ranks = Array.from({ length: job.parts - 1 }, (_, i) => rankOf(i + 1, job.parts, cuts.itemCount));
    yield* cuts.each(ranks, { beforeEqual: unique });
  } finally {
    threads.close();
    await closeRuns(opened);
  }
}

/** The number of items before a part. A product of two numbers may be more than a number holds. */
function rankOf(part: number, parts: number, items: number): number {
  return Number((BigInt(part) * BigInt(items)) / BigInt(parts));
}
