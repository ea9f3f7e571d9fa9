import type { PhaseClock } from "../core/streams/phase_clock.js";
import type { Column } from "./column.js";
import { joinColumns, joinTables } from "./join.js";
import type { Argsort } from "./key_codes.js";
import { bytesToSort, requireMemory } from "./memory.js";
import { type Key, orderRows } from "./order.js";
import { packedBytes, unpackColumns } from "./pack.js";
import type { Block, Run, RunFile } from "./runs.js";
import { take } from "./take.js";
import { requireOnce, sortedWrongly, type TableWriter } from "./write_table.js";

/** What a merge takes and gives. */
export interface MergeJob {
  readonly runs: readonly Run[];
  readonly file: RunFile;
  readonly keys: readonly Key[];
  /** Columns without rows, of the types of the runs, with the dictionaries. */
  readonly like: readonly Column[];
  readonly argsort: Argsort;
  readonly writer: TableWriter;
  readonly unique: boolean;
  readonly head: number;
  /** Whether it is checked that each row is written once. */
  readonly verify: boolean;
  /** Bytes of memory that the sort may take. */
  readonly budget: number;
  /** The inputs, for errors. */
  readonly name: string;
  readonly clock: PhaseClock;
}

/** A block that will be read. */
interface Reading {
  readonly run: number;
  readonly block: Block;
  /** The place of the last row of the run's block before it in the order of all such rows; -1 without one. */
  readonly after: number;
}

/** Rows of runs in memory: for each run the tables that hold them, in order. */
type Loaded = Column[][][];

/** What is in memory between two parts. */
interface Between {
  /** Rows that were read and not written. */
  readonly loaded: Loaded;
  /** The last row that was looked at. */
  readonly last: Column[] | undefined;
}

/**
 * Merges runs. It reads blocks in the order in which they are needed, as many as fit in memory, sorts them
 * together, and writes the rows that go before all rows which were not read. So each part is sorted by all
 * threads or a device, and JavaScript compares rows only to check the order. Rows with equal keys stay in the
 * order of their runs.
 *
 * The blocks that are needed next are known beforehand, by the last rows of all blocks (forecasting; D. E.
 * Knuth, "The Art of Computer Programming", vol. 3, 5.4.6).
 *
 * @returns the number of parts.
 * @throws InputError if not even one block of each run fits in memory; VerifyError if a part was sorted
 *   wrongly, or if the temporary file changed.
 */
export async function mergeRuns(job: MergeJob): Promise<number> {
  const { runs, writer, head } = job;
  const needed = runs.map(({ blocks }) => costOf(blocks)).reduce((sum, cost) => sum + cost, 0);
  requireMemory(`${job.name} in ${runs.length} runs`, needed, job.budget, "sort the table in parts");
  const readings = await readingsOf(job);
  let between: Between = { loaded: runs.map(() => []), last: undefined };
  let [next, parts] = [0, 0];
  while (writer.rows < head && (next < readings.length || between.loaded.some(({ length }) => length > 0))) {
    next = await load(job, readings, next, between.loaded);
    between = await sortPart(job, between, readings[next]?.run);
    parts++;
  }
  return parts;
}

/**
 * Sorts what is in memory, and writes the rows that go before all others. It is a function of its own so that
 * nothing of a part is in memory when the next one is read.
 *
 * @param bounding the run whose last row in memory goes before all rows that were not read; undefined if all
 *   were read.
 */
async function sortPart(
  job: MergeJob,
  { loaded, last }: Between,
  bounding: number | undefined,
): Promise<Between> {
  const { clock, writer } = job;
  const first = last ? 1 : 0;
  const starts = startsOf(loaded, first);
  const rowCount = starts.at(-1)!;
  const columns = joined([...(last ? [last] : []), ...loaded.flat()], loaded);
  const { rows, isEqual } = await clock.time("sort", 0, () =>
    orderRows(columns, job.keys, rowCount, job.argsort),
  );
  if (job.verify) requireOnce(rows, rowCount);
  if (last && rows[0] !== 0) throw sortedWrongly("its parts are not in order");
  const end = bounding === undefined ? rowCount : rows.indexOf(starts[bounding + 1]! - 1) + 1;
  if (end <= first) throw sortedWrongly("a part of it has no end");
  const all = rows.subarray(first, end);
  const isNew = (row: number, i: number) => first + i === 0 || !isEqual(rows[first + i - 1]!, row);
  const kept = (job.unique ? all.filter(isNew) : all).subarray(0, job.head - writer.rows);
  await clock.time("write", 0, () => writer.add(columns, kept, last ? 0 : undefined));
  const tail = rows.subarray(end - 1, end);
  return {
    loaded: restOf(columns, rows.subarray(end), starts),
    last: columns.map((column) => take(column, tail)),
  };
}

