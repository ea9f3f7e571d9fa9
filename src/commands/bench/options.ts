import type { Command } from "commander";
import { columnsOnCpu, columnsWithGpu } from "../../bench/metric.js";
import { taskForms } from "../../bench/tasks.js";
import { ADAPTER, QUIET, withInferredTypes } from "../shared_options.js";

export function addBenchCommand(program: Command): void {
  withInferredTypes(program)
    .command("bench")
    .description("measure the sorts on this machine and compare them in a table")
    .option("--min <n>", "smallest number of keys, such as 2^9, 512, 4K (K = 1000), 32Ki or 1e6", "2^9")
    .option("--max <n>", "largest number of keys, at most 2^32 - 1", "2^25")
    .option("--step <factor>", "factor from one number of keys to the next", "2")
    .option("--sizes <list>", "numbers of keys, separated by commas, instead of --min, --max and --step")
    .option(
      "--task <list>",
      `what to do with the keys, separated by commas: ${taskForms.join(", ")}; K and N are numbers of keys`,
      "sort",
    )
    .option("-t, --type <list>", "types of the keys, separated by commas", "u32")
    .option(
      "--dist <list>",
      "distributions of the keys, separated by commas: uniform, sorted, zipf, entropy-0.544, …",
      "uniform",
    )
    .option(
      "--payload <list>",
      "bytes of the value that moves with each key: multiples of 4, separated by commas",
      "0",
    )
    .option("--algorithm <list>", "algorithms of the GPU, separated by commas: auto, radix, bitonic", "auto")
    .option(...ADAPTER)
    .option(
      "--columns <list>",
      [
        "columns, separated by commas: array, typed, cpu, gpu, round-trip, upload, readback;",
        "any of them with .min, .error, .runs, .gkeys, .gbs or .copy; ratios such as cpu/gpu",
        `(default: ${columnsWithGpu}, or ${columnsOnCpu} without an adapter)`,
      ].join(" "),
    )
    .option("--threads <n>", "most threads of the column cpu: 1 to 255 (default: one per core)")
    .option("--error <percent>", "stop a measurement when the error of its median is at most this", "2")
    .option(
      "--budget <seconds>",
      [
        "seconds of the whole table, divided among its rows and columns",
        "(default: 3 a row and 2.5 a million keys, and a quarter more for crossovers)",
      ].join(" "),
    )
    .option("--no-crossover", "do not search for the number of keys from which the GPU is faster")
    .option("--end-to-end", "measure the whole command `gpusort sort FILE` instead, phase by phase")
    .option("--seed-table", "also show the times of the tutorial that gpusort grew from, on a GTX 850M")
    .option("--json", "print everything as JSON (docs/bench.schema.json)")
    .option("--csv", "print the measurements as CSV")
    .option("--markdown", "print the table as Markdown")
    .option("--plot <file>", "draw times and throughput to this .svg or .png file")
    .option("--theme <name>", "colours of the plot: auto, light or dark", "auto")
    .option(
      "--out <file>",
      "write each row to this file as soon as it is measured; continue an earlier run's file",
    )
    .option(
      "--compare <file>",
      "show what changed since the run in this --json or --out file; exit with 5 if anything is slower",
    )
    .option("--threshold <percent>", "smallest change that --compare reports", "5")
    .option(...QUIET)
    .action(async (options) => (await import("./bench.js")).bench(options));
}
