// A thread of a web page: see web_threads.ts.

import { CrewThread, type MemoryMessage, type ThreadStart } from "./crew_thread.js";

interface WorkerScope {
  onmessage: (event: { data: ThreadStart | MemoryMessage | number }) => void;
  postMessage(event: ThreadMessage): void;
}

/** What a thread tells the page. */
export type ThreadMessage = "ready" | "finished";

const scope = globalThis as unknown as WorkerScope;
let thread: CrewThread;

// The thread waits in its event loop, as only that receives messages.
scope.onmessage = ({ data }) => {
  if (typeof data === "number") {
    if (thread.takePart(data)) scope.postMessage("finished");
  } else if ("control" in data) {
    thread = new CrewThread(data);
    scope.postMessage("ready");
  } else thread.adopt(data);
};