/** The memory that a run's largest block takes. */
function costOf(blocks: readonly Block[]): number {
  return blocks.reduce((most, { bytes, rows }) => Math.max(most, bytesToSort(bytes, rows)), 0);
}

/** The blocks of all runs in the order in which they are needed. */
async function readingsOf({ runs, keys, like, argsort }: MergeJob): Promise<Reading[]> {
  const keyColumns = keys.map(({ place }) => like[place]!);
  const lasts = joinTables(runs.map((run) => unpackColumns(run.lasts, keyColumns)));
  const count = lasts[0]!.length;
  const { rows } = await orderRows(
    lasts,
    keys.map((key, place) => ({ ...key, place })),
    count,
    argsort,
  );
  const ranks = new Uint32Array(count);
  rows.forEach((row, rank) => {
    ranks[row] = rank;
  });
  let start = 0;
  const readings = runs.flatMap(({ blocks }, run) => {
    const some = blocks.map(
      (block, i): Reading => ({ run, block, after: i === 0 ? -1 : ranks[start + i - 1]! }),
    );
    start += blocks.length;
    return some;
  });
  return readings.sort((a, b) => a.after - b.after);
}

/**
 * Reads blocks as far as the memory goes: the first ones of all runs, and later at least one, so that the merge
 * goes on.
 *
 * @returns the number of blocks that were read up to now.
 */
async function load(
  job: MergeJob,
  readings: readonly Reading[],
  from: number,
  loaded: Loaded,
): Promise<number> {
  let [rows, bytes] = [1, 0];
  for (const table of loaded.flat()) {
    rows += table[0]!.length;
    bytes += packedBytes(table);
  }
  let next = from;
  for (; next < readings.length; next++) {
    const { block, after, run } = readings[next]!;
    const isNeeded = after < 0 || next === from;
    if (!isNeeded && bytesToSort(bytes + block.bytes, rows + block.rows) > job.budget) break;
    loaded[run]!.push(await job.file.read(block, job.like));
    bytes += block.bytes;
    rows += block.rows;
  }
  return next;
}

/** Where the rows of each run begin once all are joined, and where those of the last one end. */
function startsOf(loaded: Loaded, first: number): number[] {
  const starts = [first];
  for (const tables of loaded)
    starts.push(tables.reduce((end, [column]) => end + column!.length, starts.at(-1)!));
  return starts;
}

/**
 * Joins tables column by column. It lets go of each piece, so that only one column is in memory twice.
 *
 * @param loaded what else holds the tables; it is emptied.
 */
function joined(tables: Column[][], loaded: Loaded): Column[] {
  loaded.length = 0;
  const columns: Column[] = [];
  while (tables[0]!.length > 0) columns.push(joinColumns(tables.map((table) => table.shift()!)));
  return columns;
}

/** Takes the rows of each run that were not written, which are its last ones. */
function restOf(columns: readonly Column[], rest: Uint32Array, starts: readonly number[]): Loaded {
  const counts = starts.slice(1).map(() => 0);
  const runOf = (row: number) => starts.findLastIndex((start) => start <= row);
  for (const row of rest) counts[runOf(row)]!++;
  const isLast = (row: number) => row >= starts[runOf(row) + 1]! - counts[runOf(row)]!;
  if (!rest.every(isLast)) throw sortedWrongly("the rows of a run are not in order");
  return counts.map((count, run) => {
    if (count === 0) return [];
    const rows = Uint32Array.from({ length: count }, (_, i) => starts[run + 1]! - count + i);
    return [columns.map((column) => take(column, rows))];
  });
}
