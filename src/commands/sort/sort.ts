import { InputError } from "../../core/errors.js";
import { openReplacement, type Replacement } from "../../files/output.js";
import { requireDistinct } from "../../files/same_file.js";
import { kindOfPath } from "../../kinds/names.js";
import { explainText } from "../../report/explain.js";
import { jsonText } from "../../report/json.js";
import type { ProcessTimes } from "../../report/phases.js";
import { keysText } from "../../report/row_order.js";
import { summaryText } from "../../report/summary.js";
import { chromeTrace } from "../../report/trace.js";
import type { RowOrder } from "../../rows/order/row_order.js";
import type { SortInput } from "../../sort/inputs.js";
import { type SortSummary, sortFile } from "../../sort/sort_file.js";
import type { SortDecision, SortFileOptions } from "../../sort/sort_options.js";
import { inputsOf } from "../inputs.js";
import { parseCount, parseThreads } from "../numbers.js";
import { defaultOutput, isStandardOutput, outputNotice, outputOf, requirePath } from "../output.js";
import {
  type InputArguments,
  parseCodec,
  parseInputArguments,
  parseMemory,
  parseOutputFormat,
  parseVerify,
} from "../parse.js";
import { formatOfContent, refuseBinaryOnTerminal } from "../terminal/binary_output.js";
import { openDeviceHidingOutput } from "../terminal/hide_dawn_output.js";
import { ProgressLine } from "../terminal/status_line.js";
import {
  announceTerminal,
  namedOrPiped,
  noticeLine,
  printShortHelp,
  readsTerminal,
  terminalWidth,
  writesTerminal,
} from "../terminal/terminal.js";
import { type ColumnArguments, parseColumnOrder } from "./by.js";
import { type LineArguments, parseRowOrder } from "./line_keys.js";

export interface SortArguments extends InputArguments, Omit<LineArguments, "by">, ColumnArguments {
  readonly reverse?: boolean | undefined;
  readonly unique?: boolean | undefined;
  readonly check?: boolean | undefined;
  /** -C: check, and print nothing. */
  readonly C?: boolean | undefined;
  readonly merge?: boolean | undefined;
  readonly argsort?: boolean | undefined;
  readonly head?: string | undefined;
  readonly memory?: string | undefined;
  readonly tempDir?: string | undefined;
  readonly output?: string | undefined;
  readonly to?: string | undefined;
  readonly compress?: string | undefined;
  readonly force?: boolean | undefined;
  readonly algorithm: string;
  readonly device: string;
  readonly threads?: string | undefined;
  readonly parallel?: string | undefined;
  readonly files0From?: string | undefined;
  readonly stable?: boolean | undefined;
  readonly verify?: string | boolean | undefined;
  readonly explain?: boolean | undefined;
  readonly trace?: string | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly verbose?: boolean | undefined;
}

/**
 * `gpusort sort [FILE...]`: reads the arguments, calls `sortFile`, and prints the summary. Without a file, it
 * sorts standard input.
 */
