import type { KernelCall, KernelName } from "../kernels.js";
import type { RunOptions } from "../runner.js";
import type { SortWork } from "./work.js";

/** Calls of a kernel, none of which needs another's result. */
export interface Step extends Pick<RunOptions, "isShort" | "ended"> {
  readonly phase: "convert" | "sort";
  readonly kernel: KernelName;
  readonly calls: readonly KernelCall[];
  /** What the calls must wait for. */
  readonly after?: Promise<void> | undefined;
}

/** The steps of a sort, one after the other, and then a result. */
export type Steps<T> = Generator<Step, T, undefined>;

/** Takes steps on the threads of the sort. */
export async function takeSteps<T>({ runner, threads, clock, job }: SortWork, steps: Steps<T>): Promise<T> {
  let phase: Step["phase"] | undefined;
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (value.phase !== phase) {
        if (phase) clock.end(phase);
        phase = value.phase;
        clock.begin(phase);
      }
      await value.after;
      const { kernel, calls, isShort, ended } = value;
      await runner.run(kernel, calls, threads, { signal: job.signal, isShort, ended });
    }
  } finally {
    if (phase) clock.end(phase);
  }
}
