import { join, parse } from "node:path";
import type { Phase, PhaseName } from "../engines/phases.js";
import { InputError } from "../errors.js";
import { openInput } from "../files/input.js";
import { createOutput, type OutputFile, StandardOutput } from "../files/output.js";
import { rawLayout } from "../formats/raw.js";
import { openFastest } from "../profile/open.js";
import { explainText } from "../report/explain.js";
import { type SortSummary, summaryText } from "../report/summary.js";
import { chromeTrace } from "../report/trace.js";
import { algorithm } from "../sort/algorithms.js";
import { packageVersion } from "./environment.js";
import { replaceFile } from "./replace_file.js";

export interface SortOptions {
  readonly type?: string;
  readonly reverse: boolean;
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
 * `gpusort sort FILE`: file -> format -> engine -> file, and a summary. The output appears whole and checked,
 * or not at all.
 */
export async function sort(path: string, options: SortOptions): Promise<void> {
  const target = options.output ?? (path === "-" ? "-" : defaultOutput(path));
  if (target === "-" && options.json) {
    throw new InputError("--json and the sorted keys cannot both go to standard output", {
      hint: "name a file with --output, or leave --json out",
    });
  }
  algorithm(options.algorithm); // an unknown one is told before anything is opened
  const begin = performance.now();
  const input = await openInput(path);
  try {
    const layout = rawLayout(input.name, input.byteLength, options.type);
    const output = await openOutput(target, options);
    try {
      const task = { ...layout, algorithm: options.algorithm };
      const { engine, notice, choice } = await openFastest(options.device, task, packageVersion());
      if (notice && !options.quiet) process.stderr.write(`gpusort: ${notice}\n`);
      if (options.explain) process.stderr.write(explainText(choice, engine.device));
      const started = performance.now();
      const report = await engine.sort({ ...options, ...layout, descending: options.reverse }, input, output);
      const publishing = performance.now();
      await output.publish();
      const end = performance.now();
      const phases = [phase("start", begin, started), ...report.phases, phase("publish", publishing, end)];
      if (options.trace !== undefined) await replaceFile(options.trace, chromeTrace({ ...report, phases }));
      show(
        {
          input: input.name,
          output: output.name,
          type: layout.type.name,
          bytes: input.byteLength,
          descending: options.reverse,
          ...report,
          phases: phases.map(({ intervals: _, ...summed }) => summed),
          totalMs: end - begin,
        },
        options,
      );
    } catch (error) {
      await output.discard();
      throw error;
    }
  } finally {
    await input.close();
  }
}

function phase(name: PhaseName, beginMs: number, endMs: number): Phase {
  return { name, ms: endMs - beginMs, bytes: 0, intervals: [[beginMs, endMs]] };
}

/** keys.f32 -> keys.sorted.f32, beside it. */
function defaultOutput(path: string): string {
  const { dir, name, ext } = parse(path);
  return join(dir, `${name}.sorted${ext}`);
}

async function openOutput(target: string, { output, force }: SortOptions): Promise<OutputFile> {
  if (target === "-") return new StandardOutput(process.stdout);
  return createOutput(target, force || output !== undefined);
}

function show(summary: SortSummary, { json, quiet }: SortOptions): void {
  if (json) process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
  else if (!quiet) process.stderr.write(summaryText(summary));
}
