import type { Command } from "commander";
import { addInputOptions, LONG_HELP, THREADS, withInferredTypes } from "../shared_options.js";

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
