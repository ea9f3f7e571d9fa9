import type { ByteInput } from "../../src/core/streams/byte_stream.js";
import type { RowKey, RowOrder } from "../../src/rows/order/row_order.js";
import { type RowRunner, rowKernels } from "../../src/rows/row_kernels.js";
import { type RowJob, sortRows } from "../../src/rows/sort_rows.js";
import type { KernelThreads } from "../../src/threads/kernel_threads.js";
import { memoryFile } from "./memory_file.js";
import { rowInput } from "./row_inputs.js";

/** The least memory, whatever the limit: a text of two megabytes is sorted in parts. */
export const LITTLE = 1;

/** Every text is worth threads. */
export const eager = { sharedBytes: 1, startBytes: 1, threadBytes: 1 };

/** Rows of comma-separated values by some of their columns. */
export const table = (...keys: RowKey[]): RowOrder => ({ terminator: 10, separator: 44, quotes: true, keys });

/** A column as a key, by its number from 0. */
export const columnKey = (field: number, compare: RowKey["compare"], more: Partial<RowKey> = {}): RowKey => ({
  begin: { field, offset: 0 },
  end: { field },
  compare,
  ...more,
});

export const textInputs = (texts: readonly Uint8Array[], isStream = false): ByteInput[] =>
  texts.map((text, i) => rowInput(text, { name: `${i + 1}.csv`, isStream }));

/** Sorts texts as one, in memory unless the job says otherwise. */
export async function sortTexts(
  tools: KernelThreads,
  texts: readonly Uint8Array[],
  order: RowOrder,
  {
    isStream = false,
    runner = tools.runner(rowKernels),
    ...job
  }: Partial<RowJob> & { readonly isStream?: boolean; readonly runner?: RowRunner } = {},
) {
  const parts: Buffer[] = [];
  const all = {
    inputs: textInputs(texts, isStream),
    order,
    header: false,
    unique: false,
    head: Number.POSITIVE_INFINITY,
    verify: true,
    memoryBytes: 1 << 30,
    createStore: async () => memoryFile(),
    ...job,
  };
  try {
    const report = await sortRows(runner, all, async (bytes) => {
      parts.push(Buffer.from(bytes));
    });
    return { text: Buffer.concat(parts), report };
  } finally {
    runner.close();
  }
}
