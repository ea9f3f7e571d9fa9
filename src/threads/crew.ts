import { Crew, type StartedThread, type ThreadEvents } from "../core/cpu/crew.js";
import type { ThreadStart } from "../core/cpu/crew_thread.js";
import { compileForLongRuns } from "./compile.js";
import type { ThreadData } from "./worker.js";
import { workerUrl } from "./worker_url.js";

/** Starts a thread of this process. */
export function startThread(start: ThreadStart, { ready, finished, failed }: ThreadEvents): StartedThread {
  // A sort of few keys starts none.
  const { MessageChannel, Worker } = process.getBuiltinModule("node:worker_threads");
  const { port1: messages, port2: port } = new MessageChannel();
  messages.unref();
  const workerData: ThreadData = { start, messages: port };
  // Without the flags of this process, which may load whatever its main program needs.
  const worker = new Worker(workerUrl, { workerData, transferList: [port], execArgv: [] });
  worker.on("online", ready);
  worker.on("message", finished);
  worker.on("error", failed);
  worker.on("exit", () => failed(new Error("it ended")));
  worker.unref();
  return {
    post: (message) => messages.postMessage(message),
    keepAlive: (isNeeded) => (isNeeded ? worker.ref() : worker.unref()),
    end: () => {
      worker.removeAllListeners();
      worker.on("error", () => {}); // of no interest any more
      messages.close();
      void worker.terminate();
    },
  };
}

/** The threads of this process. They do not keep it alive. */
export const crew = new Crew({ start: startThread, compile: compileForLongRuns });
