import { promises as fs } from "node:fs";
import { dirname, resolve } from "node:path";
import { InputError } from "../../core/errors.js";
import type { InputFile } from "../../files/input_file.js";
import { sameInode } from "../../files/same_file.js";
import { makePrivateFolder, unusable } from "../../files/temporary/temporary.js";
import { type CsvSample, readCsvSample } from "../../formats/csv.js";
import { requireHeader, requireSameColumns } from "../../formats/csv_order.js";
import { columnHint, columnNumber, columnWords, type SortColumn } from "../../formats/sort_column.js";
import { requireParquet, skipByteOrderMark } from "../../kinds/content.js";
import { usableThreads } from "../../threads/count.js";
import type { KnownInputs } from "../inputs.js";
import { defaultMemoryBytes } from "../memory.js";
import { csvHeaderNotice } from "../order_of_inputs.js";
import type { TableKind } from "../output_formats.js";
import type { SortFileOptions } from "../sort_options.js";
import { mostLineBytes, openCsv } from "./csv_tables.js";
import { DuckDb, TO_UTF8 } from "./duckdb.js";
import { openJson } from "./json_tables.js";
import { openParquet, type ParquetSource, type TablePath } from "./parquet.js";
import { CsvRewriter, type PlainLines, plainLinesOf } from "./rewrite_csv.js";
import { isName, isSortable, type Key, repeatedName, type Source } from "./sql.js";

/** Open files that DuckDB reads. */
export type TableFiles = Pick<KnownInputs, "files" | "table">;

/** Tables as DuckDB has them. */
export interface OpenedTables {
  readonly duckDb: DuckDb;
  readonly table: OpenedTable;
  /** The columns to sort by. */
  readonly keys: readonly Key[];
  /** A folder for temporary files, which is removed afterwards. */
  readonly folder: string;
}

/**
 * Opens tables of some open files by DuckDB, and uses them.
 *
 * @param within the folder for temporary files.
 * @throws InputError if no columns of text are named, if DuckDB is not installed, or if a file cannot be read.
 */
export async function withTables<T>(
  { files, table: kind = "parquet" }: TableFiles,
  options: SortFileOptions,
  within: string,
  use: (opened: OpenedTables) => Promise<T>,
): Promise<T> {
  const [{ name }] = files as [(typeof files)[number]];
  if (kind !== "parquet" && !options.by?.length) throw unnamedColumns(name);
  const made = await makePrivateFolder(within);
  // DuckDB takes a path that begins with ~ or s3:// for one of another place, so all that it gets are absolute.
  const folder = resolve(made.path);
  let duckDb: DuckDb | undefined;
  try {
    const { by, descending = false, memoryBytes = defaultMemoryBytes() } = options;
    const header = options.header ?? by?.some((one) => columnNumber(one) === undefined) ?? false;
    const style = { header, memoryBytes, separator: options.rows?.separator };
    const paths = await pathsOf(files, kind, folder, style);
    duckDb = await DuckDb.open({
      memoryBytes,
      threads: usableThreads(options.threads),
      folder,
      signal: options.signal,
      names: new Map(paths.map((one) => [one.path, one.name])),
    });
    const table = await openTable(duckDb, kind, paths, header);
    return await use({ duckDb, table, keys: tableKeys(table, by, descending, name), folder });
  } finally {
    await duckDb?.close();
    await made.remove();
  }
}

const PIECE_BYTES = 1 << 20;
const LINE_FEED = 10;

/** A file that DuckDB reads. */
interface TableInput extends TablePath {
  /** Of CSV: its first records, its lines, and whether they are plain. */
  readonly csv?: { readonly sample: CsvSample; readonly lines: PlainLines; readonly isPlain: boolean };
}

/** How CSV is read. */
interface CsvStyle {
  readonly header: boolean;
  readonly memoryBytes: number;
  /** The byte between two fields. Default: found in the first rows. */
  readonly separator: number | undefined;
}

/**
 * Finds paths of inputs that DuckDB can read in any order. What is a stream, or CSV that it would read
 * otherwise, is copied to a folder.
 *
 * @throws InputError if an input cannot be read, or is not what its kind says.
 */
