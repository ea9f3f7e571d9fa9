import { namesOfAll } from "../core/names.js";
import { totalBytes } from "../core/streams/byte_stream.js";
import { timedPhase } from "../core/streams/phase_clock.js";
import type { ProgressMeter } from "../core/streams/progress.js";
import type { InputFile } from "../files/input_file.js";
import { createTemporary } from "../files/temporary.js";
import { mergeRows } from "../rows/merge_inputs.js";
import { rowKernels } from "../rows/row_kernels.js";
import type { RowOrder } from "../rows/row_order.js";
import { type RowReport, sortRows as sortIntoOrder } from "../rows/sort_rows.js";
import type { KernelThreads } from "../threads/kernel_threads.js";
import { defaultMemoryBytes } from "./memory.js";
import { type SortOutput, temporaryFolder } from "./outputs.js";
import { openRowOutput } from "./row_output.js";
import type { SortFileOptions } from "./sort_options.js";
import type { SortSummary } from "./sort_summary.js";
import type { Strategy } from "./strategy.js";
import { watchedInput } from "./watched_input.js";

/** What a sort uses, and when it began. */
export interface RowSortContext {
  readonly tools: KernelThreads;
  readonly progress: ProgressMeter;
  /** In milliseconds of `performance.now()`. */
  readonly begin: number;
}

/**
 * Sorts the rows of open inputs into one output.
 *
 * @param order the order of the rows, complete: the options that it comes from are not looked at.
 * @throws as `sortRows` of src/rows/; InputError if the output cannot be written.
 */
export async function sortRows(
  inputs: readonly InputFile[],
  output: SortOutput,
  order: RowOrder,
  options: SortFileOptions,
  { tools, progress, begin }: RowSortContext,
): Promise<SortSummary> {
  const { signal, onDecision, verify, header = false, unique = false } = options;
  const { file, ...rowOutput } = await openRowOutput(output, inputs, options, { progress, tools });
  const runner = tools.runner(rowKernels);
  try {
    const started = performance.now();
    const bytes = totalBytes(inputs);
    const temporary = temporaryFolder(output, options.tempDir);
    const source = inputs.map((input) => watchedInput(input, progress, "reading"));
    progress.expect({ reading: bytes, writing: bytes });
    const common = {
      inputs: source,
      order,
      header,
      unique,
      head: options.head ?? Number.POSITIVE_INFINITY,
      verify: verify !== false,
      memoryBytes: options.memoryBytes ?? defaultMemoryBytes(),
      signal,
    };
    const decide = (strategy: Strategy) => {
      const deviceChoice = { reason: "rows" as const };
      onDecision?.({ device: "CPU", threads: runner.threads, deviceChoice, notice: undefined, strategy });
    };
    const isMerge = options.merge && !options.argsort && inputs.length > 1;
    if (isMerge) decide({ kind: "rows merged", inputs: inputs.length });
    const sort = async () =>
      sortIntoOrder(
        runner,
        {
          ...common,
          numbers: options.argsort,
          createStore: (expected) => createTemporary(temporary, expected),
          onStart: ({ rows, writtenBytes }) => {
            const strategy =
              rows === undefined
                ? { kind: "rows out of core" as const }
                : { kind: "rows at once" as const, rows };
            if (rows === undefined) {
              progress.expect({
                reading: bytes,
                "writing runs": bytes,
                "gathering runs": bytes,
                writing: bytes,
              });
            }
            if (writtenBytes !== undefined && !options.argsort) file.expect?.(writtenBytes);
            decide(strategy);
          },
        },
        rowOutput.write,
      );
    const report = isMerge ? await mergeRows(runner, common, rowOutput.write) : await sort();
    await rowOutput.end();
    const lastCheck = async () => {
      for (const input of inputs) await input.checkUnchanged();
      signal?.throwIfAborted();
    };
    await lastCheck(); // before a stream gets its last bytes
    progress.enter("finishing the output");
    const publishing = performance.now();
    await file.publish(lastCheck); // and once more when a file is on the disk, which takes a while
    const end = performance.now();
    const { clock, rows, written } = report;
    const phases = [
      timedPhase("start", begin, started),
      ...clock.phases(),
      timedPhase("publish", publishing, end),
    ];
    return {
      input: namesOfAll(inputs.map(({ name }) => name)),
      output: file.name,
      type: "line",
      itemBytes: 0,
      bytes: report.bytes,
      keyCount: rows,
      written,
      descending: order.keys[0]?.descending ?? false,
      device: "CPU",
      algorithm: "radix",
      verified: verify !== false,
      gpuMs: undefined,
      gpuClock: undefined,
      ...externalOf(report),
      phases: options.intervals ? phases : phases.map(({ intervals: _, ...one }) => one),
      totalMs: end - begin,
    };
  } catch (error) {
    await file.discard();
    throw error;
  } finally {
    runner.close();
  }
}

function externalOf({ external }: RowReport): Pick<SortSummary, "external"> {
  if (!external) return {};
  const { runs, temporaryBytes, parts, chunkBytes } = external;
  return { external: { runs, chunkBytes, temporaryBytes, copiedBuckets: 0, buckets: parts } };
}
