import type { ProgressMeter } from "../core/streams/progress.js";
import type { InputFile } from "../files/input_file.js";
import type { RowOrder } from "../rows/row_order.js";
import type { KernelThreads } from "../threads/kernel_threads.js";
import { requireRowsOfName, type SortOutput } from "./outputs.js";
import { refuseForRows } from "./row_options.js";
import type { SortFileOptions } from "./sort_options.js";
import { sortRows } from "./sort_rows.js";
import type { SortSummary } from "./sort_summary.js";

/**
 * Sorts open inputs as lines of text.
 *
 * @param order the order of the rows, complete: `options.descending` is part of it.
 * @throws InputError if an option or the name of the output does not fit lines; else as `sortFile` does.
 */
export async function sortLines(
  files: readonly InputFile[],
  order: RowOrder,
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
      descending: undefined,
      onDecision: onDecision && ((decision) => onDecision({ ...decision, rows: order })),
    },
    context,
  );
  return { ...summary, type: "line", itemBytes: 0, descending: order.keys[0]?.descending ?? false };
}
