import { elementType } from "../core/elements.js";
import type { SortReport } from "../core/engines/engine.js";
import { InputError } from "../core/errors.js";
import { keyItem } from "../core/items/item.js";
import { namesOfAll } from "../core/names.js";
import { Sorter } from "../core/sorter/sorter.js";
import { type Phase, type PhaseName, timedPhase } from "../core/streams/phase_clock.js";
import { ProgressMeter } from "../core/streams/progress.js";
import type { OutputFile } from "../files/output_file.js";
import type { FormatTools } from "../formats/format.js";
import { openFastest } from "../profile/open.js";
import type { TableFormatName } from "../tables/format.js";
import { type Key, orderRows, type RowOrder } from "../tables/order.js";
import { limitsOf, openTables, readTable, type Table, type TableFile } from "../tables/read_table.js";
import { isTableFormat, tableFormat, tableFormatOfPath } from "../tables/registry.js";
import { keysOf } from "../tables/schema.js";
import { writeRows } from "../tables/write_table.js";
import { defaultMemoryBytes } from "./memory.js";
import { openFile, openOutput, type SortOutput } from "./outputs.js";
import type { SortFileOptions } from "./sort_options.js";
import { refuseOptions } from "./table_options.js";

/** What a sort of tables reports. */
interface TableReport extends SortReport {
  readonly input: string;
  readonly output: string;
  readonly type: string;
  readonly itemBytes: number;
  readonly bytes: number;
  readonly descending: boolean;
  readonly by: string;
}

/**
 * Sorts the rows of tables by some of their columns. Several inputs are sorted as one. A table must fit in
 * memory.
 *
 * @throws as `sortFile` does.
 */
export async function sortTables(
  files: readonly TableFile[],
  output: SortOutput,
  options: SortFileOptions,
  tools: FormatTools,
): Promise<TableReport> {
  const begin = performance.now();
  const phases: Phase[] = [];
  const progress = new ProgressMeter(options.onProgress);
  const { descending = false, unique = false, head = Number.POSITIVE_INFINITY, argsort, signal } = options;
  refuseOptions(files, options);
  try {
    const names = files.map(({ file }) => file.name);
    const limits = limitsOf(names, options.memoryBytes ?? defaultMemoryBytes());
    progress.enter("reading");
    const opened = await openTables(files, limits);
    const keys = keysOf(opened.schema, options.by ?? [], descending);
    const target = await openFile(output, options.replace ?? true, {
      readBack: options.verify === "full",
      inputs: files.flatMap(({ file }) => file.stats ?? []),
    });
    try {
      const table = await timed(phases, "read", () => readTable(opened, files, limits));
      signal?.throwIfAborted();
      progress.enter("sorting");
      const { order, device } = await timed(phases, "sort", () => sortedRows(table, keys, options));
      signal?.throwIfAborted();
      const rows = wantedRows(order, unique, head);
      progress.enter("writing");
      await timed(phases, "write", async () => {
        if (argsort) return writeIndices(target, rows, options, tools);
        const format = await tableFormat(formatOf(output, options, opened.style.format)).load();
        const shape = { schema: table.schema, rowCount: rows.length, like: opened.style, order: keys };
        const sink = await format.write(target, shape);
        const checks = options.verify === false ? undefined : { keys, unique };
        await writeRows(table, rows, sink, checks, () => signal?.throwIfAborted());
      });
      const lastCheck = async () => {
        for (const { file } of files) await file.checkUnchanged();
        signal?.throwIfAborted();
      };
      await lastCheck();
      progress.enter("finishing the output");
      await timed(phases, "publish", () => target.publish(lastCheck));
      return {
        input: namesOfAll(names),
        output: target.name,
        type: "row",
        itemBytes: table.rowCount === 0 ? 0 : table.bytes / table.rowCount,
        bytes: table.bytes,
        descending,
        by: keys.map(keyText).join(", "),
        device,
        algorithm: "radix",
        keyCount: table.rowCount,
        written: rows.length,
        verified: options.verify !== false,
        phases: options.intervals ? phases : phases.map(({ intervals: _, ...phase }) => phase),
        gpuMs: undefined,
        gpuClock: undefined,
        totalMs: performance.now() - begin,
      };
    } catch (error) {
      await target.discard();
      throw error;
    }
  } finally {
    for (const { file } of files) await file.close();
  }
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

/** Sorts on the device that the options name, in the order of the keys. */
async function sortedRows(
  { columns, rowCount }: Table,
  keys: readonly Key[],
  options: SortFileOptions,
): Promise<{ order: RowOrder; device: string }> {
  const { engine, device = "auto", algorithm = "auto", openDevice, threads, signal } = options;
  const task = { type: elementType("u64"), keyCount: rowCount, algorithm };
  const opened = engine
    ? { ...engine, choice: { reason: "asked" } as const }
    : await openFastest(device, task, { openDevice, threads });
  try {
    options.onDecision?.({
      device: opened.engine.device,
      threads: opened.engine.threads,
      deviceChoice: opened.choice,
      shaderCache: opened.device?.shaderCache,
      notice: opened.notice,
      strategy: { kind: "indices at once", itemCount: rowCount },
    });
    const sorter = new Sorter({ engine: opened.engine });
    const verify = options.verify !== false;
    const argsort = (array: Uint32Array | BigUint64Array) => sorter.argsort(array, { verify, signal });
    return { order: await orderRows(columns, keys, rowCount, argsort), device: opened.engine.device };
  } finally {
    if (!engine) opened.engine.close();
  }
}

function wantedRows({ rows, isEqual }: RowOrder, unique: boolean, head: number): Uint32Array {
  const kept = unique ? rows.filter((row, at) => at === 0 || !isEqual(rows[at - 1]!, row)) : rows;
  return kept.subarray(0, head);
}

async function writeIndices(
  target: OutputFile,
  rows: Uint32Array,
  options: SortFileOptions,
  tools: FormatTools,
): Promise<void> {
  if (isTableFormat(options.to)) {
    throw new InputError(`indices cannot be written as ${options.to}`, {
      hint: "write them as raw, npy or text",
      options: ["to", "argsort"],
    });
  }
  const item = keyItem(elementType("u32"));
  const style = { format: "raw", byteOrder: "little" } as const;
  const { sink } = await openOutput(target, item, style, rows.length, options, { tools });
  await sink.write(new Uint8Array(rows.buffer as ArrayBuffer, rows.byteOffset, rows.byteLength), 0);
  await sink.end();
}

const keyText = ({ name, descending, nullsFirst }: Key) =>
  `${name}${descending ? " descending" : ""}${nullsFirst ? ", nulls first" : ""}`;

async function timed<T>(phases: Phase[], name: PhaseName, work: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  const result = await work();
  phases.push(timedPhase(name, begin, performance.now()));
  return result;
}
