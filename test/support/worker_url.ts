/** In place of src/threads/worker_url.ts: a thread does not compile TypeScript, so it runs the built code. */
export const workerUrl = new URL("../../dist/threads/worker.js", import.meta.url);
