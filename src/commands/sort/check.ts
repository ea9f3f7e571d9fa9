import { disorderText, rowDisorderText, tableDisorderText } from "../../report/verify.js";
import { type KnownInputs, openInputs, openItemInputs } from "../../sort/inputs.js";
import { findDisorder } from "../../sort/items/check_items.js";
import { OrderInUse } from "../../sort/rows/guessed_order.js";
import type { TableFiles } from "../../sort/tables/open_tables.js";
import { KernelThreads } from "../../threads/kernel_threads.js";
import { ExitCode } from "../exit_code.js";
import { inputsOf } from "../inputs.js";
import { parseThreads } from "../numbers.js";
import { parseMemory } from "../parse.js";
import { announceTerminal } from "../terminal/terminal.js";
import { parseColumnOrder } from "./by.js";
import { expectedOrder, inputOptions, type RowArguments } from "./row_arguments.js";

export interface CheckArguments extends RowArguments {
  /** Whether equal neighbours also count as out of order. */
  readonly unique?: boolean | undefined;
  readonly threads?: string | undefined;
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
  const threads = new KernelThreads(parseThreads(args.threads));
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
  const { checkTables } = await import("../../sort/tables/check_tables.js");
  const { firstInversion, firstDuplicate } = await checkTables(tables, tableOptions(args));
  const [row] = [firstInversion, args.unique ? firstDuplicate : undefined]
    .filter((one) => one !== undefined)
    .sort((a, b) => a - b);
  return row === undefined ? undefined : tableDisorderText(tables.files[0]!.name, row);
}

/** How tables are checked. */
export const tableOptions = ({ reverse, threads, ...args }: CheckArguments) => ({
  ...inputOptions(args),
  ...parseColumnOrder(args),
  descending: reverse,
  threads: parseThreads(threads),
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
    return inversion && rowDisorderText(inversion.input, inversion.row, inversion.after, used.current);
  }
  const { each } = await openItemInputs(opened, inputOptions(args), threads);
  const inversion = await findDisorder(each, unique, { descending, threads });
  return inversion && disorderText(inversion.input, inversion.index, inversion.before, inversion.item);
}