async function pathsOf(
  files: readonly InputFile[],
  kind: TableKind,
  folder: string,
  style: CsvStyle,
): Promise<TableInput[]> {
  const paths: TableInput[] = [];
  for (const [i, input] of files.entries()) {
    const { name } = input;
    const copy = `${folder}/input-${i}`;
    if (kind === "csv") {
      paths.push(await csvPath(input, copy, style, firstSample(paths)));
      continue;
    }
    if (kind === "parquet") await requireParquet(input);
    // DuckDB reads no JSON that begins with a byte order mark.
    const hadMark = kind === "json" && (await skipByteOrderMark(input));
    const path = (input.read && !hadMark ? await ownPath(input) : undefined) ?? (await copyOf(input, copy));
    paths.push({ path, name, bytes: (await fs.stat(path)).size });
  }
  return paths;
}

/** The first records of the first file of CSV that has some. An empty file fits all others. */
const firstSample = (paths: readonly TableInput[]) =>
  paths.find(({ csv }) => csv?.sample.records.length)?.csv?.sample;

/**
 * The path of a file of CSV as DuckDB gets it.
 *
 * @param first the first records of the inputs before it.
 * @throws InputError if its columns are not those of the inputs before it, if it has no header where one must be,
 *   or as a `CsvRewriter` does.
 */
async function csvPath(
  input: InputFile,
  copy: string,
  { header, memoryBytes, separator }: CsvStyle,
  first: CsvSample | undefined,
): Promise<TableInput> {
  const { name } = input;
  const known = separator ?? first?.separator;
  const sample = await readCsvSample(input, known === undefined ? {} : { separator: known });
  if (header) requireHeader(sample);
  if (header && first) requireSameColumns(first, sample);
  const own = input.read && sample.terminator === LINE_FEED ? await ownPath(input) : undefined;
  const lines = own === undefined ? undefined : await plainLinesOf(own);
  const style = {
    name,
    separator: sample.separator,
    terminator: sample.terminator,
    columns: (first ?? sample).records[0]?.fields.length ?? 1,
    rowBytes: mostLineBytes(memoryBytes),
  };
  const rewriter = new CsvRewriter(style);
  const path =
    own !== undefined && lines
      ? own
      : await copyOf(input, copy, (piece, isLast) => rewriter.rewrite(piece, isLast));
  const isPlain = lines !== undefined;
  return {
    path,
    name,
    bytes: (await fs.stat(path)).size,
    csv: { sample, lines: lines ?? rewriter.lines, isPlain },
  };
}

/** The path of a file that has its name; undefined for a descriptor, and for a stream. */
async function ownPath({ name, stats }: InputFile): Promise<string | undefined> {
  if (!stats?.isFile()) return undefined;
  const now = await fs.stat(name, { bigint: true }).catch(() => undefined);
  return now && sameInode(stats, now) ? resolve(name) : undefined;
}

/**
 * Copies an input to a file.
 *
 * @param rewrite gives what is written instead of a piece of it, and whether that is the last one.
 */
async function copyOf(
  input: InputFile,
  path: string,
  rewrite: (piece: Uint8Array, isLast: boolean) => Uint8Array = (piece) => piece,
): Promise<string> {
  const file = await fs.open(path, "wx", 0o600);
  try {
    const piece = new Uint8Array(PIECE_BYTES);
    for (let count = PIECE_BYTES; count === PIECE_BYTES; ) {
      count = await input.next(piece);
      const written = rewrite(piece.subarray(0, count), count < PIECE_BYTES);
      await file.appendFile(written).catch((cause) => {
        throw unusable(dirname(dirname(path)), cause);
      });
    }
  } finally {
    await file.close();
  }
  return path;
}

/** A table, and what the user must be told of how it is read. */
export interface OpenedTable extends Source {
  readonly paths: readonly TablePath[];
  readonly parquet: ParquetSource | undefined;
  readonly notices: readonly string[];
}

/**
 * Opens files of one kind and of the same columns, as one table.
 *
 * @param header whether the first row of CSV is the names of its columns.
 * @throws InputError if one cannot be read, or has other columns than the first.
 */
