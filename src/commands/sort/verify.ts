import { InputError } from "../../core/errors.js";
import { itemOrder } from "../../core/items/order.js";
import { combine, type Summary } from "../../core/items/summary.js";
import { totalBytes } from "../../core/streams/byte_stream.js";
import { ProgressMeter } from "../../core/streams/progress.js";
import type { InputFile } from "../../files/input_file.js";
import { recordKeyText } from "../../formats/options.js";
import { summarizeGraysort } from "../../graysort/check.js";
import { graysortRecord } from "../../graysort/record.js";
import { combineValsort, type ValsortSummary } from "../../graysort/valsort.js";
import { jsonText } from "../../report/json.js";
import { tableJson, tableText, valsortText, verifyText } from "../../report/verify.js";
import { type KnownInputs, openInputs, openItemInputs, watchedInput } from "../../sort/inputs.js";
import { summarizeItems } from "../../sort/items/check_items.js";
import type { OrderOfInputs } from "../../sort/order_of_inputs.js";
import { OrderInUse } from "../../sort/rows/guessed_order.js";
import { combineMisfits } from "../../sort/rows/misfits.js";
import type { CheckedTables } from "../../sort/tables/check.js";
import { KernelThreads } from "../../threads/kernel_threads.js";
import { ExitCode } from "../exit_code.js";
import { inputsOf } from "../inputs.js";
import { parseThreads } from "../numbers.js";
import { parseRecords, recordsNames } from "../parse.js";
import { readText } from "../read_text.js";
import { ProgressLine } from "../terminal/status_line.js";
import { announceTerminal, namedOrPiped, printShortHelp, readsTerminal } from "../terminal/terminal.js";
import {
  expectedOrder,
  inputOptions,
  kindOptions,
  printNotices,
  type RowArguments,
  tableOptions,
} from "./check.js";
import { type LineArguments, parseRowOrder } from "./line_keys.js";
import { fromJson, orderOf, type SummaryFile, toJson } from "./summary_json.js";

