/**
 * The name of a format of tables: the file format of Arrow IPC ("arrow"), its stream format ("arrows"), or
 * Parquet.
 */
export type TableFormatName = "arrow" | "arrows" | "parquet";
