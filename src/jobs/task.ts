import { hostname } from "node:os";
import { KeptEngines } from "../auto/open.js";
import { version } from "../build.generated.js";
import type { ProgressListener } from "../core/streams/progress.js";
import { ProgressMeter } from "../core/streams/progress.js";
import type { OpenDevice } from "../dawn/adapter.js";
import type { OpenedInputs } from "../sort/inputs.js";
import { sortItems } from "../sort/items/sort_items.js";
import type { SortDecision, SortFileOptions } from "../sort/sort_options.js";
import type { SortSummary } from "../sort/sort_summary.js";
import { KernelThreads } from "../threads/kernel_threads.js";
import type { JobFolder, TaskKind } from "./folder.js";
import { Lease } from "./lease.js";
import {
  confirmed,
  type ItemsContent,
  identityOf,
  RECEIPT_KIND,
  type Receipt,
  readReceipt,
  writeReceipt,
} from "./receipt.js";

/**
 * What tasks that follow each other in one process use: threads and devices that stay open, with their memory.
 * All tasks name the same device and number of threads.
 */
export class TaskTools {
  readonly threads: KernelThreads;
  readonly engines = new KeptEngines();

  /** @param threads the most threads to use. Default: as many as the process may use at a time. */
  constructor(threads?: number) {
    this.threads = new KernelThreads(threads);
  }

  async close(): Promise<void> {
    await this.engines.close();
    this.threads.close();
  }
}

/** How a worker runs tasks. What it writes depends on none of this. */
export interface TaskOptions {
  /** As for `sortFile`. */
  readonly device?: string | undefined;
  /** As for `sortFile`. */
  readonly threads?: number | undefined;
  /** Bytes of memory to use. Default: those of the plan. */
  readonly memoryBytes?: number | undefined;
  /** The folder for temporary files. Default: the environment variable `TMPDIR`; else the output's folder. */
  readonly tempDir?: string | undefined;
  readonly openDevice?: OpenDevice | undefined;
  /** Those of other tasks too, which stay open. Default: tools of this task's own. */
  readonly tools?: TaskTools | undefined;
  readonly onProgress?: ProgressListener | undefined;
  readonly onDecision?: ((decision: SortDecision) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What became of a task. */
export interface TaskResult {
  readonly receipt: Receipt;
  /** Whether its receipt was there already, so that nothing was done. */
  readonly wasDone: boolean;
}

/** What differs between the kinds of tasks. */
export interface TaskWork {
  readonly kind: TaskKind;
  readonly index: number;
  /** Fields of the receipt that this kind alone has. A receipt with others is of another task. */
  readonly own: Pick<Receipt, "samples" | "cuts">;
  /** Reads the task's result, and checks its order. */
  read(threads: KernelThreads): Promise<ItemsContent>;
  /** Whether what belongs to the result besides its file is there. */
  isWhole?(receipt: Receipt): Promise<boolean>;
  /** Sorts or merges, and reads the result back. */
  run(
    tools: TaskTools,
  ): Promise<Pick<Receipt, "samples" | "read" | "sum"> & ItemsContent & { summary: SortSummary }>;
}

/**
 * Runs a task, unless its receipt is there, and its result is what the receipt says. It writes the same bytes
 * wherever it runs, renames the file to its name, reads it back, and writes a receipt of what was found. So
 * nothing is locked, and nothing schedules tasks: engines do, by their exit codes.
 */
export async function runTask(job: JobFolder, work: TaskWork, options: TaskOptions): Promise<TaskResult> {
  const tools = options.tools ?? new TaskTools(options.threads);
  try {
    const done = await receiptOf(job, work, () => work.read(tools.threads));
    if (done) return { receipt: done, wasDone: true };
    const lease = await Lease.take(job.leasePath(work.kind, work.index));
    try {
      const begin = performance.now();
      const { summary, ...content } = await work.run(tools);
      const identity = await identityOf(job.resultPath(work.kind, work.index));
      if (!identity) throw new TypeError(`${job.resultPath(work.kind, work.index)} was not written`);
      const seconds = (performance.now() - begin) / 1000;
      const receipt = {
        ...ofTask(job, work),
        ...work.own,
        ...content,
        ...identity,
        ...howItWent(summary),
        seconds,
      };
      await writeReceipt(job, receipt);
      return { receipt, wasDone: false };
    } finally {
      await lease.release();
    }
  } finally {
    if (!options.tools) await tools.close();
  }
}

const ofTask = (job: JobFolder, { kind, index }: TaskWork) => ({
  kind: RECEIPT_KIND,
  gpusort: version,
  job: job.id,
  task: kind,
  index,
});

function howItWent({ device, phases, verified }: SortSummary) {
  return {
    device,
    host: hostname(),
    verified,
    phases: phases.map(({ name, ms }) => ({ name, seconds: ms / 1000 })),
  };
}

/** The receipt of a task whose result is what the receipt says; undefined if the task must run. */
async function receiptOf(
  job: JobFolder,
  { kind, index, own, isWhole }: TaskWork,
  read: () => Promise<ItemsContent>,
): Promise<Receipt | undefined> {
  const receipt = await readReceipt(job, kind, index);
  if (!receipt || (own.cuts !== undefined && receipt.cuts !== own.cuts)) return undefined;
  if (isWhole && !(await isWhole(receipt))) return undefined;
  return confirmed(job, receipt, read);
}

/** Sorts or merges the items of a task into a file. */
export function sortInto(
  path: string,
  inputs: OpenedInputs,
  { threads, engines }: TaskTools,
  options: SortFileOptions,
): Promise<SortSummary> {
  const progress = new ProgressMeter(options.onProgress);
  const context = { tools: threads, engines, progress, begin: performance.now() };
  return sortItems(inputs, path, { ...options, replace: true }, context);
}

/** The options of a sort that a worker chooses. */
export function workerOptions({ plan }: JobFolder, options: TaskOptions): SortFileOptions {
  const { device, threads, memoryBytes = plan.memoryBytes } = options;
  const { tempDir, openDevice, onProgress, onDecision, signal } = options;
  return { device, threads, memoryBytes, tempDir, openDevice, onProgress, onDecision, signal };
}
