import type { KnownInputs } from "../inputs.js";
import type { OrderOfInputs } from "../order_of_inputs.js";
import { requireWritable } from "../output_formats.js";
import { requireRowsOfName, requireSeparatorOfName } from "../output_names.js";
import type { SortOutput } from "../outputs.js";
import type { SortContext } from "../publish.js";
import { OrderInUse } from "../rows/guessed_order.js";
import { sortRows } from "../rows/sort_rows.js";
import type { SortDecision, SortFileOptions } from "../sort_options.js";
import type { SortSummary } from "../sort_summary.js";

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
  const summary = await sortRows(opened, output, used, { ...options, header, onDecision: decide }, context);
  const { misfits } = used;
  return {
    ...summary,
    ...(used.current.by !== undefined && { by: used.current.by }),
    ...(misfits.length > 0 && { misfits }),
  };
}
