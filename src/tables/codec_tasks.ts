import type { ParquetTask } from "./parquet_tasks.js";

/** A piece of a codec's work that needs nothing but bytes, so that any thread can do it. */
export type CodecTask = ParquetTask;

/** Loads what does the tasks of each codec. Few runs need it. */
const codecs = {
  parquet: async () => (await import("./parquet_tasks.js")).loadParquetTasks(),
} as const;

/** Loads what all codecs need, so that a thread is ready once it has started. */
export async function loadCodecs(): Promise<void> {
  for (const load of Object.values(codecs)) await load();
}

/**
 * Does a task on the calling thread.
 *
 * @throws any error if the bytes of the task are damaged, or hold what the codec does not have; InputError if a
 *   package is not installed.
 */
export async function runCodecTask(task: CodecTask): Promise<Uint8Array> {
  return (await codecs[task.codec]())(task);
}

/** Does the tasks of codecs, on threads where that pays. */
export interface TaskRunner {
  /** Lets threads start, as work is about to come. @param bytes of data, unpacked. */
  expect(bytes: number): void;
  /** How many tasks may be under way at a time, at least 1. @param bytes as for `run`. */
  mostAtOnce(bytes: number): number;
  /**
   * Does a task.
   *
   * @param bytes of memory that it takes while it is done.
   * @param given buffers of the task, which are taken away from the caller if a thread does it.
   * @throws what the task throws, or an Error with its message; GpusortError if a thread ended.
   */
  run(task: CodecTask, bytes: number, given: readonly ArrayBuffer[]): Promise<Uint8Array>;
}
