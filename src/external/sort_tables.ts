import { elementType } from "../core/elements.js";
import { InputError } from "../core/errors.js";
import { keyItem } from "../core/items/item.js";
import { namesOfAll } from "../core/names.js";
import { totalBytes } from "../core/streams/byte_stream.js";
import { PhaseClock, timedPhase } from "../core/streams/phase_clock.js";
import { ProgressMeter } from "../core/streams/progress.js";
import type { OutputFile } from "../files/output_file.js";
import { createTemporary } from "../files/temporary.js";
import type { FormatTools, Style } from "../formats/format.js";
import { type Chunk, TableChunks } from "../tables/chunks.js";
import type { TaskRunner } from "../tables/codec_tasks.js";
import type { TableFormatName } from "../tables/format_name.js";
import { type OpenedTables, openTables, type TableFile } from "../tables/open_tables.js";
import { type Key, orderRows, wantedRows } from "../tables/order.js";
import { isTableFormat, tableFormat, tableFormatOfPath } from "../tables/registry.js";
import { numberColumn, numberRows } from "../tables/row_numbers.js";
import { keysOf } from "../tables/schema.js";
import { sortOutOfCore } from "../tables/sort_out_of_core.js";
import { type RowSink, requireOnce, TableWriter, tableRows } from "../tables/write_table.js";
import type { ExternalReport } from "./external_sort.js";
import { defaultMemoryBytes } from "./memory.js";
import { requireTableOfName, requireTypeOfName } from "./output_names.js";
import { openFile, openOutput, type SortOutput, temporaryFolder } from "./outputs.js";
import type { SortFileOptions } from "./sort_options.js";
import { spoolTables } from "./spool_tables.js";
import { openTableEngine, type TableEngine } from "./table_engine.js";
import { refuseOptions } from "./table_options.js";
import { tableTasks } from "./table_tasks.js";

/** What a sort of tables reports. */
interface TableReport extends ExternalReport {
  readonly input: string;
  readonly output: string;
  readonly type: string;
  readonly itemBytes: number;
  readonly bytes: number;
  readonly descending: boolean;
  readonly by: string;
}

/**
 * Sorts the rows of tables by some of their columns. Several inputs are sorted as one. What does not fit in
 * memory is sorted out of core.
 *
 * @throws as `sortFile` does.
 */
export async function sortTables(
  found: readonly TableFile[],
  output: SortOutput,
  options: SortFileOptions,
  tools: FormatTools,
): Promise<TableReport> {
  const begin = performance.now();
  const files = [...found];
  const clock = new PhaseClock();
  const progress = new ProgressMeter(options.onProgress);
  const { descending = false, argsort = false, signal } = options;
  const budget = options.memoryBytes ?? defaultMemoryBytes();
  const tasks = tableTasks(options.threads, budget);
  try {
    refuseOptions(files, options);
    const temporary = temporaryFolder(output, options.tempDir);
    progress.enter("reading");
    await spoolTables(files, temporary);
    const tables = await openTables(files, budget, tasks);
    const keys = keysOf(tables.schema, options.by ?? [], descending);
    requireName(
      output,
      tables.style.format,
      options,
      files.map(({ file }) => file.name),
    );
    const written: Context["written"] = {
      file: await openFile(output, options.replace ?? true, {
        readBack: options.verify === "full",
        inputs: files.flatMap(({ file }) => file.stats ?? []),
      }),
    };
    try {
      // Indices depend on the keys alone.
      const places = argsort ? keys.map(({ place }) => place) : tables.schema.fields.map((_, place) => place);
      const chunks = new TableChunks(tables, budget, places);
      const first = await clock.time("read", 0, () => chunks.next(0));
      signal?.throwIfAborted();
      progress.enter("sorting");
      const engine = await openTableEngine(options, first.rowCount, strategyOf(first));
      const sorted = await sortedBy(engine, () => {
        const chosen = argsort ? keys.map((key, place) => ({ ...key, place })) : keys;
        const context = {
          ...{ tables, chunks, places, chosen, keys, budget, temporary, output },
          written,
          options,
          tools,
          tasks,
          clock,
          progress,
        };
        return first.isLast ? sortAtOnce(first, engine, context) : sortInRuns(first, engine, context);
      });
      const lastCheck = async () => {
        for (const { file } of files) await file.checkUnchanged();
        signal?.throwIfAborted();
      };
      await lastCheck();
      progress.enter("finishing the output");
      const publishing = performance.now();
      await written.file.publish(lastCheck);
      const end = performance.now();
      const phases = [...clock.phases(), timedPhase("publish", publishing, end)];
      const { rowCount, bytes } = chunks;
      return {
        input: namesOfAll(files.map(({ file }) => file.name)),
        output: written.file.name,
        type: "row",
        itemBytes: rowCount === 0 ? 0 : bytes / rowCount,
        bytes,
        descending,
        by: keys.map(keyText).join(", "),
        device: engine.device,
        algorithm: "radix",
        keyCount: rowCount,
        ...sorted,
        verified: options.verify !== false,
        phases: options.intervals ? phases : phases.map(({ intervals: _, ...phase }) => phase),
        gpuMs: undefined,
        gpuClock: undefined,
        totalMs: end - begin,
      };
    } catch (error) {
      await tasks.close();
      await written.sink?.stop();
      await written.file.discard();
      throw error;
    }
  } finally {
    await tasks.close();
    for (const { file } of files) await file.close();
  }
}

/** The numbers of rows. */
const numberItem = keyItem(elementType("u32"));
const numberStyle: Style = { format: "raw", byteOrder: "little" };

