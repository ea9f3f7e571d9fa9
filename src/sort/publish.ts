import { availableParallelism } from "node:os";
import { namesOfAll } from "../core/names.js";
import { type Phase, timedPhase } from "../core/streams/phase_clock.js";
import type { ProgressMeter } from "../core/streams/progress.js";
import type { OutputFile } from "../files/output_file.js";
import type { KernelThreads } from "../threads/kernel_threads.js";
import type { KnownInputs } from "./inputs.js";
import type { SortFileOptions } from "./sort_options.js";
import type { SortSummary } from "./sort_summary.js";

/** What a sort of files uses, whatever they hold, and when it began. */
export interface SortContext {
  readonly tools: KernelThreads;
  readonly progress: ProgressMeter;
  /** In milliseconds of `performance.now()`. */
  readonly begin: number;
}

/**
 * What the caller of a sort gets to know about its decision, whatever is sorted: more threads than cores are
 * slower than as many.
 */
export function withThreadsNotice(onDecision: SortFileOptions["onDecision"]): SortFileOptions["onDecision"] {
  const cores = availableParallelism();
  return (
    onDecision &&
    ((decision) => {
      const { threads = 1, notice } = decision;
      const shared = threads > cores ? `${threads} threads share ${cores} cores` : undefined;
      onDecision({ ...decision, notice: [notice, shared].filter(Boolean).join("; ") || undefined });
    })
  );
}

/** What was written to an output that is not published yet. */
export interface SortedOutput extends Omit<SortSummary, "input" | "output" | "phases" | "totalMs"> {
  /** Those after the start. */
  readonly phases: readonly Phase[];
  /** When the first of them began, in milliseconds of `performance.now()`. */
  readonly started: number;
  /** What takes the place of the open output, as it wraps it. */
  readonly wrapped?: OutputFile;
}

/**
 * Sorts into an open output, checks that no input was written to meanwhile, and publishes the output; or
 * discards it if anything fails. Every sort of files, whatever they hold, goes through here.
 *
 * @param sort writes the output and checks what it wrote.
 * @returns the summary.
 * @throws what `sort` throws; InputError if an input was written to; the signal's reason if it is aborted.
 */
export async function publishSorted(
  inputs: Pick<KnownInputs, "files" | "checkUnchanged">,
  file: OutputFile,
  { signal, intervals }: SortFileOptions,
  { progress, begin }: Pick<SortContext, "progress" | "begin">,
  sort: () => Promise<SortedOutput>,
): Promise<SortSummary> {
  try {
    const { started, phases, wrapped = file, ...sorted } = await sort();
    const lastCheck = async () => {
      await inputs.checkUnchanged();
      signal?.throwIfAborted();
    };
    await lastCheck(); // before a stream gets its last bytes
    progress.enter("finishing the output");
    const publishing = performance.now();
    await wrapped.publish(lastCheck); // and once more when a file is on the disk, which takes a while
    const end = performance.now();
    const all = [timedPhase("start", begin, started), ...phases, timedPhase("publish", publishing, end)];
    return {
      input: namesOfAll(inputs.files.map(({ name }) => name)),
      output: file.name,
      ...sorted,
      phases: intervals ? all : all.map(({ intervals: _, ...phase }) => phase),
      totalMs: end - begin,
    };
  } catch (error) {
    await file.discard();
    throw error;
  }
}
