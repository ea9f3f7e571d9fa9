import type { InputFile } from "../files/input_file.js";
import { findRowDisorder as findInOrder, type RowDisorder } from "../rows/find_disorder.js";
import { rowKernels } from "../rows/row_kernels.js";
import type { RowOrder } from "../rows/row_order.js";
import type { KernelThreads } from "../threads/kernel_threads.js";
import { defaultMemoryBytes } from "./memory.js";

export type { RowDisorder };

export interface RowCheckOptions {
  readonly order: RowOrder;
  /** Whether rows with equal keys must not follow each other either. */
  readonly unique: boolean;
  /** Whether the first row of each input is a header, which is not checked. */
  readonly header: boolean;
  readonly threads: KernelThreads;
}

/** Text is checked in parts of so many bytes at most, as no more of it is needed at a time. */
const MOST_MEMORY = 256 << 20;

/**
 * Finds the first row that must not follow its predecessor.
 *
 * @throws InputError if a row does not fit in the memory, or if an input cannot be read.
 */
export async function findRowDisorder(
  files: readonly InputFile[],
  { threads, ...options }: RowCheckOptions,
): Promise<RowDisorder | undefined> {
  const runner = threads.runner(rowKernels);
  const memoryBytes = Math.min(MOST_MEMORY, defaultMemoryBytes());
  try {
    return await findInOrder(runner, files, { ...options, memoryBytes });
  } finally {
    runner.close();
  }
}
