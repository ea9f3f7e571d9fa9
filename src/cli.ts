import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { ExitCode } from "./commands/exit_code.js";
import { elementTypes } from "./elements.js";
import { GpusortError, InputError } from "./errors.js";
import { removeUnpublished } from "./files/unpublished.js";

interface Manifest {
  readonly version: string;
  readonly description: string;
}

/** The command line: argv in, exit code out. The only place that prints an error, and that ends the process. */
export async function main(argv: readonly string[]): Promise<never> {
  endTidily();
  const program = createProgram();
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = report(error, program.opts<{ debug?: boolean }>().debug === true);
  }
  await drain();
  // Left to end by itself, the process would first wait for Dawn, which may crash in it.
  process.exit();
}

function createProgram(): Command {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as Manifest;
  const program = new Command("gpusort")
    .description(manifest.description)
    .version(manifest.version)
    .option("--debug", "show the stack of an error, and what Dawn says")
    .showHelpAfterError("(gpusort --help lists the commands, gpusort <command> --help its options)")
    .hook("preAction", (command) => {
      if (command.opts<{ debug?: boolean }>().debug) process.env.GPUSORT_DAWN_LOG = "on";
    })
    .exitOverride();

  const typeNames = elementTypes.map(({ name }) => name).join(", ");
  // Each command's own code is loaded when it runs, so that --version and --help answer at once.
  const device = [
    "--device <which>",
    "auto (the fastest), gpu, software, cpu, or a part of an adapter's name",
    "auto",
  ] as const;

  const describeInputs = (command: Command) =>
    command
      .option("-t, --type <type>", `the type of the keys: ${typeNames} (default: as the file says, else u32)`)
      .option(
        "--format <format>",
        "what the input is, whatever its name and first bytes say: raw, npy, text, records",
      )
      .option(
        "--byte-order <order>",
        "of raw keys and of typed keys of records: little or big (default: little)",
      )
      .option("--skip-bytes <n>", "a header's length: so many bytes of each input are left out")
      .option("--record <bytes>", "the input is records of this length")
      .option("--key <key>", "of records: OFFSET:BYTES or OFFSET:TYPE; again for what decides next", append);

  describeInputs(
    program
      .command("sort", { isDefault: true })
      .description("sort files of numbers or of records (the default: gpusort FILE)")
      .argument("<files...>", "what to sort, several as one; - reads standard input"),
  )
    .option("-r, --reverse", "descending", false)
    .option("-u, --unique", "keep only the first of equal keys", false)
    .option("-c, --check", "sort nothing: exit with 0 if the input is in order, else with 1", false)
    .option("-m, --merge", "the files are in order already: only merge them", false)
    .option("--argsort", "write where each key was, as u32 counted from 0, instead of the keys", false)
    .option("--head <n>", "write only the first n of the order")
    .option(
      "-S, --memory <size>",
      "use so much memory at most: 512M, 2G, 50% (default: half of what is free)",
    )
    .option(
      "-T, --temp-dir <folder>",
      "for what memory does not hold (default: TMPDIR, else beside the output)",
    )
    .option(
      "-o, --output <file>",
      "where to write; - is standard output (default: FILE.sorted, before its extension)",
    )
    .option("--to <format>", "the output's format (default: as its name says, else the input's)")
    .option("--force", "replace the default output if it exists", false)
    .option("--algorithm <name>", "auto, radix or bitonic", "auto")
    .option(...device)
    .option("--no-verify", "do not check the result before it is written")
    .option("--explain", "say why it runs where it runs", false)
    .option("--trace <file>", "write the phases as a Chrome trace, for ui.perfetto.dev")
    .option("--json", "print the summary as JSON on standard output", false)
    .option("-q, --quiet", "print no summary", false)
    .action(async (files, options) => (await import("./commands/sort.js")).sort(files, options));

  describeInputs(
    program
      .command("verify")
      .description("count keys, check their order, find duplicates, and add up a checksum")
      .argument("<files...>", "what to look at, several as one; - reads standard input"),
  )
    .option("-r, --reverse", "whether it is in descending order", false)
    .option("--combine", "the files are what verify --json printed of parts, in their order", false)
    .option("--json", "print what was found as JSON", false)
    .action(async (files, options) => (await import("./commands/verify.js")).verify(files, options));

  program
    .command("gen")
    .description("make keys to test with, the same for the same seed")
    .argument("<n>", "how many: 2^25, 32Mi, 1e6")
    .requiredOption("-o, --output <file>", "where to write; - is standard output")
    .option(
      "-t, --type <type>",
      `the type of the keys: ${typeNames} (default: as the output's name says, else u32)`,
    )
    .option(
      "--dist <name>",
      "what the keys are like: uniform, sorted, reversed, nearly-sorted, constant, few, zipf, entropy-0.544, …, nan-laced",
      "uniform",
    )
    .option("--seed <n>", "other keys for another number", "1")
    .option("--offset <k>", "a part only: leave out the first k keys", "0")
    .option("--total <n>", "of how many keys in all this is a part (default: offset and n)")
    .option("--to <format>", "the output's format (default: as its name says, else raw)")
    .option("--byte-order <order>", "of raw keys: little or big")
    .option("--record <bytes>", "records of this length, each with its number in it")
    .option("--force", "replace the output if it exists", false)
    .action(async (n, options) => (await import("./commands/gen.js")).gen(n, options));

  program
    .command("bench")
    .description("time the sorts of this machine against each other, as a table")
    .option("--min <n>", "the smallest number of keys: 2^9, 512, 32Ki, 1e6", "2^9")
    .option("--max <n>", "the largest", "2^25")
    .option("--step <factor>", "from one size to the next", "2")
    .option("--sizes <list>", "numbers of keys, separated by commas, instead of --min, --max and --step")
    .option("-t, --type <list>", "types of keys", "u32")
    .option("--dist <list>", "what the keys are like: uniform, sorted, zipf, entropy-0.544, …", "uniform")
    .option("--payload <list>", "bytes of the value that goes along with each key, multiples of 4", "0")
    .option("--algorithm <list>", "auto, radix, bitonic", "auto")
    .option(...device)
    .option(
      "--columns <list>",
      "array, typed, gpu, round-trip, upload, readback; with .min, .error, .runs, .gkeys, .gbs, .copy; ratios as in typed/gpu",
      "array,typed,gpu,round-trip,typed/gpu,typed/round-trip",
    )
    .option("--error <percent>", "a cell is done when its median is known this well", "2")
    .option("--budget <seconds>", "… or when it took so long; a column stops where one run would", "5")
    .option("--runs <k>", "… or after so many timed runs", "1000")
    .option("--no-crossover", "do not search for the sizes from which the GPU wins")
    .option("--end-to-end", "time `gpusort sort FILE` as a whole instead, phase by phase", false)
    .option("--seed-table", "show the seed's figures, of a GTX 850M, beside this machine's", false)
    .option("--json", "print everything as JSON (docs/bench.schema.json)", false)
    .option("--csv", "print the cells as CSV", false)
    .option("--markdown", "print the table as Markdown", false)
    .option("--plot <file>", "draw times and throughput to an .svg or .png")
    .option("--theme <name>", "of the plot: auto, light or dark", "auto")
    .option("--out <file>", "keep each row as soon as it is measured; an earlier run's file is gone on with")
    .option(
      "--compare <file>",
      "show what changed since a run that was kept by --json or --out; exit 1 if slower",
    )
    .option("--threshold <percent>", "the least change that --compare counts", "5")
    .action(async (options) => (await import("./commands/bench.js")).bench(options));

  program
    .command("devices")
    .description("list this machine's adapters, and which of them gpusort would choose")
    .option(...device)
    .option("--json", "print them as JSON", false)
    .action(async (options) => (await import("./commands/devices.js")).devices(options));

  program
    .command("demo")
    .description("run one of the compute kernels that gpusort grew from, and check it")
    .argument("[name...]", "which, and its options; without a name they are listed")
    // Each demo declares its own options, --help among them, and is loaded when it runs.
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words) => (await import("./commands/demo.js")).demo(words));

  return program;
}

