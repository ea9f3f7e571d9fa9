import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { type Compression, splitCompression } from "../../core/compression.js";
import { elementType } from "../../core/elements.js";
import { InputError } from "../../core/errors.js";
import { keyItem } from "../../core/items/item.js";
import { PhaseClock } from "../../core/streams/phase_clock.js";
import type { ProgressMeter } from "../../core/streams/progress.js";
import type { OutputFile } from "../../files/output_file.js";
import type { FormatTools, Style } from "../../formats/format.js";
import { kindOfPath } from "../../kinds/names.js";
import type { KnownInputs } from "../inputs.js";
import { isTableFormat, requireWritable } from "../output_formats.js";
import { requireTableOfName, requireTypeOfName } from "../output_names.js";
import { type OutputOptions, openFile, openOutput, type SortOutput, temporaryFolder } from "../outputs.js";
import { publishSorted, type SortContext } from "../publish.js";
import type { SortFileOptions } from "../sort_options.js";
import type { SortSummary } from "../sort_summary.js";
import type { DuckDb } from "./duckdb.js";
import { type OpenedTable, type OpenedTables, withTables } from "./open_tables.js";
import { parquetSql } from "./parquet.js";
import { requireFaithfulOutput, type SortedTable, sortTable, type TableOutput } from "./sort_table.js";
import { type Key, pathSql, repeatedName, rowOf } from "./sql.js";

/**
 * Sorts the rows of tables by some of their columns: DuckDB sorts, and what it wrote is checked before it is
 * published. Several inputs are sorted as one.
 *
 * @throws as `sortFile` does.
 */
export async function sortTables(
  inputs: KnownInputs,
  output: SortOutput,
  options: SortFileOptions,
  { tools, progress, begin }: SortContext,
): Promise<SortSummary> {
  progress.enter("reading");
  const context = {
    readBack: options.verify === "full",
    inputs: inputs.files.flatMap(({ stats }) => stats ?? []),
  };
  // Before the folder for temporary files, which may be that of the output: an error should name the output.
  const file = await openFile(output, options.replace ?? true, context);
  return publishSorted(inputs, file, options, { progress, begin }, () =>
    withTables(inputs, options, temporaryFolder(output, options.tempDir), async (opened) => {
      const started = performance.now();
      const bytes = opened.table.paths.reduce((sum, path) => sum + path.bytes, 0);
      const sorted = await sortOpened({ ...opened, options, output, file, tools, progress, bytes });
      return {
        type: "row",
        itemBytes: sorted.keyCount === 0 ? 0 : bytes / sorted.keyCount,
        bytes,
        descending: options.descending ?? false,
        by: opened.keys.map(keyText).join(", "),
        device: "CPU",
        algorithm: "DuckDB",
        verified: options.verify !== false,
        gpuMs: undefined,
        gpuClock: undefined,
        ...sorted,
        started,
      };
    }),
  );
}

/** A sort of tables that are open. */
interface TableTask extends OpenedTables {
  readonly options: SortFileOptions;
  /** As the caller named it. */
  readonly output: SortOutput;
  readonly file: OutputFile;
  readonly tools: FormatTools;
  readonly progress: ProgressMeter;
  /** Those of the inputs. */
  readonly bytes: number;
}

