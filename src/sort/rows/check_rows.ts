import type { Summary } from "../../core/items/summary.js";
import type { ByteInput } from "../../core/streams/byte_stream.js";
import type { InputFile } from "../../files/input_file.js";
import { createTemporary } from "../../files/temporary/temporary.js";
import type { AdjacentCheckOptions } from "../../rows/adjacent_check.js";
import { firstRowDisorder, joinRowSummaries, type RowDisorder, rowSummary } from "../../rows/check.js";
import { type RowRunner, rowKernels } from "../../rows/row_kernels.js";
import type { KernelThreads } from "../../threads/kernel_threads.js";
import { defaultMemoryBytes } from "../memory.js";
import { temporaryFolder } from "../outputs.js";
import type { OrderInUse } from "./guessed_order.js";

export type { RowDisorder };

/** How rows are checked. */
export interface RowCheckOptions {
  /** The order that is expected. It becomes the one that holds for all values. */
  readonly used: OrderInUse;
  /** Whether the first row of each input is a header, which is not checked. */
  readonly header: boolean;
  /** They check the rows, and stay open. */
  readonly threads: KernelThreads;
}

/** The most memory of a check, in bytes: no more than a part of the text is needed at a time. */
const MOST_MEMORY = 256 << 20;

/**
 * Finds the first row that must not follow its predecessor.
 *
 * @param unique whether rows with equal keys must not follow each other either.
 * @throws InputError if a row does not fit in the memory, or if an input cannot be read.
 */
export function findRowDisorder(
  files: readonly InputFile[],
  { unique, ...options }: RowCheckOptions & { readonly unique: boolean },
): Promise<RowDisorder | undefined> {
  return checked(options, (runner, settings) => firstRowDisorder(runner, files, { ...settings, unique }));
}

/**
 * Counts rows, those in the wrong order and those with keys equal to those before, and adds up hashes of
 * them.
 *
 * @throws InputError if a row does not fit in the memory, or if an input cannot be read.
 */
export function summarizeRows(files: readonly ByteInput[], options: RowCheckOptions): Promise<Summary> {
  return checked(options, (runner, settings) => rowSummary(runner, files, settings));
}

/** Combines the summaries of two adjacent parts of some rows, `a` before `b`. */
export function combineRowSummaries(a: Summary, b: Summary, options: RowCheckOptions): Promise<Summary> {
  return checked(options, (runner, settings) => joinRowSummaries(runner, a, b, settings));
}

async function checked<T>(
  { threads, used, header }: RowCheckOptions,
  check: (runner: RowRunner, options: AdjacentCheckOptions) => Promise<T>,
): Promise<T> {
  const runner = threads.runner(rowKernels);
  try {
    return await check(runner, {
      header,
      order: used.current.order,
      widen: used.widen,
      onTallied: used.take,
      createStore: () => createTemporary(temporaryFolder("/dev/null", undefined), undefined), // no output
      memoryBytes: Math.min(MOST_MEMORY, defaultMemoryBytes()),
    });
  } finally {
    runner.close();
  }
}
