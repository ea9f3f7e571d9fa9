import type { Command } from "@commander-js/extra-typings";
import { Command as UntypedCommand } from "commander";
import { taskForms } from "../bench/tasks.js";
import { description, version } from "../build.generated.js";
import { messageLines } from "../core/printable.js";
import { columnsOnCpu, columnsWithGpu } from "./bench/bench_columns.js";
import { defaultDevice } from "./devices/default_device.js";
import { helpAfter, sortingHelp } from "./help.js";
import { describeInputs, formatNames, typeNames } from "./input_options.js";
import { describeJob } from "./job/job_program.js";

/** The type that commander itself declares, for code that does not depend on the options of a command. */
export const untyped = (command: unknown) => command as UntypedCommand;

/** Words with which the program speaks of all commands. */
const ABOUT_ALL = ["--help", "help", "completion"];

/**
 * All commands with their options. Completions and the manual page are made from it too.
 *
 * @param words those of the command line. Commands that they do not name then get no options, which would take
 *   a millisecond or two. Default: all commands get theirs.
 */
export function createProgram(words: readonly string[] = ABOUT_ALL) {
  // Only the types of @commander-js/extra-typings are used: loading the package itself would take 9 ms.
  const program = (new UntypedCommand("gpusort") as unknown as Command)
    .description(description)
    .usage("[options] <files...> | gpusort <command> [options]")
    .version(version, "--version", "print the version, as does -V alone at a terminal")
    .option("--debug", "print the stack trace of an error, and Dawn's own messages")
    .showHelpAfterError("(gpusort --help lists the commands, gpusort <command> --help its options)")
    .addHelpText("afterAll", ({ command, error }) => helpAfter(untyped(command), error))
    .hook("preAction", (command) => {
      if (command.opts().debug) process.env.GPUSORT_DAWN_LOG = "on";
    })
    .configureOutput({ outputError: (text, write) => write(messageLines(text)) })
    .exitOverride();

  const deviceFor = (auto: string) =>
    [
      "--device <which>",
      [
        `device to use: auto (${auto}), gpu, software, cpu, uuid:GPU-…, a number of gpusort devices,`,
        "or part of an adapter's name",
      ].join(" "),
      defaultDevice,
    ] as const;
  const adapter = deviceFor("the best adapter, else the CPU");
  const quiet = ["-q, --quiet", "print no progress, no notices and no summary"] as const;
  const threads = [
    "--threads <n>",
    "threads of the CPU to use at most, from 1 to 255 (default: all cores)",
  ] as const;

  // In commands that sort lines, -h is an order, as in sort(1).
  const help = ["--help", "print this help"] as const;

  // Each command's own code is loaded when it runs, so that --version and --help answer at once.
  const sort = describeInputs(
    program
      .command("sort", { isDefault: true })
      .helpOption(...help)
      .description("sort files of numbers, of records or of lines (the default: gpusort FILE)")
      .argument(
        "[files...]",
        "files to sort, all together into one output; - reads standard input, as does no file with a pipe",
      ),
  )
    .option("-r, --reverse", "sort in descending order")
    .option("-s, --stable", "keep the order of lines with equal keys, which gpusort always does")
    .option("-u, --unique", "keep only the first of equal keys")
    .option(
      "-c, --check",
      "do not sort: exit with 0 if the input is in order, else print where it is not, and exit with 1",
    )
    .option("-C", "as --check, but print nothing: --check --quiet")
    .option("-m, --merge", "the files are sorted already: merge them, if they exceed the memory")
    .option("--argsort", "write each key's position in the input (u32, from 0) instead of the key")
    .option("--head <n>", "write only the first n of the sorted keys, such as 100, 1e6, 4K or 2^20")
    .option(
      "--files0-from <file>",
      "read the names of the files from this file, each ended by a byte 0; - for standard input",
    )
    .option(...threads)
    .option("--parallel <n>", "the same as --threads")
    .option(
      "-S, --memory <size>",
      [
        "memory to use at most: 512M, 2G, 50%; a plain number is in KiB, and K, M, G and T are powers of",
        "1024, as in sort(1) (default: half of the free memory)",
      ].join(" "),
    )
    .option(
      "-T, --temp-dir <folder>",
      "folder for temporary files, used if memory is too small (default: TMPDIR, else the output's folder)",
    )
    .option(
      "-o, --output <file>",
      [
        "output file, which is replaced if it exists; - writes to standard output (default: FILE.sorted.EXT,",
        "or FILE.argsort.u32; standard output if the input is -)",
      ].join(" "),
    )
    .option(
      "--to <format>",
      `output format: ${formatNames}; csv of Parquet (default: from the output's name, else the input's)`,
    )
    .option(
      "--compress <how>",
      [
        "compress the output: gz, zst (Node 22.15 or later) or none (default: from the output's name); of",
        "Parquet: the codec of its columns, also snappy (default: the input's)",
      ].join(" "),
    )
    .option("--force", "replace the default output file if it exists, or one that is write-protected")
    .option("--algorithm <name>", "sort algorithm of a GPU: auto (the fastest), radix or bitonic", "auto")
    .option(...deviceFor("the fastest for the input"))
    .option("--verify <level>", "full: also read the output file back from the disk and compare it")
    .option("--no-verify", "do not check the result before the output is published")
    .option("--explain", "print to standard error why this device and this method were chosen")
    .option("--trace <file>", "write a Chrome trace of the phases to this file, for ui.perfetto.dev")
    .option("--json", "print the summary as JSON to standard output")
    .option("-v, --verbose", "also print the time of each phase")
    .option(...quiet)
    .action(async (files, options) => (await import("./sort/sort.js")).sort(files, options));

  const others: Readonly<Record<string, () => unknown>> = {
    verify: () =>
      describeInputs(
        program
          .command("verify")
          .helpOption(...help)
          .description(
            [
              "check the order of keys or lines, count them and their duplicates, and compute a checksum;",
              "exit with 1 if they are not in order",
            ].join(" "),
          )
          .argument(
            "[files...]",
            "files to check, all together as one; - reads standard input, as does no file with a pipe",
          ),
      )
        .option("-r, --reverse", "expect descending order")
        .option(
          "--records <name>",
          "valsort: check records of the sort benchmark and print what valsort prints, with its checksum",
        )
        .option(...threads)
        .option("--combine", "combine what verify --json printed for the parts, given in their order")
        .option("--json", "print the findings as JSON")
        .option("-q, --quiet", "print no progress, and no findings except --json; the exit code tells")
        .action(async (files, options) => (await import("./sort/verify.js")).verify(files, options)),
    gen: () =>
      program
        .command("gen")
        .description("generate test keys; the same seed gives the same keys")
        .argument("<n>", "number of keys, such as 2^25, 32Mi, 500K (K = 1000, Ki = 1024) or 1e6")
        .requiredOption("-o, --output <file>", "output file; - writes to standard output")
        .option(
          "-t, --type <type>",
          `type of the keys: ${typeNames} (default: from the output's name, else u32)`,
        )
        .option(
          "--dist <name>",
          [
            "distribution of the keys: uniform, sorted, reversed, nearly-sorted, constant, few, zipf,",
            "entropy-0.544, …, nan-laced; of gensort's records: uniform or skewed",
          ].join(" "),
          "uniform",
        )
        .option("--seed <n>", "seed of the random numbers: 0 to 2^32 - 1", "1")
        .option("--offset <k>", "generate only a part of the keys: skip the first k", "0")
        .option("--total <n>", "total number of keys, if this is only a part of them (default: offset + n)")
        .option(
          "--to <format>",
          "output format: raw, npy, text or records (default: from the output's name, else raw)",
        )
        .option(
          "--compress <how>",
          "compress the output: gz, zst (Node 22.15 or later) or none (default: from the output's name)",
        )
        .option("--byte-order <order>", "byte order of raw keys: little or big (default: little)")
        .option("--record <bytes>", "generate records of this many bytes; each holds its own number")
        .option(
          "--records <name>",
          "gensort: generate the records of the sort benchmark, byte by byte; gensort-ascii: those of text",
        )
        .option("--checksum", "print the checksum of --records to standard error, as gensort -c does")
        .option("--force", "replace the output if it exists")
        .option(...quiet)
        .action(async (n, options) => (await import("./gen/gen.js")).gen(n, options)),
    bench: () =>
      program
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
        .option(
          "--algorithm <list>",
          "algorithms of the GPU, separated by commas: auto, radix, bitonic",
          "auto",
        )
        .option(...adapter)
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
        .option(...quiet)
        .action(async (options) => (await import("./bench/bench.js")).bench(options)),
    devices: () =>
      program
        .command("devices")
        .description("list the adapters of this machine, and which of them --device chooses")
        .option(...adapter)
        .option(
          "--report",
          "check and measure the device that --device chooses, and print a report (with --json: to attach to an issue)",
        )
        .option("--json", "print the list, or the report, as JSON")
        .option(...quiet)
        .action(async (options, command) => {
          const isDefault = command.getOptionValueSource("device") === "default";
          await (await import("./devices/devices.js")).devices({ ...options, isDefault });
        }),
    demo: () =>
      program
        .command("demo")
        .description("run an example compute kernel, and check its result against the CPU")
        .argument("[name...]", "the demo and its options; without a name, list the demos")
        // Each demo declares its own options, --help among them, and is loaded when it runs.
        .allowUnknownOption()
        .helpOption(false)
        .action(async (words) => (await import("./demo/demo.js")).demo(words)),
    job: () => describeJob(untyped(program)),
    completion: () =>
      program
        .command("completion")
        .description("print a script that completes gpusort's commands, options and their values")
        .argument("<shell>", "bash, zsh or fish")
        .option(...quiet)
        .action(async (shell) => {
          const { completion } = await import("./completion/completion.js");
          process.stdout.write(completion(shell, untyped(program)));
        }),
  };
  const isAboutAll = words.some((word) => ABOUT_ALL.includes(word));
  for (const [name, describe] of Object.entries(others)) {
    if (isAboutAll || words.includes(name)) describe();
    else program.command(name);
  }

  // Last, because each command takes over what the program has when the command is made.
  program.helpOption("--help", "print this help, as does -h alone at a terminal");
  program.addHelpText("after", ({ error }) => sortingHelp(untyped(program), untyped(sort), error));
  return program;
}
