import { totalBytes } from "../core/streams/byte_stream.js";
import type { ProgressMeter } from "../core/streams/progress.js";
import { createTemporary } from "../files/temporary.js";
import type { DeviceChoice } from "../profile/open.js";
import { rowKernels } from "../rows/row_kernels.js";
import type { RowOrder } from "../rows/row_order.js";
import { type RowReport, sortRows } from "../rows/sort_rows.js";
import type { KernelThreads } from "../threads/kernel_threads.js";
import { defaultMemoryBytes } from "./memory.js";
import type { SortFileOptions } from "./sort_options.js";
import type { RowFiles } from "./sort_rows_on_device.js";

/** What the sort of rows on the CPU uses. */
export interface CpuRowContext {
  readonly tools: KernelThreads;
  readonly progress: ProgressMeter;
  /** Why it runs on the CPU. */
  readonly choice: DeviceChoice;
  /** The folder for temporary files. */
  readonly temporary: string;
}

/** Sorts rows on the CPU. @throws as `sortRows` of src/rows/. */
export async function sortRowsOnCpu(
  { watched, file, expect }: RowFiles,
  order: RowOrder,
  options: SortFileOptions,
  { tools, progress, choice, temporary }: CpuRowContext,
): Promise<RowReport> {
  const { signal, onDecision, verify, header = false, unique = false } = options;
  const bytes = totalBytes(watched);
  const { write } = progress.sink("writing", {
    write: (from, offset) => file.write(from, offset),
    end: async () => {},
  });
  let offset = 0;
  const runner = tools.runner(rowKernels);
  try {
    return await sortRows(
      runner,
      {
        inputs: watched,
        order,
        header,
        unique,
        head: options.head ?? Number.POSITIVE_INFINITY,
        verify: verify !== false,
        memoryBytes: options.memoryBytes ?? defaultMemoryBytes(),
        signal,
        createStore: (expected) => createTemporary(temporary, expected),
        onStart: ({ rows, writtenBytes }) => {
          const strategy =
            rows === undefined
              ? { kind: "rows out of core" as const }
              : { kind: "rows at once" as const, rows };
          if (rows === undefined) {
            progress.expect({
              reading: bytes,
              "writing runs": bytes,
              "gathering runs": bytes,
              writing: bytes,
            });
          }
          if (writtenBytes !== undefined) expect(writtenBytes);
          const { threads } = runner;
          onDecision?.({ device: "CPU", threads, deviceChoice: choice, notice: undefined, strategy });
        },
      },
      (from) => {
        const at = offset;
        offset += from.length;
        return write(from, at);
      },
    );
  } finally {
    runner.close();
  }
}
