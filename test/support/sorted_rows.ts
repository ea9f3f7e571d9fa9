import { afterAll } from "vitest";
import type { RowOrder } from "../../src/rows/order/row_order.js";
import { rowKernels } from "../../src/rows/row_kernels.js";
import { type RowJob, sortRows } from "../../src/rows/sort_rows.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";
import { memoryFile } from "./memory_file.js";
import { rowInput } from "./row_inputs.js";

/** So little memory that a text of a few megabytes is sorted in parts. */
export const LITTLE_MEMORY = 5 << 20;

const tools = [1, 2].map(
  (threads) => new KernelThreads(threads, { sharedBytes: 1, startBytes: 1, threadBytes: 1 }),
);
afterAll(() => {
  for (const one of tools) one.close();
});

/** Sorts a text as the command does, on one thread or two, which every text is worth here. */
export async function sortedRows(
  text: Buffer,
  order: RowOrder,
  { threads = 2, ...given }: Partial<RowJob> & { readonly threads?: 1 | 2 } = {},
) {
  const runner = tools[threads - 1]!.runner(rowKernels);
  const parts: Buffer[] = [];
  const job = {
    ...{ inputs: [rowInput(text, { name: "rows", isStream: false })], order, header: false, verify: true },
    ...{ unique: false, head: Number.POSITIVE_INFINITY, memoryBytes: 1 << 30, ...given },
    createStore: async () => memoryFile(),
  };
  try {
    const report = await sortRows(runner, job, async (bytes) => {
      parts.push(Buffer.from(bytes));
    });
    return { text: Buffer.concat(parts), report };
  } finally {
    runner.close();
  }
}