export interface VerifyArguments extends Omit<RowArguments, "rows">, LineArguments {
  readonly combine?: boolean | undefined;
  readonly records?: string | undefined;
  readonly threads?: string | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/**
 * `gpusort verify [FILE...]`: checks the order of keys or lines, counts them and their duplicates, and
 * computes a checksum, like valsort for the sort benchmark. Exits with 1 if they are not in order.
 */
export async function verify(named: readonly string[], args: VerifyArguments): Promise<void> {
  const paths = args.combine ? named : namedOrPiped(named);
  if (!paths) return printShortHelp();
  if (paths.length === 0) {
    throw new InputError("--combine needs summaries, and no file is named", {
      hint: "name files that gpusort verify --json wrote",
    });
  }
  const result = args.combine ? await combineSummaries(paths) : await checked(paths, args);
  if ("sums" in result) return showTables(paths, result, args);
  if (args.json) process.stdout.write(jsonText(toJson(result)));
  else if (!args.quiet) process.stdout.write(textOf(result, paths));
  if (result.summary.inversions > 0) process.exitCode = ExitCode.notSorted;
}

function textOf(result: SummaryFile, paths: readonly string[]): string {
  return "records" in result
    ? valsortText(result.summary)
    : verifyText({ input: paths.join(" "), ...result });
}

function showTables(paths: readonly string[], tables: CheckedTables, { json, quiet }: VerifyArguments): void {
  if (!quiet) printNotices(tables);
  if (json) process.stdout.write(jsonText(tableJson(tables)));
  else if (!quiet) process.stdout.write(tableText(paths.join(" "), tables));
  if (tables.inversions > 0) process.exitCode = ExitCode.notSorted;
}

async function checked(
  paths: readonly string[],
  named: VerifyArguments,
): Promise<SummaryFile | CheckedTables> {
  const args = named.records === undefined ? named : { ...named, ...graysortArguments(named.records) };
  const rows = parseRowOrder(args);
  announceTerminal(paths);
  const count = parseThreads(args.threads);
  const threads = new KernelThreads(count);
  const line = new ProgressLine(process.stderr, { enabled: !args.quiet && !readsTerminal(paths) });
  const progress = new ProgressMeter(line.update);
  let opened: KnownInputs | undefined;
  try {
    opened = await openInputs(await inputsOf(paths), kindOptions({ ...args, rows }));
    if (opened.table) {
      const { checkTables } = await import("../../sort/tables/check.js");
      return await checkTables(opened, tableOptions({ ...args, rows, threads: count }));
    }
    const expected = await expectedOrder(opened, { ...args, rows });
    const summary = expected
      ? await checkedRows(opened.files, expected, args, threads, progress)
      : await checkedItems(opened, args, threads, progress);
    await opened.checkUnchanged();
    return summary;
  } finally {
    line.end();
    await opened?.close();
    threads.close();
  }
}

/** How records of the sort benchmark are read. */
function graysortArguments(named: string): Pick<VerifyArguments, "records" | "record" | "key"> {
  const records = parseRecords(named, recordsNames.verify);
  return { records, record: String(graysortRecord.bytes), key: graysortRecord.keys.map(recordKeyText) };
}

async function checkedItems(
  opened: KnownInputs,
  args: VerifyArguments,
  threads: KernelThreads,
  progress: ProgressMeter,
): Promise<SummaryFile> {
  const { reverse: descending = false } = args;
  const { items } = await openItemInputs(opened, inputOptions(args), threads);
  const { item, itemCount, source } = items;
  const checking = itemCount === undefined ? undefined : itemCount * item.bytes;
  progress.expect({ checking }, ["checking"]);
  const counted = {
    ...items,
    ...progress.stream("checking", items, item.bytes),
    ...(source && { source: progress.source("checking", source) }),
  };
  if (args.records) return { records: "valsort", summary: await summarizeGraysort(counted, { threads }) };
  return { item, descending, summary: await summarizeItems(counted, { descending, threads }) };
}

async function checkedRows(
  files: readonly InputFile[],
  expected: OrderOfInputs,
  args: VerifyArguments,
  threads: KernelThreads,
  progress: ProgressMeter,
): Promise<SummaryFile> {
  const { summarizeRows } = await import("../../sort/rows/check_rows.js");
  progress.expect({ checking: totalBytes(files) }, ["checking"]);
  const watched = files.map((file) => watchedInput(file, progress, "checking"));
  const { header = args.header ?? false } = expected;
  const used = new OrderInUse(expected);
  const summary = await summarizeRows(watched, { used, header, threads });
  const { order, by } = used.current;
  const { misfits } = used;
  return {
    rows: order,
    ...(by !== undefined && { by }),
    ...(misfits.length > 0 && { misfits }),
    summary,
  };
}

/** @throws InputError if a file is no summary, or one of other items or of another order than the first. */
async function combineSummaries(paths: readonly string[]): Promise<SummaryFile> {
  let all: SummaryFile | undefined;
  for (const path of paths) {
    const part = fromJson(path, await readText(path, path === "-" ? undefined : `--combine ${path}`));
    if (all && orderOf(all) !== orderOf(part)) {
      throw new InputError(`${path} and ${paths[0]} summarize items of different types or orders`, {
        hint: "combine only summaries of the parts of one file; if the order of a part was guessed, check all of them again with options that say it",
      });
    }
    all = all ? await combined(all, part) : part;
  }
  return all!;
}

/** Combines summaries of the same order. */
async function combined(a: SummaryFile, part: SummaryFile): Promise<SummaryFile> {
  if ("records" in a) return { ...a, summary: combineValsort(a.summary, part.summary as ValsortSummary) };
  const b = part.summary as Summary;
  if ("item" in a) return { ...a, summary: combine(a.summary, b, itemOrder(a.item, a.descending)) };
  const { combineRowSummaries } = await import("../../sort/rows/check_rows.js");
  const threads = new KernelThreads(1);
  try {
    const used = new OrderInUse({ order: a.rows });
    const summary = await combineRowSummaries(a.summary, b, { used, header: false, threads });
    const misfits = combineMisfits([a, part].flatMap((one) => ("rows" in one ? (one.misfits ?? []) : [])));
    return { ...a, ...(misfits.length > 0 && { misfits }), summary };
  } finally {
    threads.close();
  }
}
