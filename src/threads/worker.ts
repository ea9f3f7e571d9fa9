import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { Word } from "../core/cpu/control.js";
import { CrewThread, type MemoryMessage, type ThreadStart } from "../core/cpu/crew_thread.js";

/** What a thread is given. */
export interface ThreadData {
  readonly start: ThreadStart;
  /** Brings the messages of the crew. In Deno, none can be fetched from the parent port. */
  readonly messages: MessagePort;
}

/** Runs batches of kernel calls until the thread is ended. */
function work({ start, messages }: ThreadData): never {
  const port = parentPort!;
  const thread = new CrewThread(start);
  for (let seen = 0; ; ) {
    Atomics.wait(start.control, Word.batch, seen);
    const batch = Atomics.load(start.control, Word.batch);
    // A thread can have ended its part before the notification of that batch wakes it.
    if (batch === seen) continue;
    seen = batch;
    // The event loop never runs here, so messages are fetched, also by threads that take no part: a message
    // may be all that keeps an old memory.
    for (let sent = receiveMessageOnPort(messages); sent; sent = receiveMessageOnPort(messages)) {
      thread.adopt(sent.message as MemoryMessage);
    }
    if (thread.takePart(seen)) port.postMessage(undefined);
  }
}

work(workerData as ThreadData);
