import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { GpusortError, InputError } from "./errors.js";
import { removeUnpublished } from "./files/unpublished.js";

export const ExitCode = { done: 0, error: 2 } as const;

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

  // Each command's own code is loaded when it runs, so that --version and --help answer at once.
  const device = [
    "--device <which>",
    "auto, gpu, software, cpu, or a part of an adapter's name",
    "auto",
  ] as const;

  program
    .command("sort", { isDefault: true })
    .description("sort a file of numbers (the default: gpusort FILE)")
    .argument("<file>", "the keys, raw and little-endian; - reads standard input")
    .option(
      "-t, --type <type>",
      "u32, i32, f32, u64, i64 or f64 (default: by the file's extension, else u32)",
    )
    .option("-r, --reverse", "descending", false)
    .option(
      "-o, --output <file>",
      "where to write; - is standard output (default: FILE.sorted, before its extension)",
    )
    .option("--force", "replace the default output if it exists", false)
    .option("--algorithm <name>", "auto, radix or bitonic", "auto")
    .option(...device)
    .option("--no-verify", "do not check the result before it is written")
    .option("--json", "print the summary as JSON on standard output", false)
    .option("-q, --quiet", "print no summary", false)
    .action(async (file, options) => (await import("./commands/sort.js")).sort(file, options));

  program
    .command("bench")
    .description("time the sorts of this machine against each other, as a table")
    .option("--min <n>", "the smallest number of keys: 2^9, 512, 32Ki, 1e6", "2^9")
    .option("--max <n>", "the largest", "2^25")
    .option("-t, --type <type>", "the type of the keys", "u32")
    .option("--algorithm <name>", "auto, radix or bitonic", "auto")
    .option(...device)
    .option("--runs <k>", "timed runs a cell, after 1 s to warm up; the median counts", "5")
    .option("--budget <seconds>", "a column stops where a cell would take longer than this", "10")
    .option("--json", "print the rows as JSON", false)
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
