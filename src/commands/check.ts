import { findDisorder } from "../external/check_items.js";
import { type FoundTables, findTables } from "../external/find_tables.js";
import { type OpenedFiles, openFiles, openItems } from "../external/inputs.js";
import { disorderText, rowDisorderText, tableDisorderText } from "../report/verify.js";
import { KernelThreads } from "../threads/kernel_threads.js";
import { parseBy } from "./by.js";
import { ExitCode } from "./exit_code.js";
import { inputsOf } from "./inputs.js";
import { inputOptions, meantRows, type RowArguments } from "./meant_rows.js";
import { parseThreads } from "./numbers.js";
import { announceTerminal } from "./terminal.js";

export interface CheckArguments extends RowArguments {
  /** Whether equal neighbours also count as out of order. */
  readonly unique?: boolean | undefined;
  readonly threads?: string | undefined;
  readonly quiet?: boolean | undefined;
}

/**
 * `gpusort --check FILE...`: if the input is not in order, prints the first pair of items in the wrong order,
 * or the first line that is not in order, to standard error, and exits with 1.
 */
export async function check(paths: readonly string[], typed: CheckArguments): Promise<void> {
  if (!typed.quiet) announceTerminal(paths);
  const threads = new KernelThreads(parseThreads(typed.threads));
  let opened: OpenedFiles | undefined;
  try {
    const named = await findTables(await inputsOf(paths), {
      by: typed.by && parseBy(typed.by),
      format: inputOptions(typed).format,
      to: undefined,
    });
    if (named.tables) {
      const text = await tableDisorder(named.tables, typed);
      if (text === undefined) return;
      if (!typed.quiet) process.stderr.write(text);
      process.exitCode = ExitCode.notSorted;
      return;
    }
    opened = await openFiles(named.inputs, inputOptions(typed));
    const found = await disorder(opened, typed, threads);
    if (found === undefined) return;
    if (!typed.quiet) process.stderr.write(found);
    process.exitCode = ExitCode.notSorted;
  } finally {
    await opened?.close();
    threads.close();
  }
}

/** Finds the first row of tables that is out of order. @returns what to print about it. */
async function tableDisorder(
  tables: NonNullable<FoundTables["tables"]>,
  { by, reverse: descending = false, unique = false, ...typed }: CheckArguments,
): Promise<string | undefined> {
  const { findTableDisorder } = await import("../external/check_tables.js");
  const options = { ...inputOptions(typed), by: by && parseBy(by), descending };
  const row = await findTableDisorder(tables, unique, options);
  return row === undefined ? undefined : tableDisorderText(tables[0]!.file.name, row);
}

/** Finds the first disorder. @returns what to print about it; undefined if there is none. */
async function disorder(
  opened: OpenedFiles,
  typed: CheckArguments,
  threads: KernelThreads,
): Promise<string | undefined> {
  const { reverse: descending = false, unique = false, header = false } = typed;
  const order = await meantRows(opened.files, typed);
  if (order) {
    const { findRowDisorder } = await import("../external/check_rows.js");
    const found = await findRowDisorder(opened.files, { order, unique, header, threads });
    return found && rowDisorderText(found.input, found.row, found.after);
  }
  const { each } = await openItems(opened, inputOptions(typed), threads);
  const found = await findDisorder(each, unique, { descending, threads });
  return found && disorderText(found.input, found.index, found.before, found.item);
}
