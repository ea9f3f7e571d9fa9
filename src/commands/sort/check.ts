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
import { parseColumns } from "./by.js";
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
export async function check(paths: readonly string[], typed: CheckArguments): Promise<void> {
  if (typed.memory !== undefined) parseMemory(typed.memory);
  if (!typed.quiet) announceTerminal(paths);
  const threads = new KernelThreads(parseThreads(typed.threads));
  let opened: KnownInputs | undefined;
  try {
    opened = await openInputs(await inputsOf(paths), kindOptions(typed));
    const found = await (opened.table ? tableDisorder : disorder)(opened, typed, threads);
    if (found === undefined) return;
    if (!typed.quiet) process.stderr.write(found);
    process.exitCode = ExitCode.notSorted;
  } finally {
    await opened?.close();
    threads.close();
  }
}

/** The options that say what the inputs hold. */
export const kindOptions = (typed: RowArguments) => ({
  ...inputOptions(typed),
  rows: typed.rows,
  ...parseColumns(typed),
});

/** Finds the first row of tables that is out of order. @returns what to print about it. */
async function tableDisorder(found: TableFiles, typed: CheckArguments): Promise<string | undefined> {
  const { checkTables } = await import("../../sort/tables/check_tables.js");
  const { firstInversion, firstDuplicate } = await checkTables(found, tableOptions(typed));
  const [row] = [firstInversion, typed.unique ? firstDuplicate : undefined]
    .filter((one) => one !== undefined)
    .sort((a, b) => a - b);
  return row === undefined ? undefined : tableDisorderText(found.files[0]!.name, row);
}

/** How tables are checked. */
export const tableOptions = ({ reverse, threads, ...typed }: CheckArguments) => ({
  ...inputOptions(typed),
  ...parseColumns(typed),
  descending: reverse,
  threads: parseThreads(threads),
});

/** Finds the first disorder. @returns what to print about it; undefined if there is none. */
async function disorder(
  opened: KnownInputs,
  typed: CheckArguments,
  threads: KernelThreads,
): Promise<string | undefined> {
  const { reverse: descending = false, unique = false } = typed;
  const expected = await expectedOrder(opened, typed);
  if (expected) {
    const { findRowDisorder } = await import("../../sort/rows/check_rows.js");
    const { header = typed.header ?? false } = expected;
    const used = new OrderInUse(expected);
    const found = await findRowDisorder(opened.files, {
      used,
      unique,
      header,
      threads,
    });
    return found && rowDisorderText(found.input, found.row, found.after, used.current);
  }
  const { each } = await openItemInputs(opened, inputOptions(typed), threads);
  const found = await findDisorder(each, unique, { descending, threads });
  return found && disorderText(found.input, found.index, found.before, found.item);
}