const strategyOf = ({ isLast, rowCount }: Chunk) =>
  isLast
    ? ({ kind: "indices at once", itemCount: rowCount } as const)
    : ({ kind: "rows out of core" } as const);

async function sortedBy<T>(engine: TableEngine, sort: () => Promise<T>): Promise<T> {
  try {
    return await sort();
  } finally {
    engine.close();
  }
}

/** What the two ways to sort a table share. */
interface Context {
  readonly tables: OpenedTables;
  readonly chunks: TableChunks;
  /** The columns of the chunks, by their places in the table. */
  readonly places: readonly number[];
  /** The keys, by their places in the chunks. */
  readonly chosen: readonly Key[];
  /** The keys, by their places in the table. */
  readonly keys: readonly Key[];
  readonly budget: number;
  /** The folder for temporary files. */
  readonly temporary: string;
  readonly output: SortOutput;
  /** The open output. A format may put another file before it. */
  readonly written: { file: OutputFile; sink?: RowSink };
  readonly options: SortFileOptions;
  readonly tools: FormatTools;
  readonly tasks: TaskRunner;
  readonly clock: PhaseClock;
  readonly progress: ProgressMeter;
}

/** How many rows were written, and how they were sorted out of core. */
type Sorted = Pick<TableReport, "written" | "external">;

const nameOf = ({ files }: OpenedTables) => files.map(({ file }) => file.name).join(", ");

async function sortAtOnce(
  { columns, rowCount }: Chunk,
  { argsort }: TableEngine,
  context: Context,
): Promise<Sorted> {
  const { tables, chosen, options, clock, progress } = context;
  const { unique = false, head = Number.POSITIVE_INFINITY, signal, verify } = options;
  const order = await clock.time("sort", 0, () => orderRows(columns, chosen, rowCount, argsort));
  signal?.throwIfAborted();
  const rows = wantedRows(order, unique, head);
  if (verify !== false) requireOnce(rows, rowCount);
  progress.enter("writing");
  await clock.time("write", 0, async () => {
    if (options.argsort) columns.push(numberColumn(0, rowCount, nameOf(tables)));
    const checks = verify === false ? undefined : { keys: chosen, unique };
    const sink = await openRows(context, rows.length);
    const writer = new TableWriter(sink, checks, () => signal?.throwIfAborted());
    await writer.addLast(columns, rows);
  });
  return { written: rows.length };
}

async function sortInRuns(first: Chunk, { argsort }: TableEngine, context: Context): Promise<Sorted> {
  const { tables, chunks, places, chosen, options, budget, temporary, clock, progress } = context;
  const { unique = false, head = Number.POSITIVE_INFINITY, signal } = options;
  const keepsAll = !unique && head === Number.POSITIVE_INFINITY && !options.argsort;
  progress.enter("writing runs");
  const { written, parts, ...external } = await sortOutOfCore(
    {
      ...{ chunks, places, unique, head, argsort, budget, clock, signal },
      schema: tables.schema,
      keys: chosen,
      numbered: options.argsort ?? false,
      verify: options.verify !== false,
      name: nameOf(tables),
      bytes: keepsAll ? totalBytes(tables.files.map((one) => one.file)) : undefined,
      createFile: (bytes) => createTemporary(temporary, bytes),
      openSink: (rows) => {
        progress.enter("writing");
        return openRows(context, unique ? undefined : Math.min(rows, head));
      },
    },
    first,
  );
  return { written, external: { ...external, copiedBuckets: 0, buckets: parts } };
}

/** Opens what the rows are written to, or their numbers. @param rowCount undefined if it is not known. */
async function openRows(context: Context, rowCount: number | undefined): Promise<RowSink> {
  const { tables, chunks, output, written, options, tools, tasks, keys } = context;
  const { schema, style } = tables;
  if (!options.argsort) {
    const format = await tableFormat(formatOf(output, options, style.format)).load();
    const bytes = chunks.bytes * ((rowCount ?? chunks.rowCount) / Math.max(1, chunks.rowCount));
    const shape = { schema, like: style, bytes, order: keys };
    written.sink = await tableRows(await format.write(written.file, shape, tasks));
    return written.sink;
  }
  if (isTableFormat(options.to)) {
    throw new InputError(`indices cannot be written as ${options.to}`, {
      hint: "write them as raw, npy or text",
      options: ["to", "argsort"],
    });
  }
  const { file, sink } = await openOutput(written.file, numberItem, numberStyle, rowCount, options, {
    tools,
  });
  written.file = file;
  written.sink = numberRows(sink);
  return written.sink;
}

/** @throws InputError if the name of the output promises something else than its rows or their numbers. */
function requireName(
  output: SortOutput,
  input: TableFormatName,
  options: SortFileOptions,
  inputs: readonly string[],
): void {
  if (options.argsort) requireTypeOfName(output, numberItem, numberStyle, options);
  else requireTableOfName(output, formatOf(output, options, input), { to: options.to, inputs });
}

/** The format of the output: as it is named, else that of its extension, else that of the input. */
function formatOf(output: SortOutput, { to }: SortFileOptions, input: TableFormatName): TableFormatName {
  if (to === undefined) return (typeof output === "string" && tableFormatOfPath(output)?.name) || input;
  if (isTableFormat(to)) return to;
  throw new InputError(`a table cannot be written as ${to}`, {
    hint: "write it as Arrow or Parquet",
    options: ["to"],
  });
}

const keyText = ({ name, descending, nullsFirst }: Key) =>
  `${name}${descending ? " descending" : ""}${nullsFirst ? ", nulls first" : ""}`;
