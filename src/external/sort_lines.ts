import type { SortContext } from "./frame.js";
import type { KnownInputs } from "./inputs.js";
import { requireWritable } from "./output_formats.js";
import { requireRowsOfName } from "./output_names.js";
import type { SortOutput } from "./outputs.js";
import type { MeantOrder } from "./row_inputs.js";
import type { SortDecision, SortFileOptions } from "./sort_options.js";
import { sortRows } from "./sort_rows.js";
import type { SortSummary } from "./sort_summary.js";

/**
 * Sorts open inputs as lines of text.
 *
 * @param meant the order of the rows, complete: `options.descending` and `options.by` are part of it.
 * @throws InputError if an option or the name of the output does not fit lines; else as `sortFile` does.
 */
export async function sortLines(
  opened: Pick<KnownInputs, "files" | "checkUnchanged">,
  { order, by }: MeantOrder,
  output: SortOutput,
  options: SortFileOptions,
  context: SortContext,
): Promise<SortSummary> {
  requireWritable(options.argsort ? "indices" : "lines", options.to, opened.files[0]?.name);
  const inputs = opened.files.map(({ name }) => name);
  if (!options.argsort) requireRowsOfName(output, { to: options.to, inputs });
  const { onDecision } = options;
  const decided = onDecision && ((decision: SortDecision) => onDecision({ ...decision, rows: order, by }));
  const summary = await sortRows(opened, output, order, { ...options, onDecision: decided }, context);
  return by === undefined ? summary : { ...summary, by };
}
