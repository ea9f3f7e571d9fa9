import { isatty } from "node:tty";
import { type Command, CommanderError } from "commander";
import { keepCompiledCode } from "./commands/compiled_code.js";
import { hintText } from "./commands/error_hint.js";
import { ExitCode } from "./commands/exit_code.js";
import { createProgram } from "./commands/program.js";
import { asGpusortError, withSourceLines } from "./commands/terminal/failure.js";
import { InputError } from "./core/errors.js";
import { messageLine, messageLines } from "./core/printable.js";
import { cleanUpAtExit, untilCreated } from "./files/exit_cleanup.js";
import { ownProcess } from "./threads/own_process.js";

/** Runs the command line `argv` and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<never> {
  ownProcess();
  endTidily();
  await run(argv);
  await drain();
  // Without this, the process would wait for Dawn to shut down, and Dawn may crash while it does.
  process.exit();
}

/** Runs the command line `argv`, prints its error if it has one, and sets the process's exit code. */
export async function run(argv: readonly string[]): Promise<void> {
  const words = spelledOut(argv);
  const program = createProgram(words.slice(2));
  let running: Command | undefined;
  program.hook("preAction", async (_, command) => {
    running = command;
    keepCompiledCode();
    const { checkCommandLine } = await import("./commands/command_line.js");
    checkCommandLine(program, running);
    if (!["auto", "gpu", "software", "cpu"].includes(running.opts().device ?? "auto")) {
      const { useOneGpu } = await import("./commands/devices/one_gpu.js");
      await useOneGpu(running);
    }
  });
  try {
    await program.parseAsync(words);
  } catch (error) {
    if (error instanceof CommanderError && error.code === "commander.unknownOption") {
      const { unknownOptionHint } = await import("./commands/command_line.js");
      process.stderr.write(unknownOptionHint(error.message, program));
    }
    process.exitCode = report(error, program.opts().debug === true, running);
    if (running?.parent?.name() === "job" && process.exitCode === ExitCode.error) {
      const { jobExitCode } = await import("./commands/job/job_exit_code.js");
      process.exitCode = jobExitCode(error);
    }
  }
}

/** What one letter asks for if it is alone at a terminal. Everywhere else it is an order of sort(1). */
const atTerminal = new Map([
  ["-h", "--help"],
  ["-V", "--version"],
]);

function spelledOut(argv: readonly string[]): readonly string[] {
  const [node, script, letter, ...others] = argv;
  const long = atTerminal.get(letter ?? "");
  if (long === undefined || others.length > 0 || !isatty(0)) return argv;
  return [node!, script!, long];
}

function report(error: unknown, debug: boolean, command?: Command): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.error;
  if (isBrokenPipe(error)) return ExitCode.done;
  const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
  const known = asGpusortError(error);
  process.stderr.write(`gpusort: ${known?.message ?? messageLine(message)}\n`);
  const hint = known ? hintText(known, command) : "this is a bug in gpusort:";
  if (hint !== undefined) process.stderr.write(`  ${hint}\n`);
  if (debug || !known) process.stderr.write(`${messageLines(withSourceLines(stack))}\n`);
  return ExitCode.error;
}

/** Whether the reader closed the pipe: it has all the output that it wants, so this is no failure. */
function isBrokenPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EPIPE";
}

/**
 * Removes temporary files however the process ends, except by SIGKILL. Handles errors of the output streams,
 * and errors that nothing awaits: Node would exit with 1 for them, which means "not in order".
 */
function endTidily(): void {
  process.on("exit", cleanUpAtExit);
  process.on("uncaughtException", (error) => process.exit(report(error, process.argv.includes("--debug"))));
  for (const [signal, number] of [
    ["SIGINT", 2],
    ["SIGTERM", 15],
    ["SIGHUP", 1],
    ["SIGQUIT", 3],
  ] as const) {
    let isEnding = false;
    // The signal may come twice: by the terminal and by a first process. It must not end this one meanwhile.
    process.on(signal, async () => {
      if (isEnding) return;
      isEnding = true;
      await untilCreated();
      // Not immediately by process.exit: it waits for reads that have begun, and a driver may crash meanwhile.
      process.emit("exit", 128 + number);
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
      process.exit(128 + number); // reached by the first process of a container, which no signal ends
    });
  }
  process.stdout.on("error", (error) => {
    if (isBrokenPipe(error)) process.exit(process.exitCode ?? ExitCode.done);
    // What the command wrote by the descriptor failed before, and was reported.
    if (process.exitCode === ExitCode.error) process.exit();
    const hint = "free some disk space, or redirect the output elsewhere";
    process.exit(report(new InputError(`cannot write standard output: ${error.message}`, { hint }), false));
  });
  process.stderr.on("error", () => {}); // the work goes on, although nobody can read its messages
}

/** Waits until everything written to standard output and standard error has been flushed. */
async function drain(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>((resolve) => stream.write("", () => resolve()));
  }
}
