/** In place of src/external/table_thread_url.ts: a thread does not compile TypeScript, so it runs the built code. */
export const tableThreadUrl = new URL("../../dist/external/table_thread.js", import.meta.url);
