import type { Command } from "commander";
import {
  addInputOptions,
  compressOption,
  deviceOption,
  formatNames,
  LONG_HELP,
  oneOutput,
  QUIET,
  TEMP_DIR,
  THREADS,
  withInferredTypes,
} from "../shared_options.js";

/** Gives the program the command `sort`, which is what it does without a command. */
export function addSortCommand(program: Command): Command {
  const command = addRunOptions(addOutputOptions(addResultOptions(addCommand(program)))).action(
    async (files, options) => (await import("./sort.js")).sort(files, options),
  );
  return command as unknown as Command;
}

function addCommand(program: Command) {
  return addInputOptions(
    withInferredTypes(program)
      .command("sort", { isDefault: true })
      .helpOption(...LONG_HELP)
      .description("sort files of numbers, of records or of lines (the default: gpusort FILE)")
      .argument(
        "[files...]",
        "files to sort, all together into one output; - reads standard input, as does no file with a pipe",
      ),
  );
}

/** What is written of the sorted items, and what it may take. */
function addResultOptions(command: ReturnType<typeof addCommand>) {
  return command
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
    .option(...THREADS)
    .option("--parallel <n>", "the same as --threads")
    .option(
      "-S, --memory <size>",
      [
        "memory to use at most: 512M, 2G, 50%; a plain number is in KiB, and K, M, G and T are powers of",
        "1024, as in sort(1) (default: half of the free memory)",
      ].join(" "),
    )
    .option(...TEMP_DIR);
}

function addOutputOptions(command: ReturnType<typeof addResultOptions>) {
  return command
    .option(
      "-o, --output <file>",
      [
        "output file, which is replaced if it exists; - writes to standard output (default: FILE.sorted.EXT,",
        "or FILE.argsort.u32; standard output if the input is -)",
      ].join(" "),
      oneOutput,
    )
    .option(
      "--to <format>",
      `output format: ${formatNames}; csv of Parquet (default: from the output's name, else the input's)`,
    )
    .option(
      ...compressOption(
        "output",
        "from the output's name",
        "; of Parquet: the codec of its columns, also snappy (default: the input's)",
      ),
    )
    .option("--force", "replace the default output file if it exists, or one that is write-protected");
}

/** How the sort is done, and what is said of it. */
function addRunOptions(command: ReturnType<typeof addOutputOptions>) {
  return command
    .option("--algorithm <name>", "sort algorithm of a GPU: auto (the fastest), radix or bitonic", "auto")
    .option(...deviceOption("the fastest for the input"))
    .option("--verify <level>", "full: also read the output file back from the disk and compare it")
    .option("--no-verify", "do not check the result before the output is published")
    .option("--explain", "print to standard error why this device and this method were chosen")
    .option("--trace <file>", "write a Chrome trace of the phases to this file, for ui.perfetto.dev")
    .option("--json", "print the summary as JSON to standard output")
    .option("-v, --verbose", "also print the time of each phase")
    .option(...QUIET);
}

export function addVerifyCommand(program: Command): void {
  addInputOptions(
    withInferredTypes(program)
      .command("verify")
      .helpOption(...LONG_HELP)
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
    .option(...THREADS)
    .option("--combine", "combine what verify --json printed for the parts, given in their order")
    .option("--json", "print the findings as JSON")
    .option("-q, --quiet", "print no progress, and no findings except --json; the exit code tells")
    .action(async (files, options) => (await import("./verify.js")).verify(files, options));
}
