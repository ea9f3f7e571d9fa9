import type { ByteStore } from "../../core/streams/byte_stream.js";
import type { ProgressMeter } from "../../core/streams/progress.js";
import { createTemporary } from "../../files/temporary/temporary.js";

/** What the runs of a sort out of core need besides their length. */
export interface RunStoreOptions {
  /** The folder for temporary files. */
  readonly temporaryFolder: string;
  /** Counts what is written as the phase "writing runs", and what is read as "gathering runs". */
  readonly progress: ProgressMeter;
  /** Aborts the sort between two reads. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Creates the temporary file for the runs of a sort, whatever these hold.
 *
 * @param bytes the length of all runs; undefined if it is not known.
 * @throws InputError as `createTemporary` does.
 */
export async function createRunStore(
  bytes: number | undefined,
  { temporaryFolder, progress, signal }: RunStoreOptions,
): Promise<ByteStore> {
  const file = await createTemporary(temporaryFolder, bytes);
  const { read } = progress.source("gathering runs", {
    read: async (into, offset) => {
      signal?.throwIfAborted();
      await file.read(into, offset);
    },
  });
  const { write } = progress.sink("writing runs", { write: file.write, end: async () => {} });
  return { read, write, close: () => file.close() };
}
