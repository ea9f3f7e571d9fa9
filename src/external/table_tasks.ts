import { type CodecTask, runCodecTask } from "../tables/codec_tasks.js";
import { threadBytes } from "../tables/memory.js";
import { usableThreads } from "../threads/count.js";
import { TaskThreads } from "../threads/task_threads.js";
import { tableThreadUrl } from "./table_thread_url.js";

/**
 * Makes threads that unpack and pack what tables are read from and written to. None starts before there is
 * enough to do.
 *
 * @param threads the most threads. Default: as many as the process may use at a time.
 * @param budget bytes of memory that the sort may take.
 * @throws InputError if the number of threads is wrong.
 */
export function tableTasks(threads: number | undefined, budget: number): TaskThreads<CodecTask> {
  return new TaskThreads({
    url: tableThreadUrl,
    threads: usableThreads(threads),
    memoryBytes: threadBytes(budget),
    run: runCodecTask,
  });
}
