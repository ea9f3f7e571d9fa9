import type { ProgressMeter } from "../core/streams/progress.js";
import type { InputFile } from "../files/input_file.js";
import type { KernelThreads } from "../threads/kernel_threads.js";
import { requireRowsOfName, type SortOutput } from "./outputs.js";
import type { MeantOrder } from "./row_inputs.js";
import { refuseForRows } from "./row_options.js";
import type { SortFileOptions } from "./sort_options.js";
import { sortRows } from "./sort_rows.js";
import type { SortSummary } from "./sort_summary.js";

/**
 * Sorts open inputs as lines of text.
 *
 * @param meant the order of the rows, complete: `options.descending` and `options.by` are part of it.
 * @throws InputError if an option or the name of the output does not fit lines; else as `sortFile` does.
 */
export async function sortLines(
  files: readonly InputFile[],
  { order, by }: MeantOrder,
  output: SortOutput,
  options: SortFileOptions,
  context: { readonly tools: KernelThreads; readonly progress: ProgressMeter; readonly begin: number },
): Promise<SortSummary> {
  refuseForRows(files[0]?.name ?? "", options);
  requireRowsOfName(output, options);
  const { onDecision } = options;
  const summary = await sortRows(
    files,
    output,
    {
      ...options,
      rows: order,
      by: undefined,
      invalid: undefined,
      descending: undefined,
      onDecision: onDecision && ((decision) => onDecision({ ...decision, rows: order, by })),
    },
    context,
  );
  const descending = order.keys[0]?.descending ?? false;
  return { ...summary, type: "line", itemBytes: 0, descending, ...(by !== undefined && { by }) };
}
