import type { Command } from "commander";
import {
  compressOption,
  itemFormatNames,
  oneOutput,
  QUIET,
  typeNames,
  withInferredTypes,
} from "../shared_options.js";

export function addGenCommand(program: Command): void {
  withInferredTypes(program)
    .command("gen")
    .description("generate test keys; the same seed gives the same keys")
    .argument("<n>", "number of keys, such as 2^25, 32Mi, 500K (K = 1000, Ki = 1024) or 1e6")
    .requiredOption("-o, --output <file>", "output file; - writes to standard output", oneOutput)
    .option("-t, --type <type>", `type of the keys: ${typeNames} (default: from the output's name, else u32)`)
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
    .option("--to <format>", `output format: ${itemFormatNames} (default: from the output's name, else raw)`)
    .option(...compressOption("output", "from the output's name"))
    .option("--byte-order <order>", "byte order of raw keys: little or big (default: little)")
    .option("--record <bytes>", "generate records of this many bytes; from 26 on, each holds its own number")
    .option(
      "--records <name>",
      "gensort: generate the records of the sort benchmark, byte by byte; gensort-ascii: those of text",
    )
    .option("--checksum", "print the checksum of --records to standard error, as gensort -c does")
    .option("--force", "replace the output if it exists")
    .option(...QUIET)
    .action(async (n, options) => (await import("./gen.js")).gen(n, options));
}
