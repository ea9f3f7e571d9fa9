import type { RowOrder } from "../../rows/order/row_order.js";
import type { KnownInputs } from "../../sort/inputs.js";
import type { OrderOfInputs } from "../../sort/order_of_inputs.js";
import { rowOrderOf } from "../../sort/rows/row_inputs.js";
import { requireColumns } from "../../sort/rows/row_options.js";
import { type InputArguments, parseInputArguments } from "../parse.js";
import { type ColumnArguments, parseColumnOrder } from "./by.js";

/** The arguments that say whether inputs are read as rows, and what order is expected of them. */
export interface RowArguments extends InputArguments, ColumnArguments {
  /** The order of lines, if the command line names their keys. */
  readonly rows?: RowOrder | undefined;
  readonly reverse?: boolean | undefined;
}

/**
 * Finds out whether open inputs are to be checked as rows.
 *
 * @returns the order that is expected of them, complete; undefined if they are numbers or records.
 * @throws InputError if the arguments do not fit each other or the inputs.
 */
export async function expectedOrder(
  opened: KnownInputs,
  args: RowArguments,
): Promise<OrderOfInputs | undefined> {
  const { rows, reverse = false } = args;
  const options = inputOptions(args);
  const columns = parseColumnOrder(args);
  requireColumns({ ...options, ...columns, rows });
  const descending = reverse && (!rows || columns.by !== undefined); // the keys of lines have inherited it
  return rowOrderOf(opened, { ...options, ...columns, rows, descending });
}

/** The options about the inputs. The values of `--key` are none of them if they are keys of lines. */
export function inputOptions(args: RowArguments) {
  return parseInputArguments(args.rows ? { ...args, key: undefined } : args);
}
