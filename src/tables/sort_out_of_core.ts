import type { Schema } from "apache-arrow";
import type { TemporaryFile } from "../files/temporary.js";
import type { Chunk, TableChunks } from "./chunks.js";
import type { Column } from "./column.js";
import { requireMemory } from "./memory.js";
import { type MergeJob, mergeRuns } from "./merge.js";
import { mergeUntilFew } from "./merge_passes.js";
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
/** A run has blocks of this part of the memory, so that hundreds of runs are merged at once. */
const BLOCK_SHARE = 1 / 2048;
/** Shorter blocks take longer to be read, but in so little memory not even dozens of such could be merged. */
const LEAST_BLOCK_BYTES = 2 ** 14;
const MOST_BLOCK_SHARE = 1 / 256;
/** Batches may have so many times the bytes of a mean one before they are written early. */
const LONG_BATCH = 1.25;

/** What to sort, and how. The keys are named by their places in the chunks. */
export interface OutOfCoreJob extends Omit<MergeJob, "runs" | "like" | "writer"> {
  readonly chunks: TableChunks;
  readonly schema: Schema;
  /** The columns of the chunks, by their places in the schema. */
  readonly places: readonly number[];
  /** Whether the numbers of the rows in the input, as u32, are a further column. */
  readonly numbered: boolean;
  /** Bytes of the inputs, if a temporary file needs as many; undefined if that is not known. */
  readonly bytes: number | undefined;
  /** Creates a temporary file. @param bytes the length that it will have; undefined if it is not known. */
  readonly createFile: (bytes: number | undefined) => Promise<TemporaryFile>;
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
  const { budget, clock, signal } = job;
  const file = new RunFile(await job.createFile(job.bytes), clock, signal);
  const work = async () => {
    const { like, dictionaryBytes, ...formed } = await formRuns(job, first, file);
    const rowCount = formed.runs.reduce((sum, { rows }) => sum + rows, 0);
    const rowBytes = file.bytes / Math.max(1, rowCount);
    // What the last merge has at least.
    const mergeBudget = budget * (1 - WRITING_SHARE) - dictionaryBytes;
    const passes = { ...job, like, budget: mergeBudget, blockBytes: blockBytesOf(budget) };
    const { runs, bytes, close } = await mergeUntilFew(passes, formed.runs);
    const merge = async () => {
      const sink = await job.openSink(rowCount);
      const copies = 2 + sink.copies; // as they wait, put together, and on their way
      const ideal = LONG_BATCH * rowBytes * sink.batchRows;
      const batchBytes = Math.max(1, Math.min(ideal, (budget * WRITING_SHARE) / copies));
      const checks = job.verify ? { keys: job.keys, unique: job.unique } : undefined;
      const writer = new TableWriter(sink, checks, () => signal?.throwIfAborted(), batchBytes);
      const left = budget - dictionaryBytes - copies * batchBytes;
      const parts = await mergeRuns({ ...job, runs, like, writer, budget: left });
      await clock.time("write", 0, () => writer.end());
      const chunkBytes = Math.max(0, ...formed.runs.map((run) => run.bytes));
      const temporaryBytes = file.bytes + bytes;
      return { written: writer.rows, runs: formed.runs.length, parts, chunkBytes, temporaryBytes };
    };
    return thenClosed(merge, close);
  };
  return thenClosed(work, () => file.close());
}

/** @throws what the work throws, even if the close fails, too. */
async function thenClosed<T>(work: () => Promise<T>, close: () => Promise<void>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
  await close();
  return result;
}

function blockBytesOf(budget: number): number {
  return Math.max(budget * BLOCK_SHARE, Math.min(LEAST_BLOCK_BYTES, budget * MOST_BLOCK_SHARE));
}

/** Sorts chunk by chunk, and writes each to the temporary file. */
async function formRuns(job: OutOfCoreJob, first: Chunk, file: RunFile) {
  const { chunks, budget, clock, signal } = job;
  const dictionaries = new SharedDictionaries();
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
    if (chunk.isLast) return { runs, like: dictionaries.complete(like), dictionaryBytes: dictionaries.bytes };
  }
}

/**
 * Sorts a chunk, and writes it as a run. It is a function of its own so that nothing of the chunk is in memory
 * when the next one is read.
 *
 * @returns undefined if the chunk has no rows.
 */
async function spill(
  { argsort, budget, clock, head, keys, places, schema, unique, verify }: OutOfCoreJob,
  { columns, rowCount }: Chunk,
  dictionaries: SharedDictionaries,
  file: RunFile,
): Promise<Run | undefined> {
  const order = await clock.time("sort", 0, () => orderRows(columns, keys, rowCount, argsort));
  if (verify) requireOnce(order.rows, rowCount);
  const names = columns.map((_, i) => schema.fields[places[i]!]?.name ?? "");
  const shared = dictionaries.add(columns, names);
  columns.length = 0;
  const run = file.begin(blockBytesOf(budget));
  await run.add(shared, wantedRows(order, unique, head));
  return run.end();
}
