import { totalBytes } from "../../core/streams/byte_stream.js";
import type { RowReport } from "../../rows/sort_rows.js";
import { type KnownInputs, watchedInput } from "../inputs.js";
import type { OrderOfInputs } from "../order_of_inputs.js";
import { requireWritable } from "../output_formats.js";
import { requireRowsOfName, requireSeparatorOfName } from "../output_names.js";
import { type SortOutput, temporaryFolder } from "../outputs.js";
import { publishSorted, type SortContext } from "../publish.js";
import type { SortDecision, SortFileOptions } from "../sort_options.js";
import type { SortSummary } from "../sort_summary.js";
import { OrderInUse } from "./guessed_order.js";
import { openRowOutput } from "./row_output.js";
import { sortRowsOnCpu } from "./sort_rows_on_cpu.js";
import { type RowsFromDevice, rowPhases, sortRowsOnDevice } from "./sort_rows_on_device.js";

/**
 * Sorts open inputs as lines of text.
 *
 * @param orderOfInputs the order of the rows, complete: `options.descending`, `options.by` and `options.header`
 *   are part of it.
 * @throws InputError if an option or the name of the output does not fit lines; else as `sortFile` does.
 */
export async function sortLines(
  opened: Pick<KnownInputs, "files" | "kind" | "checkUnchanged">,
  orderOfInputs: OrderOfInputs,
  output: SortOutput,
  options: SortFileOptions,
  context: SortContext,
): Promise<SortSummary> {
  const content = opened.kind === "text" ? "text" : "lines";
  requireWritable(options.argsort ? "indices" : content, options.to, opened.files[0]?.name);
  const inputs = opened.files.map(({ name }) => name);
  if (!options.argsort) {
    requireRowsOfName(output, { to: options.to, inputs });
    requireSeparatorOfName(output, orderOfInputs.order, { to: options.to, inputs });
  }
  const { onDecision } = options;
  const { order, by, header = options.header } = orderOfInputs;
  const decide = (decision: SortDecision) => {
    const notices = [orderOfInputs.notice, decision.notice].filter((one) => one !== undefined);
    const notice = notices.length > 0 ? notices.join("; ") : undefined;
    onDecision?.({ ...decision, rows: order, by, notice });
  };
  const used = new OrderInUse(orderOfInputs);
  const summary = await sortOpenRows(
    opened,
    output,
    used,
    { ...options, header, onDecision: decide },
    context,
  );
  const { misfits } = used;
  return {
    ...summary,
    ...(used.current.by !== undefined && { by: used.current.by }),
    ...(misfits.length > 0 && { misfits }),
  };
}

/**
 * Sorts the rows of open inputs into one output.
 *
 * @param used the order of the rows, complete: the options that it comes from are not looked at.
 * @throws as `sortRows` of src/rows/; InputError if the output cannot be written.
 */
async function sortOpenRows(
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
            temporaryFolder: temporaryFolder(output, options.tempDir),
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
