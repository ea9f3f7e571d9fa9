import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { isatty } from "node:tty";
import { printable } from "../../core/printable.js";
import { ExitCode } from "../exit_code.js";

/** Columns of a terminal; 80 for a stream that is no terminal, or that does not know its size. */
export function terminalWidth(stream: NodeJS.WriteStream): number {
  return stream.columns || 80;
}

/** The inputs that are meant: those named, else standard input; undefined if that is a terminal. */
export function namedOrPiped(paths: readonly string[]): readonly string[] | undefined {
  if (paths.length > 0) return paths;
  return isatty(0) ? undefined : ["-"];
}

/** Whether keys are typed at a terminal. */
export function readsTerminal(paths: readonly string[]): boolean {
  return paths.includes("-") && isatty(0);
}

/** Whether an output, a path or "-" for standard output, is a terminal. */
export function writesTerminal(output: string): boolean {
  if (output === "-") return isatty(1);
  try {
    return statSync(output).isCharacterDevice() && isTerminal(output);
  } catch {
    return false; // it does not exist yet
  }
}

function isTerminal(path: string): boolean {
  const device = openSync(path, constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
  try {
    return isatty(device);
  } finally {
    closeSync(device);
  }
}

/** Whether standard output goes to a file or to a pipe, whose reader may wait for a result. */
export function isRedirected(): boolean {
  try {
    const stats = fstatSync(1);
    return stats.isFile() || stats.isFIFO();
  } catch {
    return false; // it is closed
  }
}

/** A notice as a line of standard error, without characters on which a terminal would act. */
export const noticeLine = (notice: string): string => `gpusort: ${printable(notice)}\n`;

/** Says what the command waits for if it reads from a terminal, where it would seem to do nothing. */
export function announceTerminal(paths: readonly string[]): void {
  if (!readsTerminal(paths)) return;
  process.stderr.write(noticeLine("reading keys from the terminal; end with Ctrl-D"));
}

const shortHelp = `gpusort: no file is named, and standard input is a terminal
  gpusort keys.f64                      sorts a file into keys.sorted.f64
  gpusort keys.f64 -o out.f64           the same, into another file
  gpusort -t, -k2,2n data.csv           sorts lines by their second field
  zcat n.txt.gz | gpusort               sorts standard input
  gpusort --help                        lists the commands and options
`;

/** What to print if there is nothing to sort. */
export function printShortHelp(): void {
  process.stderr.write(shortHelp);
  process.exitCode = ExitCode.error;
}