async function sortOpened(task: TableTask) {
  const { duckDb, table, keys, folder, options, file, progress, bytes } = task;
  const { argsort = false, unique = false, head, onDecision } = options;
  const target = outputOf(task);
  duckDb.output = target;
  const selection = { keys, unique, head };
  const faithful = !argsort && target.format === "parquet";
  if (!argsort && !faithful) requireHeaderNames(table);
  const notices = [
    ...table.notices,
    ...(faithful ? await requireFaithfulOutput(duckDb, table, selection, folder) : []),
  ];
  onDecision?.({
    device: "CPU",
    threads: duckDb.threads,
    deviceChoice: { reason: "tables" },
    notice: notices.length === 0 ? undefined : notices.join("; "),
    strategy: { kind: "rows by DuckDB" },
  });
  progress.expect({ sorting: bytes }, ["sorting"]);
  const clock = new PhaseClock();
  const onProgress = (part: number) => progress.reach("sorting", part * bytes);
  const sort = (rows: OpenedTable, by: readonly Key[]) =>
    sortTable(duckDb, rows, { ...selection, keys: by }, target, {
      verify: options.verify !== false,
      clock,
      onProgress,
    });
  let written = file;
  let sorted: SortedTable;
  if (argsort) {
    const indexed = await withRowNumbers(duckDb, table, keys);
    sorted = await sort(indexed.table, indexed.keys);
    written = await clock.time("write", 0, () => writeIndices(task, target, indexed.table, sorted.written));
  } else {
    sorted = await sort(table, keys);
    if (file.path === undefined || options.verify === "full")
      await clock.time("write", 0, () => copyInto(file, target.path));
  }
  return { keyCount: sorted.rowCount, written: sorted.written, phases: clock.phases(), wrapped: written };
}

/** @throws InputError if DuckDB would write other names into the header of CSV. */
function requireHeaderNames({ columns, paths }: OpenedTable): void {
  const name = repeatedName(columns.map(({ name }) => name));
  if (name === undefined) return;
  throw new InputError(
    `${paths[0]!.name} has two columns ${name}, or names that differ from it in case alone`,
    {
      hint: "name the columns otherwise, for example with pyarrow: DuckDB would write another name for one of them",
    },
  );
}

const COMMA = ",".charCodeAt(0);

/** Names of codecs in DuckDB. */
const parquetCodecs = { gz: "gzip", zst: "zstd", snappy: "snappy", none: "uncompressed" } as const;
const csvCodecs: Readonly<Record<Compression | "none", string | undefined>> = {
  gz: "gzip",
  zst: "zstd",
  none: undefined,
};

/**
 * What is written, and where to: to the output, or to a file of the folder that is copied to it afterwards.
 *
 * @throws InputError if the options or the name of the output say that it is something else.
 */
function outputOf({ output, file, folder, options }: TableTask): TableOutput {
  const { to, compress, argsort = false } = options;
  const named = typeof output === "string" ? kindOfPath(output) : undefined;
  const compression = typeof output === "string" ? splitCompression(output).compression : undefined;
  requireWritable(argsort ? "indices" : "a table", to);
  if (argsort) {
    requireTypeOfName(output, numberItem, numberStyle, options);
    return { format: "parquet", path: `${folder}/indices`, name: file.name };
  }
  const format = isTableFormat(to) ? to : named?.kind === "csv" ? "csv" : "parquet";
  requireTableOfName(output, format, options);
  const path = file.path === undefined ? `${folder}/output` : resolve(file.path);
  if (format === "csv") {
    if (compress === "snappy")
      throw notPacked(file.name, "would be CSV, and snappy is a codec of Parquet", "use gz or zst");
    const codec = csvCodecs[compress ?? compression ?? "none"];
    return {
      format,
      path,
      name: file.name,
      codec,
      separator: String.fromCharCode(named?.separator ?? COMMA),
    };
  }
  if (compression) {
    const hint = `name it without .${compression}: the option is the codec of its columns`;
    throw notPacked(file.name, "would be a Parquet file, which is not compressed as a whole", hint);
  }
  return { format, path, name: file.name, codec: compress && parquetCodecs[compress] };
}

function notPacked(name: string, what: string, hint: string): InputError {
  return new InputError(`${name} ${what}`, { hint, options: ["output", "compress"] });
}

/** The numbers of rows. */
const numberItem = keyItem(elementType("u32"));
const numberStyle: Style = { format: "raw", byteOrder: "little" };
const rowNumbers = { item: numberItem, like: numberStyle };

