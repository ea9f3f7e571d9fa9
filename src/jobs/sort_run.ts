import { existsSync, promises as fs } from "node:fs";
import { InputError } from "../core/errors.js";
import { openInput } from "../files/input.js";
import type { InputFile } from "../files/input_file.js";
import { replaceFile } from "../files/output.js";
import { concatenate } from "../formats/concatenate.js";
import type { ItemInput } from "../formats/format.js";
import { sliceItems } from "../formats/slice.js";
import { type OpenedInputs, type OpenInputsOptions, openInputs, openItemInputs } from "../sort/inputs.js";
import type { KernelThreads } from "../threads/kernel_threads.js";
import { taskNumbers } from "./command_words.js";
import type { JobFolder } from "./folder.js";
import type { JobPlan, Share } from "./plan.js";
import { isUnchanged, readReceipt } from "./receipt.js";
import { hasSamples, readRun } from "./run_file.js";
import { digest } from "./sealed.js";
import { isFinished } from "./status.js";
import { runTask, sortInto, type TaskOptions, type TaskResult, workerOptions } from "./task.js";

/**
 * Sorts a run: reads its share of the inputs, sorts it, and writes it with samples and a receipt. If the
 * receipt is there, it returns immediately.
 *
 * @throws InputError if there is no such run, or if an input was changed since the job was planned; and as
 *   `sortFile` does.
 */
export async function sortRun(job: JobFolder, run: number, options: TaskOptions = {}): Promise<TaskResult> {
  const shares = job.plan.runs[run];
  if (!shares) throw noSuchTask(job, "run", run, job.runs);
  const { descending, unique } = job.plan;
  if (await isDoneAndRemoved(job, run)) {
    return { receipt: (await readReceipt(job, "sort", run))!, wasDone: true };
  }
  return runTask(
    job,
    {
      kind: "sort",
      index: run,
      own: {},
      read: async (threads) => (await readRun(job, run, threads)).content,
      isWhole: (receipt) => hasSamples(job, receipt),
      async run(tools) {
        const { threads } = tools;
        const inputs = await openShares(job.plan, shares, threads);
        try {
          const settings = { ...workerOptions(job, options), descending, unique };
          const summary = await sortInto(job.runPath(run), inputs, tools, settings);
          const { content, samples, sum } = await readRun(job, run, threads);
          const about = await fs.stat(job.runPath(run), { bigint: true });
          await replaceFile(job.samplesPath(run), samples, [about]);
          return { summary, read: summary.keyCount, ...content, samples: digest(samples), sum };
        } finally {
          await inputs.close();
        }
      },
    },
    options,
  );
}

/** Whether the run was removed after its job had finished, so that nobody needs it. */
async function isDoneAndRemoved(job: JobFolder, run: number): Promise<boolean> {
  if (existsSync(job.runPath(run)) || !(await readReceipt(job, "sort", run))) return false;
  return isFinished(job);
}

/** Opens what a run sorts. @throws InputError if an input is not the one that was planned. */
async function openShares(
  { inputs, reading, item }: JobPlan,
  shares: readonly Share[],
  threads: KernelThreads,
): Promise<OpenedInputs> {
  const named: InputFile[] = [];
  const options = reading as OpenInputsOptions; // the plan was made from such options
  try {
    for (const [input] of shares) named.push(await openPlanned(inputs[input]!));
  } catch (error) {
    for (const file of named) await file.close();
    throw error;
  }
  const opened = await openInputs(named, options);
  try {
    const { each: whole } = await openItemInputs(opened, options, threads);
    // A run is not written in the style of the inputs, but as the memory holds items.
    const style = { format: "type" in item ? "raw" : "records", byteOrder: "little" } as const;
    const each = whole.map((items, i): ItemInput => {
      const [, first, count] = shares[i]!;
      return { ...(count === undefined ? items : sliceItems(items, first!, count)), style };
    });
    return { ...opened, items: concatenate(each), each };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function openPlanned({ path, bytes, mtimeNs }: JobPlan["inputs"][number]): Promise<InputFile> {
  const file = await openInput(path);
  const { size = 0n, mtimeNs: time = 0n } = file.stats ?? {};
  if (isUnchanged({ bytes, mtimeNs }, { bytes: Number(size), mtimeNs: String(time) })) return file;
  await file.close();
  throw new InputError(`${path} was changed since the job was planned`, {
    hint: "plan the job anew, in another folder",
  });
}

/** The error for a number of a task that the job does not have. */
export function noSuchTask(job: JobFolder, what: "run" | "part", index: number, count: number): InputError {
  return new InputError(`the job in ${job.path} has no ${what} ${index}`, {
    hint: taskNumbers(what, count),
  });
}