async function openTable(
  duckDb: DuckDb,
  kind: TableKind,
  paths: readonly TableInput[],
  header: boolean,
): Promise<OpenedTable> {
  if (kind === "parquet") {
    const parquet = await openParquet(duckDb, paths);
    return { ...parquet, paths, parquet };
  }
  const source = kind === "csv" ? await csvSource(duckDb, paths, header) : await openJson(duckDb, paths);
  const types = source.columns.map(({ name, type }) => `${name} ${type}`).join(", ");
  const first = header ? undefined : firstSample(paths);
  const notices = [first && csvHeaderNotice(first), `the columns are read so: ${types}`];
  return { ...source, paths, parquet: undefined, notices: notices.filter((notice) => notice !== undefined) };
}

async function csvSource(duckDb: DuckDb, paths: readonly TableInput[], header: boolean): Promise<Source> {
  const first = firstSample(paths);
  if (!first) throw new InputError(`${paths[0]!.name} has no columns`, { hint: "sort files that have some" });
  const { fields } = first.records[0]!;
  const names = header ? fields : fields.map((_, i) => `column${i + 1}`);
  // What is not UTF-8 was read as this character, and would be written so.
  const unread = names.find((name) => name.includes("\u{fffd}"));
  if (unread !== undefined)
    throw new InputError(`${first.name}: the name of the column '${unread}' is not UTF-8`, { hint: TO_UTF8 });
  const wrong = repeatedName(names) ?? names.find((name) => !isName(name));
  if (wrong !== undefined) {
    throw new InputError(
      `${first.name}: a column has no name, a zero byte in it, or the same as another one: '${wrong}'`,
      { hint: "give each column a name of its own: Parquet needs them" },
    );
  }
  const all = paths.map(({ csv }) => csv!);
  const rows = all.map(({ lines: { lines, blank } }) => {
    const own = names.length === 1 ? lines + blank : lines;
    return header ? Math.max(0, own - 1) : own;
  });
  const source = await openCsv(duckDb, paths, {
    header,
    names,
    isPlain: all.every(({ isPlain }) => isPlain),
    separator: String.fromCharCode(first.separator),
    memoryBytes: duckDb.memoryBytes,
  });
  return { ...source, rowCount: rows.reduce((sum, count) => sum + count, 0) };
}

/**
 * Finds the columns to sort by.
 *
 * @param reverse whether all directions are turned around.
 * @throws InputError if there is no such column, or if it has no order.
 */
function tableKeys(
  { columns }: Source,
  by: readonly SortColumn[] | undefined,
  reverse: boolean,
  file: string,
): Key[] {
  const names = columns.map(({ name }) => name);
  if (!by?.length) throw unnamedColumns(file, names);
  return by.map((sorted) => {
    const { column, descending = false, nulls = "last", type, ignoreCase = false } = sorted;
    const place = placeOf(names, sorted);
    const own = columns[place]!;
    if (ignoreCase) {
      throw new InputError(
        `the column ${column} cannot be compared without regard to case: it is in a table`,
        {
          hint: "leave that out; DuckDB compares text of tables by its bytes",
          options: ["by"],
        },
      );
    }
    if (type !== undefined) {
      throw new InputError(
        `'${type}' says nothing of the column ${column}, whose type is that of the table: ${own.type}`,
        {
          hint: "leave the word out; asc, desc, nulls-first and nulls-last are those that a column of a table takes",
          options: ["by"],
        },
      );
    }
    if (!isSortable(own)) {
      throw new InputError(`the column ${column} cannot be sorted by: it has the type ${own.type}`, {
        hint: "name a column of numbers, times, booleans, texts or bytes; others move with their rows",
        options: ["by"],
      });
    }
    return { ...own, place, descending: descending !== reverse, nullsFirst: nulls === "first" };
  });
}

/** The error for a table that no columns are named of. @param names those that it has, if they are known. */
function unnamedColumns(file: string, names: readonly string[] = []): InputError {
  return new InputError(`${file} is a table, so the columns to sort by must be named`, {
    hint: `name one or more of its columns${names.length > 0 ? ": " : ""}${columnWords(names).join(", ")}`,
    options: ["by"],
  });
}

/** A name counts before a number. */
function placeOf(names: readonly string[], sorted: SortColumn): number {
  const { column } = sorted;
  const place = names.indexOf(column);
  if (place >= 0) return place;
  const number = columnNumber(sorted);
  if (number !== undefined && number <= names.length) return number - 1;
  throw new InputError(`there is no column ${column}`, {
    hint: columnHint(column, names),
    options: ["by"],
  });
}
