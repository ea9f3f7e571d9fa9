/** Where the code of a thread for tables is. It lies beside this file; tests name the built one instead. */
export const tableThreadUrl = new URL("./table_thread.js", import.meta.url);
