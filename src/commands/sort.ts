import { join, parse } from "node:path";
import { elementType } from "../elements.js";
import type { Phase, PhaseName } from "../engines/phases.js";
import { InputError } from "../errors.js";
import { keyItem, type Style } from "../formats/format.js";
import { parseWhole } from "../formats/options.js";
import { openFastest } from "../profile/open.js";
import { explainText } from "../report/explain.js";
import { type SortSummary, summaryText } from "../report/summary.js";
import { chromeTrace } from "../report/trace.js";
import { algorithm } from "../sort/algorithms.js";
import { packageVersion } from "./environment.js";
import { type InputOptions, openInputs } from "./inputs.js";
import { parseMemory } from "./memory.js";
import { type OutputOptions, openOutput, temporaryFolder } from "./outputs.js";
import { Progress } from "./progress.js";
import { readAhead } from "./read_ahead.js";
import { replaceFile } from "./replace_file.js";
import { sortItems } from "./sort_items.js";

export interface SortOptions extends InputOptions, OutputOptions {
  readonly reverse: boolean;
  readonly unique: boolean;
  readonly check: boolean;
  readonly merge: boolean;
  readonly argsort: boolean;
  readonly head?: string;
  readonly memory?: string;
  readonly output?: string;
  readonly force: boolean;
  readonly algorithm: string;
  readonly device: string;
  readonly verify: boolean;
  readonly explain: boolean;
  readonly trace?: string;
  readonly json: boolean;
  readonly quiet: boolean;
}

/**
 * `gpusort sort FILE...`: files -> format -> sort -> format -> file, and a summary. The output appears whole and
 * checked, or not at all.
 */
export async function sort(paths: readonly string[], options: SortOptions): Promise<void> {
  if (options.check) return (await import("./check.js")).check(paths, options);
  const target = options.output ?? defaultOutput(paths);
  const memoryBytes = options.memory === undefined ? undefined : parseMemory(options.memory);
  const wanted = options.head === undefined ? undefined : parseWhole(options.head, "--head", 1);
  validate(target, options);
  const begin = performance.now();
  const progress = new Progress(process.stderr, !options.quiet);
  const inputs = await openInputs(paths, options);
  try {
    const { items } = inputs;
    const sure = !options.unique && items.itemCount !== undefined;
    const itemCount = sure ? Math.min(items.itemCount!, wanted ?? Number.POSITIVE_INFINITY) : undefined;
    const mayReplace = options.force || options.output !== undefined;
    const item = options.argsort ? keyItem(elementType("u32")) : items.item;
    const style = options.argsort && items.item.kind === "record" ? indexStyle : items.style;
    const output = await openOutput(target, mayReplace, item, style, itemCount, options);
    try {
      if (itemCount !== undefined) output.file.expect?.(itemCount * item.bytes);
      const reading = readAhead(inputs.files);
      const type = items.item.kind === "key" ? items.item.type : undefined;
      const task = { type, keyCount: items.itemCount, algorithm: options.algorithm };
      const opened = await openFastest(options.device, task, packageVersion()).finally(reading.stop);
      if (opened.notice && !options.quiet) process.stderr.write(`gpusort: ${opened.notice}\n`);
      if (options.explain) process.stderr.write(explainText(opened.choice, opened.engine.device));
      const started = performance.now();
      const { report, written } = await sortItems(inputs, output.writer, opened, {
        ...options,
        descending: options.reverse,
        wanted,
        memoryBytes,
        temporaryFolder: temporaryFolder(target, options.tempDir),
        progress,
      });
      await inputs.checkUnchanged();
      const publishing = performance.now();
      await output.file.publish();
      const end = performance.now();
      progress.end();
      const phases = [phase("start", begin, started), ...report.phases, phase("publish", publishing, end)];
      if (options.trace !== undefined) await replaceFile(options.trace, chromeTrace({ ...report, phases }));
      show(
        {
          input: items.name,
          output: output.file.name,
          type: items.item.kind === "key" ? items.item.type.name : "record",
          itemBytes: items.item.bytes,
          bytes: report.keyCount * items.item.bytes,
          written,
          descending: options.reverse,
          ...report,
          phases: phases.map(({ intervals: _, ...summed }) => summed),
          totalMs: end - begin,
        },
        options,
      );
    } catch (error) {
      await output.file.discard();
      throw error;
    }
  } finally {
    progress.end();
    await inputs.close();
  }
}

/** Of indices of records, which are records no more. */
const indexStyle: Style = { format: "raw", byteOrder: "little" };
function phase(name: PhaseName, beginMs: number, endMs: number): Phase {
  return { name, ms: endMs - beginMs, bytes: 0, intervals: [[beginMs, endMs]] };
}

/** keys.f32 -> keys.sorted.f32, beside it. */
function defaultOutput([path, ...others]: readonly string[]): string {
  if (path === "-" || path === undefined) return "-";
  if (others.length > 0) {
    throw new InputError("of several files there is no one to name the output after", {
      hint: "name it with --output, or write to standard output with --output -",
    });
  }
  const { dir, name, ext } = parse(path);
  return join(dir, `${name}.sorted${ext}`);
}

function validate(target: string, options: SortOptions): void {
  if (target === "-" && options.json) {
    throw new InputError("--json and the sorted keys cannot both go to standard output", {
      hint: "name a file with --output, or leave --json out",
    });
  }
  algorithm(options.algorithm); // an unknown one is told before anything is opened
}

function show(summary: SortSummary, { json, quiet }: SortOptions): void {
  if (json) process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
  else if (!quiet) process.stderr.write(summaryText(summary));
}
