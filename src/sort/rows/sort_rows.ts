import { totalBytes } from "../../core/streams/byte_stream.js";
import type { RowReport } from "../../rows/sort_rows.js";
import type { KnownInputs } from "../inputs.js";
import { type SortOutput, temporaryFolder } from "../outputs.js";
import { publishSorted, type SortContext } from "../publish.js";
import type { SortFileOptions } from "../sort_options.js";
import type { SortSummary } from "../sort_summary.js";
import { watchedInput } from "../watched_input.js";
import type { OrderInUse } from "./guessed_order.js";
import { openRowOutput } from "./row_output.js";
import { sortRowsOnCpu } from "./sort_rows_on_cpu.js";
import { type RowsFromDevice, rowPhases, sortRowsOnDevice } from "./sort_rows_on_device.js";

/**
 * Sorts the rows of open inputs into one output.
 *
 * @param used the order of the rows, complete: the options that it comes from are not looked at.
 * @throws as `sortRows` of src/rows/; InputError if the output cannot be written.
 */
export async function sortRows(
  inputs: Pick<KnownInputs, "files" | "checkUnchanged">,
  output: SortOutput,
  used: OrderInUse,
  options: SortFileOptions,
  { tools, progress, begin }: SortContext,
): Promise<SortSummary> {
  const { order } = used.current;
  const {
    file,
    write,
    beginAnew,
    end: endOutput,
  } = await openRowOutput(output, inputs.files, options, { progress, tools });
  let expected = false;
  const expect = (length: number) => {
    if (!expected && !options.argsort) file.expect?.(length);
    expected = true;
  };
  const sort = async () => {
    const bytes = totalBytes(inputs.files);
    progress.expect(rowPhases(bytes, options));
    const watched = inputs.files.map((input) => watchedInput(input, progress, "reading"));
    const files = { inputs: inputs.files, watched, file, expect, write, beginAnew };
    const onDevice = await sortRowsOnDevice(files, order, options, progress);
    const report: SortedRows =
      "choice" in onDevice
        ? await sortOnCpu(files, used, options, {
            tools,
            progress,
            choice: onDevice.choice,
            notice: onDevice.notice,
            temporary: temporaryFolder(output, options.tempDir),
          })
        : onDevice;
    await endOutput();
    return {
      type: "line",
      itemBytes: 0,
      bytes: report.bytes,
      keyCount: report.rows,
      written: report.written,
      descending: order.keys[0]?.descending ?? false,
      device: report.device,
      algorithm: "radix",
      verified: options.verify !== false,
      gpuMs: undefined,
      gpuClock: undefined,
      ...externalOf(report),
      phases: report.phases,
      started: report.started,
    };
  };
  return publishSorted(inputs, file, options, { progress, begin }, sort);
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
