import { parseTasks } from "../../jobs/command_words.js";
import { makeCuts } from "../../jobs/cut.js";
import { finishJob } from "../../jobs/finish.js";
import { JobFolder } from "../../jobs/folder.js";
import { planJob } from "../../jobs/make_plan.js";
import { mergePart } from "../../jobs/merge_part.js";
import { needsOf } from "../../jobs/needs.js";
import { sortRun } from "../../jobs/sort_run.js";
import { jobStatus } from "../../jobs/status.js";
import { type TaskOptions, type TaskResult, TaskTools } from "../../jobs/task.js";
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
import { openDeviceHidingOutput } from "../terminal/hide_dawn_output.js";
import { ProgressLine } from "../terminal/status_line.js";
import { noticeLine } from "../terminal/terminal.js";

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
export async function plan(inputs: readonly string[], args: JobPlanArguments): Promise<void> {
  const { job: folder, output, reverse, unique, parts, runSize, memory, to, compress } = args;
  const { job, wasDone } = await planJob(inputs, {
    ...parseInputArguments(args),
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
  print(args, { job: id, folder: job.path, runs, parts: plan.parts, wasDone, ...needs }, () =>
    planText(job, needs, wasDone),
  );
}

/** `gpusort job sort FOLDER [RUN...]` */
export function sortRuns(folder: string, words: readonly string[], args: JobTaskArguments): Promise<void> {
  return tasks(folder, words, args, "run", sortRun);
}

/** `gpusort job merge FOLDER [PART...]` */
export function mergeParts(folder: string, words: readonly string[], args: JobTaskArguments): Promise<void> {
  return tasks(folder, words, args, "part", mergePart);
}

async function tasks(
  folder: string,
  words: readonly string[],
  args: JobTaskArguments,
  what: "run" | "part",
  run: (job: JobFolder, index: number, options: TaskOptions) => Promise<TaskResult>,
): Promise<void> {
  const job = await JobFolder.open(folder);
  const count = what === "run" ? job.runs : job.parts;
  const { device, memory, tempDir, quiet } = args;
  const threads = parseThreads(args.threads);
  const tools = new TaskTools(threads);
  try {
    for (const index of parseTasks(words, what, count)) {
      const line = new ProgressLine(process.stderr, { enabled: !quiet });
      try {
        const result = await run(job, index, {
          device,
          threads,
          memoryBytes: memory === undefined ? undefined : parseMemory(memory),
          tempDir,
          openDevice: openDeviceHidingOutput,
          tools,
          onProgress: line.update,
          onDecision: ({ notice }) => {
            if (notice && !quiet) line.print(noticeLine(notice));
          },
        });
        line.end();
        if (args.json) process.stdout.write(`${JSON.stringify(result.receipt)}\n`);
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
export async function cut(folder: string, args: Printing): Promise<void> {
  const job = await JobFolder.open(folder);
  const { cuts, wasDone } = await makeCuts(job);
  print(args, { job: job.id, parts: job.parts, digest: cuts.digest, wasDone }, () => cutText(job, wasDone));
}

/** `gpusort job finish FOLDER` */
export async function finish(folder: string, args: JobFinishArguments): Promise<void> {
  const job = await JobFolder.open(folder);
  const { readAll, removeRuns, threads } = args;
  const success = await finishJob(job, { readAll, removeRuns, threads: parseThreads(threads) });
  print(args, success, () => finishText(job, success));
}

/** `gpusort job status FOLDER` */
export async function status(folder: string, { json, quiet }: Printing): Promise<void> {
  const status = await jobStatus(await JobFolder.open(folder));
  if (json) process.stdout.write(jsonText(status));
  else if (!quiet) process.stdout.write(statusText(status));
}

function print({ json, quiet }: Printing, result: object, text: () => string): void {
  if (json) process.stdout.write(jsonText(result));
  else if (!quiet) process.stderr.write(text());
}
