import { cutRuns } from "../../jobs/cut.js";
import { finishJob } from "../../jobs/finish.js";
import { JobFolder } from "../../jobs/folder.js";
import { planJob } from "../../jobs/make_plan.js";
import { mergePart } from "../../jobs/merge_part.js";
import { needsOf } from "../../jobs/needs.js";
import { sortRun } from "../../jobs/sort_run.js";
import { jobStatus } from "../../jobs/status.js";
import { type TaskOptions, type TaskResult, TaskTools } from "../../jobs/task.js";
import { parseTasks } from "../../jobs/task_ranges.js";
import { cutText, finishText, planText, statusText, taskText } from "../../report/job.js";
import { jsonText } from "../../report/json.js";
import { parseCount, parseThreads } from "../numbers.js";
import {
  type InputArguments,
  parseCompression,
  parseInputArguments,
  parseMemory,
  parseOutputFormat,
} from "../parse.js";
import { openDeviceQuietly } from "../terminal/hide_dawn_output.js";
import { ProgressLine } from "../terminal/progress_line.js";

/** What all commands of a job print, or not. */
interface Printing {
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

export interface JobPlanArguments extends InputArguments, Printing {
  readonly job: string;
  readonly output: string;
  readonly reverse?: boolean | undefined;
  readonly unique?: boolean | undefined;
  readonly parts?: string | undefined;
  readonly runSize?: string | undefined;
  readonly memory?: string | undefined;
  readonly to?: string | undefined;
  readonly compress?: string | undefined;
}

export interface JobTaskArguments extends Printing {
  readonly device?: string | undefined;
  readonly threads?: string | undefined;
  readonly memory?: string | undefined;
  readonly tempDir?: string | undefined;
}

export interface JobFinishArguments extends Printing {
  readonly readAll?: boolean | undefined;
  readonly removeRuns?: boolean | undefined;
  readonly threads?: string | undefined;
}

/** `gpusort job plan INPUT... --job FOLDER -o FOLDER` */
export async function plan(inputs: readonly string[], typed: JobPlanArguments): Promise<void> {
  const { job: folder, output, reverse, unique, parts, runSize, memory, to, compress } = typed;
  const { job, wasDone } = await planJob(inputs, {
    ...parseInputArguments(typed),
    job: folder,
    output,
    descending: reverse,
    unique,
    parts: parts === undefined ? undefined : parseCount(parts, "--parts"),
    runBytes: runSize === undefined ? undefined : parseMemory(runSize, "--run-size"),
    memoryBytes: memory === undefined ? undefined : parseMemory(memory),
    to: to === undefined ? undefined : parseOutputFormat(to, ["numbers", "records"]),
    compress: compress === undefined ? undefined : parseCompression(compress),
  });
  const needs = needsOf(job);
  const { runs, id, plan } = job;
  print(typed, { job: id, folder: job.path, runs, parts: plan.parts, wasDone, ...needs }, () =>
    planText(job, needs, wasDone),
  );
}

/** `gpusort job sort FOLDER [RUN...]` */
export function sort(folder: string, words: readonly string[], typed: JobTaskArguments): Promise<void> {
  return tasks(folder, words, typed, "run", sortRun);
}

/** `gpusort job merge FOLDER [PART...]` */
export function merge(folder: string, words: readonly string[], typed: JobTaskArguments): Promise<void> {
  return tasks(folder, words, typed, "part", mergePart);
}

async function tasks(
  folder: string,
  words: readonly string[],
  typed: JobTaskArguments,
  what: "run" | "part",
  run: (job: JobFolder, index: number, options: TaskOptions) => Promise<TaskResult>,
): Promise<void> {
  const job = await JobFolder.open(folder);
  const count = what === "run" ? job.runs : job.parts;
  const { device, memory, tempDir, quiet } = typed;
  const threads = parseThreads(typed.threads);
  const tools = new TaskTools(threads);
  try {
    for (const index of parseTasks(words, what, count)) {
      const line = new ProgressLine(process.stderr, { wanted: !quiet });
      try {
        const result = await run(job, index, {
          device,
          threads,
          memoryBytes: memory === undefined ? undefined : parseMemory(memory),
          tempDir,
          openDevice: openDeviceQuietly,
          tools,
          onProgress: line.update,
          onDecision: ({ notice }) => {
            if (notice && !quiet) line.print(`gpusort: ${notice}\n`);
          },
        });
        line.end();
        if (typed.json) process.stdout.write(`${JSON.stringify(result.receipt)}\n`);
        else if (!quiet) process.stderr.write(taskText(result, count));
      } finally {
        line.end();
      }
    }
  } finally {
    await tools.close();
  }
}

/** `gpusort job cut FOLDER` */
export async function cut(folder: string, typed: Printing): Promise<void> {
  const job = await JobFolder.open(folder);
  const { cuts, wasDone } = await cutRuns(job);
  print(typed, { job: job.id, parts: job.parts, digest: cuts.digest, wasDone }, () => cutText(job, wasDone));
}

/** `gpusort job finish FOLDER` */
export async function finish(folder: string, typed: JobFinishArguments): Promise<void> {
  const job = await JobFolder.open(folder);
  const { readAll, removeRuns, threads } = typed;
  const success = await finishJob(job, { readAll, removeRuns, threads: parseThreads(threads) });
  print(typed, success, () => finishText(job, success));
}

/** `gpusort job status FOLDER` */
export async function status(folder: string, { json, quiet }: Printing): Promise<void> {
  const found = await jobStatus(await JobFolder.open(folder));
  if (json) process.stdout.write(jsonText(found));
  else if (!quiet) process.stdout.write(statusText(found));
}

function print({ json, quiet }: Printing, found: object, text: () => string): void {
  if (json) process.stdout.write(jsonText(found));
  else if (!quiet) process.stderr.write(text());
}