export async function sort(named: readonly string[], args: SortArguments): Promise<void> {
  const paths = await inputPaths(named, args);
  if (!paths) return printShortHelp();
  const threads = parseThreads(args.threads) ?? parseThreads(args.parallel, "--parallel");
  const rows = parseRowOrder(args);
  if (args.check || args.C) {
    const { check } = await import("./check.js");
    return check(paths, { ...args, threads, rows, quiet: args.quiet || args.C });
  }
  const target = args.output ?? (await defaultOutput(paths, args));
  if (args.json && (await isStandardOutput(target))) {
    throw new InputError("--json and the sorted keys cannot both go to standard output", {
      hint: "name a file with --output, or leave --json out",
    });
  }
  const { unique, merge, argsort, algorithm, device, tempDir, quiet } = args;
  const options = {
    ...parseInputArguments(rows ? { ...args, key: undefined } : args),
    rows,
    ...parseColumnOrder(args),
    descending: rows && !args.by ? undefined : args.reverse, // the keys of lines have inherited it
    unique,
    merge,
    argsort,
    head: args.head === undefined ? undefined : parseCount(args.head, "--head"),
    memoryBytes: args.memory === undefined ? undefined : parseMemory(args.memory),
    tempDir,
    to: args.to === undefined ? undefined : parseOutputFormat(args.to),
    compress: args.compress === undefined ? undefined : parseCodec(args.compress),
    replace: args.force ? ("force" as const) : args.output !== undefined,
    algorithm,
    device,
    threads,
    verify: parseVerify(args.verify),
    intervals: args.trace !== undefined || args.verbose,
    openDevice: openDeviceHidingOutput,
  };
  if (args.stable) requireStable(algorithm);
  if (!quiet) announceTerminal(paths);
  let notice = quiet || args.json || args.output !== undefined ? undefined : await outputNotice(target);
  const inputs = await inputsOf(paths);
  refuseBinaryOnTerminal(target, await knownFormat(target, paths, inputs, options), args.compress);
  const trace = args.trace === undefined ? undefined : await openTrace(args.trace, paths, target);
  const progress = new ProgressLine(process.stderr, {
    enabled: !quiet && !readsTerminal(paths),
    sharesTerminal: writesTerminal(target),
  });
  const loadMs = performance.now();
  try {
    const summary = await sortFile(inputs, outputOf(target), {
      ...options,
      onProgress: progress.update,
      onDecision: (decision) => {
        // Now the output is open. A device that fails leads to a second decision.
        if (notice !== undefined) progress.print(noticeLine(notice));
        notice = undefined;
        showDecision(decision, args, progress);
      },
    });
    const closeMs = performance.now() - loadMs - summary.totalMs;
    progress.end();
    await trace?.finish(chromeTrace(summary, { loadMs, closeMs }));
    await showSummary(summary, { loadMs, closeMs }, rows, args);
  } catch (error) {
    await trace?.discard();
    throw error;
  } finally {
    progress.end();
  }
}

/** The inputs that are meant; undefined if there are none but the terminal. */
async function inputPaths(named: readonly string[], { files0From }: SortArguments) {
  if (files0From === undefined) return namedOrPiped(named);
  const { namedFiles } = await import("../read_text.js");
  return namedFiles(files0From, named);
}

/** The format of the output, as far as words and names tell; for a terminal, the first bytes tell too. */
async function knownFormat(
  target: string,
  [path = ""]: readonly string[],
  inputs: SortInput[],
  { to, format, rows, by, recordBytes, ...others }: SortFileOptions,
): Promise<string | undefined> {
  const known = to ?? format ?? (rows || by ? "lines" : recordBytes === undefined ? undefined : "records");
  const named = known ?? kindOfPath(path)?.kind;
  return named ?? (writesTerminal(target) ? formatOfContent(inputs, others) : undefined);
}

/** @throws InputError if the algorithm does not keep the order of equal items. */
function requireStable(algorithm: string): void {
  if (algorithm !== "bitonic") return;
  throw new InputError("--stable cannot be used with --algorithm bitonic: that order is not stable", {
    hint: "leave the algorithm out",
  });
}

/** Opens the trace before anything is read, so that its errors come early. */
async function openTrace(path: string, inputs: readonly string[], output: string): Promise<Replacement> {
  requirePath(path, "--trace");
  await requireDistinct(path, "trace", [
    ...inputs.map((input) => ["the input", input === "-" ? "/dev/stdin" : input] as const),
    ["the output", output === "-" ? "/dev/stdout" : output],
  ]);
  return openReplacement(path, "trace");
}

function showDecision(decision: SortDecision, args: SortArguments, progress: ProgressLine): void {
  if (args.quiet) return;
  if (decision.notice) progress.print(noticeLine(decision.notice));
  if (args.explain) progress.print(explainText(decision));
}

async function showSummary(
  summary: SortSummary,
  times: ProcessTimes,
  rows: RowOrder | undefined,
  { json, quiet, verbose }: SortArguments,
): Promise<void> {
  const phases = summary.phases.map(({ intervals: _, ...phase }) => phase);
  if (json) process.stdout.write(jsonText({ ...summary, ...times, phases }));
  if (json || quiet) return;
  const { stderr } = process;
  const by = rows && rows.keys.length > 0 ? keysText(rows) : undefined;
  const ordered = summary.by === undefined && by !== undefined ? { ...summary, by } : summary;
  stderr.write(summaryText(ordered, stderr.isTTY ? terminalWidth(stderr) : undefined));
  if (verbose) stderr.write((await import("../../report/phases.js")).phasesText(summary, times));
}
