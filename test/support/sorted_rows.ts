import { afterAll } from "vitest";
import type { RowOrder } from "../../src/rows/order/row_order.js";
import type { RowJob } from "../../src/rows/sort_rows.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";
import { eager, sortTexts } from "./row_sorts.js";

const tools = [1, 2].map((threads) => new KernelThreads(threads, eager));
afterAll(() => {
  for (const one of tools) one.close();
});

/** Sorts a text as the command does, on one thread or two, which every text is worth here. */
export const sortedRows = (
  text: Buffer,
  order: RowOrder,
  { threads = 2, ...given }: Partial<RowJob> & { readonly threads?: 1 | 2 } = {},
) => sortTexts(tools[threads - 1]!, [text], order, given);
