import type { PhaseClock } from "../core/streams/phase_clock.js";
import type { Column } from "./column.js";
import { comparing } from "./compare.js";
import { joinColumns, joinTables } from "./join.js";
import type { Argsort } from "./key_codes.js";
import { bytesToSort, requireMemory } from "./memory.js";
import { type Key, orderRows } from "./order.js";
import { packedBytes } from "./pack.js";
import { type Run, RunReader } from "./runs.js";
import { take } from "./take.js";
import { requireOnce, sortedWrongly, type TableWriter } from "./write_table.js";

/** What a merge takes and gives. */
export interface MergeJob {
  readonly runs: readonly Run[];
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

/** A run that is not read to its end. */
interface Open {
  /** The run's number. */
  readonly run: number;
  readonly reader: RunReader;
  /** The key columns of the last row that was read; undefined before the first block. */
  readonly last: Column[] | undefined;
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
 * threads or a device, and JavaScript compares rows only to check the order and to choose what is read next. Rows
 * with equal keys stay in the order of their runs.
 *
 * The block that is needed next is that of the run whose last row in memory is the least (forecasting; D. E.
 * Knuth, "The Art of Computer Programming", vol. 3, 5.4.6).
 *
 * @returns the number of parts.
 * @throws InputError if not even one block of each run fits in memory; VerifyError if a part was sorted
 *   wrongly, or if the temporary file changed.
 */
export async function mergeRuns(job: MergeJob): Promise<number> {
  const { runs, writer, head, like } = job;
  const needed = runs.reduce((sum, { blockCost }) => sum + blockCost, 0);
  requireMemory(`${job.name} in ${runs.length} runs`, needed, job.budget, "sort the table in parts");
  let open: Open[] = runs.map((run, i) => ({ run: i, reader: new RunReader(run, like), last: undefined }));
  let between: Between = { loaded: runs.map(() => []), last: undefined };
  let parts = 0;
  while (writer.rows < head && (open.length > 0 || between.loaded.some(({ length }) => length > 0))) {
    open = await load(job, open, between.loaded);
    between = await sortPart(job, between, open[0]?.run);
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

/**
 * Reads blocks as far as the memory goes: the first ones of all runs, and later at least one, so that the merge
 * goes on.
 *
 * @param open in the order in which their next blocks are needed.
 * @returns the runs that are not read to their end, in this order.
 */
async function load(job: MergeJob, open: readonly Open[], loaded: Loaded): Promise<Open[]> {
  let [rows, bytes] = [1, 0];
  for (const table of loaded.flat()) {
    rows += table[0]!.length;
    bytes += packedBytes(table);
  }
  const isBefore = orderOfRuns(job);
  const waiting = [...open];
  for (let isNeeded = true; waiting.length > 0; isNeeded = waiting[0]?.last === undefined) {
    const { run, reader } = waiting[0]!;
    const { bytes: more, rows: moreRows } = reader.next!;
    if (!isNeeded && bytesToSort(bytes + more, rows + moreRows) > job.budget) break;
    const block = await reader.read();
    loaded[run]!.push(block);
    bytes += more;
    rows += moreRows;
    waiting.shift();
    if (reader.next) insert(waiting, { run, reader, last: lastOf(block, job.keys) }, isBefore);
  }
  return waiting;
}

/** Copies the keys of a table's last row. The values of the table may lie anywhere in their buffers. */
function lastOf(table: readonly Column[], keys: readonly Key[]): Column[] {
  return keys.map(({ place }) => {
    const column = joinColumns([table[place]!]);
    return take(column, Uint32Array.of(column.length - 1));
  });
}

type IsBefore = (a: Open, b: Open) => boolean;

/** Which of two runs is needed first. Those of which nothing was read are, in any order. */
function orderOfRuns({ keys }: MergeJob): IsBefore {
  const own = keys.map((key, place) => ({ ...key, place }));
  return (a, b) => {
    if (!a.last || !b.last) return !a.last;
    const order = comparing(joinTables([a.last, b.last]), own)(0, 1);
    return order < 0 || (order === 0 && a.run < b.run);
  };
}

/** Inserts a run among others that are in order. */
function insert(waiting: Open[], one: Open, isBefore: IsBefore): void {
  let [low, high] = [0, waiting.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(waiting[middle]!, one)) low = middle + 1;
    else high = middle;
  }
  waiting.splice(low, 0, one);
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
  const isLeft = new Uint8Array(starts.at(-1)!);
  for (const row of rest) isLeft[row] = 1;
  let found = 0;
  const tables = starts.slice(1).map((end, run) => {
    let from = end;
    while (from > starts[run]! && isLeft[from - 1] === 1) from--;
    const count = end - from;
    found += count;
    if (count === 0) return [];
    const rows = Uint32Array.from({ length: count }, (_, i) => from + i);
    return [columns.map((column) => take(column, rows))];
  });
  if (found !== rest.length) throw sortedWrongly("the rows of a run are not in order");
  return tables;
}
