import { join, parse } from "node:path";
import { InputError } from "../core/errors.js";
import { type SortDecision, type SortSummary, sortFile } from "../external/sort_file.js";
import { replaceFile } from "../files/replace_file.js";
import { explainText } from "../report/explain.js";
import { jsonText } from "../report/json.js";
import { summaryText } from "../report/summary.js";
import { chromeTrace } from "../report/trace.js";
import { refuseBinaryOnTerminal } from "./binary_output.js";
import { inputsOf } from "./inputs.js";
import { printNoInput } from "./no_input.js";
import { outputOf } from "./output.js";
import { type InputArguments, parseFormat, parseInputArguments, parseMemory, parseWhole } from "./parse.js";
import { ProgressLine } from "./progress_line.js";
import { openDeviceQuietly } from "./quiet.js";
import { announceTerminal, namedOrPiped, readsTerminal, terminalWidth, writesTerminal } from "./terminal.js";

export interface SortArguments extends InputArguments {
  readonly reverse?: boolean | undefined;
  readonly unique?: boolean | undefined;
  readonly check?: boolean | undefined;
  readonly merge?: boolean | undefined;
  readonly argsort?: boolean | undefined;
  readonly head?: string | undefined;
  readonly memory?: string | undefined;
  readonly tempDir?: string | undefined;
  readonly output?: string | undefined;
  readonly to?: string | undefined;
  readonly force?: boolean | undefined;
  readonly algorithm: string;
  readonly device: string;
  readonly verify: boolean;
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
export async function sort(named: readonly string[], typed: SortArguments): Promise<void> {
  const paths = namedOrPiped(named);
  if (!paths) return printNoInput();
  if (typed.check) return (await import("./check.js")).check(paths, typed);
  const target = typed.output ?? defaultOutput(paths);
  if (target === "-" && typed.json) {
    throw new InputError("--json and the sorted keys cannot both go to standard output", {
      hint: "name a file with --output, or leave --json out",
    });
  }
  const { unique, merge, argsort, algorithm, device, verify, tempDir, trace, quiet } = typed;
  const options = {
    ...parseInputArguments(typed),
    descending: typed.reverse,
    unique,
    merge,
    argsort,
    head: typed.head === undefined ? undefined : parseWhole(typed.head, "--head", 1),
    memoryBytes: typed.memory === undefined ? undefined : parseMemory(typed.memory),
    tempDir,
    to: typed.to === undefined ? undefined : parseFormat(typed.to),
    replace: typed.force || typed.output !== undefined,
    algorithm,
    device,
    verify,
    intervals: trace !== undefined,
    openDevice: openDeviceQuietly,
  };
  refuseBinaryOnTerminal(target, paths, typed);
  if (!quiet) announceTerminal(paths);
  const progress = new ProgressLine(process.stderr, {
    wanted: !quiet && !readsTerminal(paths),
    sharesTerminal: writesTerminal(target),
  });
  try {
    const summary = await sortFile(await inputsOf(paths), outputOf(target), {
      ...options,
      onProgress: progress.update,
      onDecision: (decision) => showDecision(decision, typed, progress),
    });
    progress.end();
    if (trace !== undefined) await replaceFile(trace, chromeTrace(summary));
    await showSummary(summary, typed);
  } finally {
    progress.end();
  }
}

/** keys.f32 -> keys.sorted.f32, in the same folder. "-" for standard input. */
function defaultOutput([path, ...others]: readonly string[]): string {
  if (path === "-" || path === undefined) return "-";
  if (others.length > 0) {
    throw new InputError("several files are sorted into one, so the output needs a name", {
      hint: "name it with --output, or write to standard output with --output -",
    });
  }
  const { dir, name, ext } = parse(path);
  return join(dir, `${name}.sorted${ext}`);
}

function showDecision(decision: SortDecision, typed: SortArguments, progress: ProgressLine): void {
  if (typed.quiet) return;
  if (decision.notice) progress.print(`gpusort: ${decision.notice}\n`);
  if (typed.explain) progress.print(explainText(decision));
}

async function showSummary(summary: SortSummary, { json, quiet, verbose }: SortArguments): Promise<void> {
  const phases = summary.phases.map(({ intervals: _, ...phase }) => phase);
  if (json) process.stdout.write(jsonText({ ...summary, phases }));
  if (json || quiet) return;
  const { stderr } = process;
  stderr.write(summaryText(summary, stderr.isTTY ? terminalWidth(stderr) : undefined));
  if (verbose) stderr.write((await import("../report/phases.js")).phasesText(summary));
}
