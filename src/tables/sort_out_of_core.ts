import type { Schema } from "apache-arrow";
import type { TemporaryFile } from "../files/temporary.js";
import type { Chunk, TableChunks } from "./chunks.js";
import type { Column } from "./column.js";
import { requireMemory } from "./memory.js";
import { type MergeJob, mergeRuns } from "./merge.js";
import { orderRows, wantedRows } from "./order.js";
import { numberColumn } from "./row_numbers.js";
import { type Run, RunFile } from "./runs.js";
import { SharedDictionaries } from "./shared_dictionaries.js";
import { take } from "./take.js";
import { type RowSink, requireOnce, TableWriter } from "./write_table.js";

/** The part of the memory that dictionaries may take, which stay in it all the time. */
const DICTIONARY_SHARE = 1 / 4;
/** The part of the memory that may be taken by rows on their way to the output. */
const WRITING_SHARE = 1 / 2;
/** Batches may have so many times the bytes of a mean one before they are written early. */
const LONG_BATCH = 1.25;

/** What to sort, and how. The keys are named by their places in the chunks. */
export interface OutOfCoreJob extends Omit<MergeJob, "runs" | "file" | "like" | "writer"> {
  readonly chunks: TableChunks;
  readonly schema: Schema;
  /** The columns of the chunks, by their places in the schema. */
  readonly places: readonly number[];
  /** Whether the numbers of the rows in the input, as u32, are a further column. */
  readonly numbered: boolean;
  readonly file: TemporaryFile;
  readonly signal: AbortSignal | undefined;
  /** Opens the output, once the rows are in runs. @param rows their number. */
  readonly openSink: (rows: number) => Promise<RowSink>;
}

/** What was sorted out of core. */
export interface OutOfCoreReport {
  readonly written: number;
  readonly runs: number;
  readonly parts: number;
  readonly chunkBytes: number;
  readonly temporaryBytes: number;
}

/**
 * Sorts a table that does not fit in memory, and ends the sink: chunks of it are sorted and written to a
 * temporary file as runs, which are then merged. Dictionaries stay in memory, and are shared by all rows.
 *
 * @param first the first chunk of the table.
 * @throws InputError if an input is damaged, if something does not fit in memory, or if the disk is full;
 *   VerifyError if the result is not in order or does not have the rows of the input; the signal's reason.
 */
export async function sortOutOfCore(job: OutOfCoreJob, first: Chunk): Promise<OutOfCoreReport> {
  const { budget } = job;
  const { file, runs, like, dictionaryBytes } = await formRuns(job, first);
  const rowCount = runs.reduce((rows, run) => rows + rowsOf(run), 0);
  const sink = await job.openSink(rowCount);
  const rowBytes = file.bytes / rowCount;
  const copies = 2 + sink.copies; // as they wait, put together, and on their way
  const ideal = LONG_BATCH * rowBytes * sink.batchRows;
  const batchBytes = Math.max(1, Math.min(ideal, (budget * WRITING_SHARE) / copies));
  const checks = job.verify ? { keys: job.keys, unique: job.unique } : undefined;
  const writer = new TableWriter(sink, checks, () => job.signal?.throwIfAborted(), batchBytes);
  const parts = await mergeRuns({
    ...job,
    runs,
    file,
    like,
    writer,
    budget: budget - dictionaryBytes - copies * batchBytes,
  });
  await job.clock.time("write", 0, () => writer.end());
  const chunkBytes = Math.max(...runs.map(bytesOf));
  return { written: writer.rows, runs: runs.length, parts, chunkBytes, temporaryBytes: file.bytes };
}

const rowsOf = ({ blocks }: Run) => blocks.reduce((sum, { rows }) => sum + rows, 0);
const bytesOf = ({ blocks }: Run) => blocks.reduce((sum, { bytes }) => sum + bytes, 0);

/** Sorts chunk by chunk, and writes each to the temporary file. */
async function formRuns(job: OutOfCoreJob, first: Chunk) {
  const { chunks, budget, clock, signal } = job;
  const dictionaries = new SharedDictionaries();
  const file = new RunFile(job.file, clock, signal);
  const runs: Run[] = [];
  let like: Column[] = [];
  let rowCount = 0;
  for (let chunk = first; ; chunk = await clock.time("read", 0, () => chunks.next(dictionaries.bytes))) {
    signal?.throwIfAborted();
    if (job.numbered) chunk.columns.push(numberColumn(rowCount, chunk.rowCount, job.name));
    like = chunk.columns.map((column) => take(column, new Uint32Array(0)));
    const run = await spill(job, chunk, dictionaries, file);
    if (run) runs.push(run);
    rowCount += chunk.rowCount;
    const needed = dictionaries.bytes / DICTIONARY_SHARE;
    requireMemory(`the dictionaries of ${job.name}`, needed, budget, "write their columns as plain values");
    if (chunk.isLast)
      return { file, runs, like: dictionaries.complete(like), dictionaryBytes: dictionaries.bytes };
  }
}

/**
 * Sorts a chunk, and writes it as a run. It is a function of its own so that nothing of the chunk is in memory
 * when the next one is read.
 *
 * @returns undefined if the chunk has no rows.
 */
async function spill(
  { argsort, clock, head, keys, places, schema, unique, verify }: OutOfCoreJob,
  { columns, rowCount }: Chunk,
  dictionaries: SharedDictionaries,
  file: RunFile,
): Promise<Run | undefined> {
  const order = await clock.time("sort", 0, () => orderRows(columns, keys, rowCount, argsort));
  if (verify) requireOnce(order.rows, rowCount);
  const names = columns.map((_, i) => schema.fields[places[i]!]?.name ?? "");
  const shared = dictionaries.add(columns, names);
  columns.length = 0;
  const rows = wantedRows(order, unique, head);
  return rows.length === 0 ? undefined : file.write(shared, rows, keys);
}