/**
 * Writes the numbers of the sorted rows, which are the last column of a table.
 *
 * @returns the output, as wrapped.
 */
async function writeIndices(
  { duckDb, options, output, file: opened, tools }: TableTask,
  { path }: TableOutput,
  { columns }: OpenedTable,
  count: number,
): Promise<OutputFile> {
  const name = typeof output === "string" ? output : "";
  const { kind } = kindOfPath(name) ?? {};
  const style = {
    compress: options.compress ?? splitCompression(name).compression,
    to: options.to ?? (kind === "lines" || kind === "csv" ? "text" : kind),
  };
  const { file, sink } = await openOutput(
    opened,
    { ...rowNumbers, itemCount: count },
    style as OutputOptions,
    { tools },
  );
  let written = 0;
  for await (const values of duckDb.column(lastColumnSql(path, columns.length))) {
    const numbers = Uint32Array.from(values as ArrayLike<bigint>, Number);
    await sink.write(new Uint8Array(numbers.buffer), written);
    written += numbers.byteLength;
  }
  await sink.end();
  return file;
}

const PIECE_BYTES = 1 << 20;

/**
 * Writes what a file holds to an output, which may be the same file: its bytes are then read back at the end.
 */
async function copyInto(output: OutputFile, path: string): Promise<void> {
  const file = await open(path);
  try {
    const piece = new Uint8Array(PIECE_BYTES);
    for (let offset = 0; ; ) {
      const { bytesRead } = await file.read(piece, 0, piece.length, offset);
      if (bytesRead === 0) return;
      await output.write(piece.subarray(0, bytesRead), offset);
      offset += bytesRead;
    }
  } finally {
    await file.close();
  }
}

const keyText = ({ name, descending, nullsFirst }: Key) =>
  `${name}${descending ? " descending" : ""}${nullsFirst ? ", nulls first" : ""}`;

/** The most rows whose numbers fit 32 bits. */
const MOST_INDICES = 2 ** 32;

/**
 * Makes a table of the keys of another one, and of the number of each row in all of its inputs, from 0, which
 * is the last column.
 */
async function withRowNumbers(duckDb: DuckDb, table: OpenedTable, keys: readonly Key[]) {
  const index = table.parquet ? await indexSql(duckDb, table) : "t.file_row_number";
  const columns = [...keys, { name: "index", type: "BIGINT" }];
  const values = [...keys.map(({ place }) => rowOf("t")(place)), index].map(
    (value, i) => `${value} AS c${i}`,
  );
  const from = `(SELECT ${values.join(", ")}, ${table.parquet ? "t.file_index, " : ""}t.file_row_number FROM ${table.from}) AS t`;
  const renumbered = keys.map((key, place) => ({ ...key, place }));
  const named = columns.map(({ type }, place) => ({ name: `c${place}`, type }));
  return { table: { ...table, from, columns: named, parquet: undefined }, keys: renumbered };
}

/** The rows of all files before that of a row, and its number in its own. */
async function indexSql(duckDb: DuckDb, { paths }: OpenedTable): Promise<string> {
  const starts: number[] = [0];
  for (const { path } of paths) {
    const [row] = await duckDb.rows<[string]>(`SELECT num_rows FROM parquet_file_metadata(${pathSql(path)})`);
    starts.push(starts.at(-1)! + Number(row![0]));
  }
  if (starts.at(-1)! > MOST_INDICES) {
    throw new InputError(`the numbers of ${starts.at(-1)} rows do not fit 32 bits`, {
      hint: "sort the rows themselves",
      options: ["argsort"],
    });
  }
  return `[${starts.join(", ")}][(t.file_index + 1)::BIGINT] + t.file_row_number`;
}

/** The statement that gives the last column of a Parquet file. @param count how many columns it has. */
const lastColumnSql = (path: string, count: number): string =>
  `SELECT ${rowOf("t")(count - 1)} FROM ${parquetSql([path], count)}`;
