import { type ItemOrder, itemOrder } from "../core/items/order.js";
import type { ItemSource } from "../core/streams/item_stream.js";
import { RankCuts, type Run } from "../external/rank_cuts.js";
import type { InputFile } from "../files/input_file.js";
import { KernelThreads } from "../threads/kernel_threads.js";
import { CUTS_KIND, Cuts, findCuts } from "./cuts.js";
import { type JobFolder, unfinished, writeSealed } from "./folder.js";
import { ownVersion } from "./plan.js";
import { type Receipt, readReceipt } from "./receipt.js";
import { openSortedRun, readSamples } from "./run_file.js";
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
export async function cutRuns(job: JobFolder): Promise<CutResult> {
  const receipts = await sortedRuns(job);
  const named = digest(
    JSON.stringify([job.id, receipts.map(({ written, checksum }) => [written, checksum])]),
  );
  const found = await findCuts(job);
  if (found?.digest === named) return { cuts: found, wasDone: true };
  const file = {
    kind: CUTS_KIND as typeof CUTS_KIND,
    gpusort: ownVersion,
    job: job.id,
    digest: named,
    checksums: receipts.map(({ checksum }) => checksum),
    counts: receipts.map(({ written }) => written),
    starts: await startsOfParts(job, receipts),
  };
  await writeSealed(job.cutsPath, file);
  return { cuts: new Cuts(file), wasDone: false };
}

async function sortedRuns(job: JobFolder): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  const missing: number[] = [];
  for (let run = 0; run < job.runs; run++) {
    const receipt = await readReceipt(job, "sort", run);
    if (receipt) receipts.push(receipt);
    else missing.push(run);
  }
  if (missing.length === 0) return receipts;
  throw unfinished(job, `${missing.length} of ${job.runs} runs are not sorted yet`, "sort", missing);
}

async function startsOfParts(job: JobFolder, receipts: readonly Receipt[]): Promise<number[][]> {
  const order = itemOrder(job.item, job.plan.descending);
  const files: InputFile[] = [];
  const threads = new KernelThreads();
  try {
    const runs: Run[] = [];
    for (const receipt of receipts) {
      const { file, items } = await openSortedRun(job, receipt, threads);
      files.push(file);
      runs.push({
        source: items.source!,
        itemCount: items.itemCount!,
        samples: await readSamples(job, receipt),
      });
    }
    const cuts = new RankCuts(runs, job.plan.stride, order);
    const starts: number[][] = [];
    for (let part = 1; part < job.parts; part++) {
      const start = await cuts.at(rankOf(part, job.parts, cuts.itemCount));
      starts.push(job.plan.unique ? await beforeEqual(start, runs, order) : start);
    }
    return starts;
  } finally {
    threads.close();
    for (const file of files) await file.close();
  }
}

/** The number of items before a part. A product of two numbers may be more than a number holds. */
function rankOf(part: number, parts: number, items: number): number {
  return Number((BigInt(part) * BigInt(items)) / BigInt(parts));
}

/**
 * Moves a cut to before all items that are equal to the first one behind it. Each run has at most one of them,
 * as it was sorted without duplicates.
 */
async function beforeEqual(
  start: readonly number[],
  runs: readonly Run[],
  order: ItemOrder,
): Promise<number[]> {
  const { bytes } = order.item;
  const itemAt = async ({ source }: { source: ItemSource }, index: number) => {
    const item = new Uint8Array(bytes);
    await source.read(item, index * bytes);
    return order.view(item);
  };
  const heads = await Promise.all(
    runs.map((run, i) => (start[i]! < run.itemCount ? itemAt(run, start[i]!) : undefined)),
  );
  const least = heads.reduce(
    (a, b) => (a && b ? (order.compare(b, 0, a, 0) < 0 ? b : a) : (a ?? b)),
    undefined,
  );
  if (!least) return [...start];
  return Promise.all(
    runs.map(async (run, i) => {
      const at = start[i]!;
      return at > 0 && order.compare(await itemAt(run, at - 1), 0, least, 0) === 0 ? at - 1 : at;
    }),
  );
}
