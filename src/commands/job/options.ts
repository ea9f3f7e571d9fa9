import type { Command } from "commander";
import {
  addReadingOptions,
  compressOption,
  deviceOption,
  oneOutput,
  QUIET,
  TEMP_DIR,
  THREADS,
} from "../shared_options.js";
import type { JobPlanArguments, JobTaskArguments } from "./job.js";

const FOLDER = ["<folder>", "the folder of the job"] as const;
const JSON_OUT = ["--json", "print it as JSON"] as const;

/**
 * Adds the command `job` with its own commands. Commander's types are left out: the compiler would need
 * gigabytes for them.
 */
export function addJobCommand(program: Command): void {
  const job = program
    .command("job")
    .description(
      "sort as tasks that run on many machines, by any engine that starts commands (docs/cluster.md)",
    );
  addPlan(job);
  addTask(job, "sort", "runs", "sort runs: those named, or all; a run that has its receipt is skipped");
  addTask(
    job,
    "merge",
    "parts",
    "write parts of the output: those named, or all; a part that has its receipt is skipped",
  );
  addCut(job);
  addFinish(job);
  addStatus(job);
}

function addPlan(job: Command): void {
  const plan = job
    .command("plan")
    .description("plan a sort of files as tasks; prints what they need")
    .argument(
      "<inputs...>",
      "files, or patterns in quotes such as 'in/*.u64'; every worker reads these paths",
    )
    .requiredOption("--job <folder>", "folder for the plan, the sorted runs and the receipts; it is created")
    .requiredOption(
      "-o, --output <folder>",
      "folder for the parts of the output, which is created or empty",
      oneOutput,
    );
  addReadingOptions(plan, { rows: false });
  plan
    .option("-r, --reverse", "sort in descending order")
    .option("-u, --unique", "keep only the first of equal keys")
    .option("--parts <n>", "number of files of the output (default: as many as there are runs)")
    .option(
      "--run-size <size>",
      "bytes of a run at most: 512M, 2G; a plain number is KiB (default: as many as a task sorts at once)",
    )
    .option(
      "-S, --memory <size>",
      "memory that each task may use: 512M, 2G, 50% (default: a quarter of this machine's memory)",
    )
    .option("--to <format>", "format of the parts: raw, npy or text (default: that of the inputs)")
    .option(...compressOption("parts", "as the first input is named"))
    .option(...JSON_OUT)
    .option(...QUIET)
    .action(async (inputs: string[], options: JobPlanArguments) =>
      (await import("./job.js")).plan(inputs, options),
    );
}

/** Adds a command that runs tasks. Its options do not change what a task writes. */
function addTask(job: Command, name: "sort" | "merge", items: "runs" | "parts", description: string): void {
  job
    .command(name)
    .description(description)
    .argument(...FOLDER)
    .argument(`[${items}...]`, `numbers such as 12, or 0-11 for all from 0 to 11 (default: all ${items})`)
    .option(...deviceOption("the fastest for the run or part"))
    .option(...THREADS)
    .option("-S, --memory <size>", "memory to use at most (default: that of the plan)")
    .option(...TEMP_DIR)
    .option("--json", "print the receipts as JSON, one on a line")
    .option(...QUIET)
    .action(async (folder: string, numbers: string[], options: JobTaskArguments) => {
      const { sortRuns, mergeParts } = await import("./job.js");
      return (name === "sort" ? sortRuns : mergeParts)(folder, numbers, options);
    });
}

function addCut(job: Command): void {
  job
    .command("cut")
    .description("find the places in all sorted runs where each part of the output begins")
    .argument(...FOLDER)
    .option(...JSON_OUT)
    .option(...QUIET)
    .action(async (folder: string, options) => (await import("./job.js")).cut(folder, options));
}

function addFinish(job: Command): void {
  job
    .command("finish")
    .description("check that all parts are there, whole and in order, and write _SUCCESS.json beside them")
    .argument(...FOLDER)
    .option("--read-all", "read all parts again, not only those that were touched since they were written")
    .option("--remove-runs", "remove the sorted runs at the end, which take as much space as the inputs")
    .option(...THREADS)
    .option(...JSON_OUT)
    .option(...QUIET)
    .action(async (folder: string, options) => (await import("./job.js")).finish(folder, options));
}

function addStatus(job: Command): void {
  job
    .command("status")
    .description("print which tasks are done, which run, and which are missing")
    .argument(...FOLDER)
    .option(...JSON_OUT)
    .option("-q, --quiet", "print nothing, except --json")
    .action(async (folder: string, options) => (await import("./job.js")).status(folder, options));
}
