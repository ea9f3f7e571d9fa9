import { disorderText, rowDisorderText, tableDisorderText } from "../../report/verify.js";
import type { RowOrder } from "../../rows/order/row_order.js";
import { type KnownInputs, openInputs, openItemInputs } from "../../sort/inputs.js";
import { findDisorder } from "../../sort/items/check_items.js";
import type { OrderOfInputs } from "../../sort/order_of_inputs.js";
import { OrderInUse } from "../../sort/rows/guessed_order.js";
import { rowOrderOf } from "../../sort/rows/row_inputs.js";
import { requireColumns } from "../../sort/rows/row_options.js";
import type { CheckedTables } from "../../sort/tables/check.js";
import type { TableFiles } from "../../sort/tables/open_tables.js";
import { KernelThreads } from "../../threads/kernel_threads.js";
import { ExitCode } from "../exit_code.js";
import { inputsOf } from "../inputs.js";
import { type InputArguments, parseInputArguments, parseMemory } from "../parse.js";
import { announceTerminal, noticeLine } from "../terminal/terminal.js";
import { type ColumnArguments, parseColumnOrder } from "./by.js";

export interface CheckArguments extends RowArguments {
  /** Whether equal neighbours also count as out of order. */
  readonly unique?: boolean | undefined;
  readonly threads?: number | undefined;
  /** Must be an amount, as for a sort, but has no effect: a check keeps nothing that it has read. */
  readonly memory?: string | undefined;
  readonly quiet?: boolean | undefined;
}

/**
 * `gpusort --check FILE...`: if the input is not in order, prints the first pair of items in the wrong order,
 * or the first line that is not in order, to standard error, and exits with 1.
 */
export async function check(paths: readonly string[], args: CheckArguments): Promise<void> {
  if (args.memory !== undefined) parseMemory(args.memory);
  if (!args.quiet) announceTerminal(paths);
  const threads = new KernelThreads(args.threads);
  let opened: KnownInputs | undefined;
  try {
    opened = await openInputs(await inputsOf(paths), kindOptions(args));
    const disorderMessage = await (opened.table ? tableDisorder : disorder)(opened, args, threads);
    if (disorderMessage === undefined) return;
    if (!args.quiet) process.stderr.write(disorderMessage);
    process.exitCode = ExitCode.notSorted;
  } finally {
    await opened?.close();
    threads.close();
  }
}

/** The options that say what the inputs hold. */
export const kindOptions = (args: RowArguments) => ({
  ...inputOptions(args),
  rows: args.rows,
  ...parseColumnOrder(args),
});

/** Finds the first row of tables that is out of order. @returns what to print about it. */
async function tableDisorder(tables: TableFiles, args: CheckArguments): Promise<string | undefined> {
  const { checkTables } = await import("../../sort/tables/check.js");
  const checked = await checkTables(tables, tableOptions(args));
  if (!args.quiet) printNotices(checked);
  const { firstInversion, firstDuplicate } = checked;
  const [row] = [firstInversion, args.unique ? firstDuplicate : undefined]
    .filter((one) => one !== undefined)
    .sort((a, b) => a - b);
  return row === undefined
    ? undefined
    : tableDisorderText(tables.files[0]!.name, row, row !== firstInversion);
}

/** Says what of tables was read otherwise than it is written, and so compared otherwise. */
export function printNotices({ notices }: CheckedTables): void {
  for (const notice of notices) process.stderr.write(noticeLine(notice));
}

/** How tables are checked. */
export const tableOptions = ({ reverse, threads, ...args }: CheckArguments) => ({
  ...inputOptions(args),
  ...parseColumnOrder(args),
  descending: reverse,
  threads,
});

/** Finds the first disorder. @returns what to print about it; undefined if there is none. */
async function disorder(
  opened: KnownInputs,
  args: CheckArguments,
  threads: KernelThreads,
): Promise<string | undefined> {
  const { reverse: descending = false, unique = false } = args;
  const expected = await expectedOrder(opened, args);
  if (expected) {
    const { findRowDisorder } = await import("../../sort/rows/check_rows.js");
    const { header = args.header ?? false } = expected;
    const used = new OrderInUse(expected);
    const inversion = await findRowDisorder(opened.files, {
      used,
      unique,
      header,
      threads,
    });
    return inversion && rowDisorderText(inversion, used.current);
  }
  const { each } = await openItemInputs(opened, inputOptions(args), threads);
  const inversion = await findDisorder(each, unique, { descending, threads });
  return inversion && disorderText(inversion.input, inversion.index, inversion.before, inversion.item);
}

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
