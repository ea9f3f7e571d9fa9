import { namesOfAll } from "../core/names.js";
import { totalBytes } from "../core/streams/byte_stream.js";
import { timedPhase } from "../core/streams/phase_clock.js";
import type { ProgressMeter } from "../core/streams/progress.js";
import type { InputFile } from "../files/input_file.js";
import type { RowOrder } from "../rows/row_order.js";
import type { RowReport } from "../rows/sort_rows.js";
import type { KernelThreads } from "../threads/kernel_threads.js";
import { type SortOutput, temporaryFolder } from "./outputs.js";
import { openRowOutput } from "./row_output.js";
import type { SortFileOptions } from "./sort_options.js";
import { sortRowsOnCpu } from "./sort_rows_on_cpu.js";
import { type RowsFromDevice, rowPhases, sortRowsOnDevice } from "./sort_rows_on_device.js";
import type { SortSummary } from "./sort_summary.js";
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
  const { signal, verify } = options;
  const { file, write, end: endOutput } = await openRowOutput(output, inputs, options, { progress, tools });
  let expected = false;
  const expect = (length: number) => {
    if (!expected && !options.argsort) file.expect?.(length);
    expected = true;
  };
  try {
    const bytes = totalBytes(inputs);
    progress.expect(rowPhases(bytes, options));
    const watched = inputs.map((input) => watchedInput(input, progress, "reading"));
    const files = { inputs, watched, file, expect, write };
    const onDevice = await sortRowsOnDevice(files, order, options, progress);
    const report: SortedRows =
      "choice" in onDevice
        ? await sortOnCpu(files, order, options, {
            tools,
            progress,
            choice: onDevice.choice,
            notice: onDevice.notice,
            temporary: temporaryFolder(output, options.tempDir),
          })
        : onDevice;
    await endOutput();
    const lastCheck = async () => {
      for (const input of inputs) await input.checkUnchanged();
      signal?.throwIfAborted();
    };
    await lastCheck(); // before a stream gets its last bytes
    progress.enter("finishing the output");
    const publishing = performance.now();
    await file.publish(lastCheck); // and once more when a file is on the disk, which takes a while
    const end = performance.now();
    const phases = [
      timedPhase("start", begin, report.started),
      ...report.phases,
      timedPhase("publish", publishing, end),
    ];
    return {
      input: namesOfAll(inputs.map(({ name }) => name)),
      output: file.name,
      type: "line",
      itemBytes: 0,
      bytes: report.bytes,
      keyCount: report.rows,
      written: report.written,
      descending: order.keys[0]?.descending ?? false,
      device: report.device,
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
  }
}

/** Rows that were sorted and written, wherever. */
interface SortedRows extends RowsFromDevice {
  readonly external?: RowReport["external"];
}

async function sortOnCpu(...args: Parameters<typeof sortRowsOnCpu>): Promise<SortedRows> {
  const started = performance.now();
  const report = await sortRowsOnCpu(...args);
  return { ...report, device: "CPU", phases: report.clock.phases(), started };
}

function externalOf({ external }: SortedRows): Pick<SortSummary, "external"> {
  if (!external) return {};
  const { runs, temporaryBytes, parts, chunkBytes } = external;
  return { external: { runs, chunkBytes, temporaryBytes, copiedBuckets: 0, buckets: parts } };
}
