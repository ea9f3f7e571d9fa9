import { parentPort } from "node:worker_threads";

/** What a thread says: first that it is ready, and then how each task ended, in the order of the tasks. */
export type TaskMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly result: Uint8Array }
  | { readonly kind: "failed"; readonly reason: string };

/**
 * Does the tasks that this thread is sent, until the thread is ended.
 *
 * @param load is called first. If it rejects, the thread ends.
 */
export async function serveTasks<Task>(
  load: () => Promise<void>,
  run: (task: Task) => Promise<Uint8Array>,
): Promise<void> {
  const port = parentPort!;
  const send = (message: TaskMessage, given: ArrayBuffer[] = []) => port.postMessage(message, given);
  await load();
  port.on("message", async (task: Task) => {
    try {
      const result = await run(task);
      send({ kind: "done", result }, isWhole(result) ? [result.buffer] : []);
    } catch (error) {
      // An error may hold what cannot be sent.
      send({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
    }
  });
  send({ kind: "ready" });
}

/** Whether no other bytes lie in the buffer, so that it can be given away. */
function isWhole(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength;
}
