/** Where the code of a thread is. It lies beside this file; tests name the built one instead. */
export const workerUrl = new URL("./worker.js", import.meta.url);
