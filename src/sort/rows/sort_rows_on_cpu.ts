import type { DeviceChoice } from "../../auto/open.js";
import { InputError } from "../../core/errors.js";
import { totalBytes } from "../../core/streams/byte_stream.js";
import type { ProgressMeter } from "../../core/streams/progress.js";
import { createTemporary } from "../../files/temporary/temporary.js";
import { checkAdjacentRows } from "../../rows/adjacent_check.js";
import { type MergeJob, mergeRows } from "../../rows/merge/merge_inputs.js";
import { isGuess, WrongGuess } from "../../rows/order/guess.js";
import { parsedKeyCount } from "../../rows/order/order_words.js";
import { rowKernels } from "../../rows/row_kernels.js";
import { type RowReport, sortRows } from "../../rows/sort_rows.js";
import { LONGEST_TEXT } from "../../rows/workspace.js";
import type { KernelThreads } from "../../threads/kernel_threads.js";
import { defaultMemoryBytes } from "../memory.js";
import { createRunStore } from "../runs/run_store.js";
import type { SortFileOptions } from "../sort_options.js";
import type { RowStrategy } from "../strategy.js";
import { canBeginAnew, type OrderInUse } from "./guessed_order.js";
import { type RowFiles, rowPhases } from "./sort_rows_on_device.js";

/** What the sort of rows on the CPU uses. */
export interface CpuRowContext {
  readonly tools: KernelThreads;
  readonly progress: ProgressMeter;
  /** Why it runs on the CPU, and what the user should read about that. */
  readonly choice: DeviceChoice;
  readonly notice: string | undefined;
  /** The folder for temporary files. */
  readonly temporaryFolder: string;
}

/**
 * Of rows that are compared as wholes, one thread merges fewer bytes before others have started and their
 * kernels are optimized.
 */
const LEAST_BYTES_SHARED = 2 ** 27;

/** Whether all values together show that an order is a wrong guess. Then another one is in use. */
async function isRefuted(job: MergeJob, used: OrderInUse, tools: KernelThreads): Promise<boolean> {
  if (!isGuess(job.order)) return false;
  const runner = tools.runner(rowKernels);
  try {
    for await (const _ of checkAdjacentRows(runner, job.inputs, job)); // reads all of them
  } finally {
    runner.close();
  }
  return used.current.order !== job.order;
}

/**
 * Sorts rows on the CPU, or merges inputs of sorted rows.
 * @throws as `sortRows` and `mergeRows` of src/rows/.
 */
export async function sortRowsOnCpu(
  { watched, file, expect, write, beginAnew }: RowFiles,
  used: OrderInUse,
  options: SortFileOptions,
  { tools, progress, choice, notice, temporaryFolder }: CpuRowContext,
): Promise<RowReport> {
  const { signal, onDecision, verify, header = false, unique = false } = options;
  const bytes = totalBytes(watched);
  const { order } = used.current;
  const isMerge = options.merge && !options.argsort && watched.length > 1;
  const merges = isMerge && canBeginAnew(used.current, watched, file, options.head);
  const isAlone = parsedKeyCount(order) === 0 && bytes !== undefined && bytes < LEAST_BYTES_SHARED;
  const runner = tools.runner(rowKernels, merges && isAlone ? { threads: 1 } : {});
  const common = {
    inputs: watched,
    header,
    unique,
    head: options.head ?? Number.POSITIVE_INFINITY,
    verify: verify !== false,
    memoryBytes: options.memoryBytes ?? defaultMemoryBytes(),
    signal,
    onTallied: used.take,
  };
  const decide = (strategy: RowStrategy) => {
    const { threads } = runner;
    onDecision?.({ device: "CPU", threads, deviceChoice: choice, notice, strategy });
  };
  try {
    if (merges) {
      decide({ kind: "rows merged", inputs: watched.length });
      for (;;) {
        const { order, by } = used.current;
        const job = { ...common, order, by, widen: used.widen };
        try {
          return await mergeRows(runner, job, write);
        } catch (error) {
          const isWrong = error instanceof WrongGuess;
          // By another order, which a value behind the merged ones would show, the inputs may be sorted.
          if (!isWrong && !(error instanceof InputError && (await isRefuted(job, used, tools)))) throw error;
          beginAnew();
        }
      }
    }
    // The output's pages are made while the inputs are read, unless runs are likely to need the memory: short
    // rows take a few times the bytes of their text.
    const isWhole = !unique && options.head === undefined;
    const isInMemory = bytes !== undefined && bytes <= LONGEST_TEXT && 4 * bytes <= common.memoryBytes;
    if (isWhole && isInMemory) expect(bytes);
    return await sortRows(
      runner,
      {
        ...common,
        order,
        widen: used.widen,
        numbers: options.argsort,
        createStore: (bytes, holds) =>
          holds === "runs"
            ? createRunStore(bytes, { temporaryFolder, progress, signal })
            : createTemporary(temporaryFolder, bytes),
        onStart: ({ rows, writtenBytes }) => {
          if (rows === undefined) {
            const { reading, writing } = rowPhases(bytes, options);
            const phases = { reading, "writing runs": bytes, "gathering runs": bytes, writing };
            progress.expect(phases, ["writing runs", "writing"]);
          } else progress.learn("writing", writtenBytes);
          if (writtenBytes !== undefined) expect(writtenBytes);
          decide(rows === undefined ? { kind: "rows out of core" } : { kind: "rows in memory", rows });
        },
      },
      write,
    );
  } finally {
    runner.close();
  }
}