const append = (value: string, values: readonly string[] = []) => [...values, value];

function report(error: unknown, debug: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.error;
  if (isBrokenPipe(error)) return ExitCode.done;
  const { message, hint } = error as GpusortError;
  process.stderr.write(`gpusort: ${message}\n`);
  if (error instanceof GpusortError) {
    if (hint !== undefined) process.stderr.write(`  ${hint}\n`);
    if (debug) process.stderr.write(`${error.stack}\n`);
  } else {
    process.stderr.write(
      `  this is a bug in gpusort: please report it with this trace\n${(error as Error).stack}\n`,
    );
  }
  return ExitCode.error;
}

/** Whoever read our output has seen enough. */
function isBrokenPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EPIPE";
}

/** However the process ends, short of a kill, it leaves no temporary file. */
function endTidily(): void {
  process.on("exit", removeUnpublished);
  for (const [signal, number] of [
    ["SIGINT", 2],
    ["SIGTERM", 15],
    ["SIGHUP", 1],
  ] as const) {
    process.on(signal, () => process.exit(128 + number));
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error) => {
      if (isBrokenPipe(error)) process.exit(ExitCode.done);
      const hint = "free some space, or send it elsewhere";
      process.exit(report(new InputError(`cannot write standard output: ${error.message}`, { hint }), false));
    });
  }
}

/** All that was written is out. */
async function drain(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => stream.write("", () => resolve()));
  }
}
