import { InputError } from "../core/errors.js";
import { shown } from "../core/names.js";
import type { ProgressMeter } from "../core/streams/progress.js";
import { decompressed } from "../files/compression/decompress.js";
import { openInput } from "../files/input.js";
import type { InputFile } from "../files/input_file.js";
import { iterableInput } from "../files/stream_input.js";
import { concatenate } from "../formats/concatenate.js";
import type { FormatTools, InputOptions, ItemInput } from "../formats/format.js";
import { itemFormat } from "../formats/registry.js";
import { isParquet, type KindOptions, kindOfAll, tableOfText } from "../kinds/decide.js";
import type { Kind } from "../kinds/names.js";
import { type RefusableOption, requireOptionsOf } from "../kinds/options.js";
import type { TableKind } from "./output_formats.js";

/** An input: a path, a stream of bytes (such as a readable stream of Node or of the web), or an open file. */
export type SortInput = string | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | InputFile;

/** What the caller knows about the inputs. It applies to all of them. */
export interface OpenInputsOptions extends InputOptions {
  /**
   * What the inputs hold: "raw", "npy", "text" (a number on every line), "lines", "csv", "records" or
   * "parquet". Default: what the other options, the extensions of their names and their first bytes say; else
   * text, if no byte of them is 0. Text whose lines are all numbers is sorted by these. An input that is
   * anything else is an InputError. docs/formats.md has the rules.
   *
   * An input that begins as gzip and zstd files do is decompressed first, except one of records, or one that
   * this option says is "raw", unless its name ends in .gz or .zst.
   */
  readonly format?: Kind | undefined;
}

/** Open inputs, and what they hold. */
export interface KnownInputs {
  readonly files: readonly InputFile[];
  /**
   * What decides how they are sorted. Undefined if none of them has any bytes, or a name that says what they
   * hold.
   */
  readonly kind: Kind | undefined;
  /** What each of them holds. */
  readonly kinds: readonly (Kind | undefined)[];
  /** Undefined unless DuckDB reads them: Parquet, and CSV or lines of JSON that become Parquet. */
  readonly table: TableKind | undefined;
  /** @throws InputError if a file was written to since it was opened. */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** Open inputs of numbers or records. */
export interface OpenedInputs extends Omit<KnownInputs, "kind" | "kinds" | "table"> {
  /** All inputs as one. */
  readonly items: ItemInput;
  /** The inputs one by one. */
  readonly each: readonly ItemInput[];
}

/**
 * Opens the inputs, decompresses them if need be, and decides what they hold.
 *
 * @param written what the output will hold, as far as options or its name say it.
 * @throws InputError if one cannot be opened, as `kindOf` does, or if an option has no effect on what they
 *   hold.
 */
export async function openInputs(
  inputs: readonly SortInput[],
  {
    signal,
    ...options
  }: KindOptions &
    Readonly<Partial<Record<RefusableOption, unknown>>> & { readonly signal?: AbortSignal | undefined },
  written?: Kind,
): Promise<KnownInputs> {
  let files: readonly InputFile[] = [];
  const close = async () => {
    for (const file of files) await file.close();
  };
  const checkUnchanged = async () => {
    for (const file of files) await file.checkUnchanged();
  };
  const known = (kind: Kind | undefined, kinds: KnownInputs["kinds"], table?: TableKind) => {
    // Text that becomes a table may have a header, and a separator.
    const { header, rows, ...others } = options;
    const some = table === undefined || table === "parquet" ? options : others;
    for (const [i, { name }] of files.entries()) {
      const own = table ? "parquet" : (kinds[i] ?? kind);
      if (own) requireOptionsOf(own, name, some, table === "parquet" ? undefined : table);
    }
    return { files, kind, kinds, table, checkUnchanged, close };
  };
  try {
    for (const input of inputs) files = [...files, await openOne(input, signal)];
    const asItIs = options.recordBytes !== undefined || ["raw", "records"].includes(options.format ?? "");
    for (const [i, file] of files.entries()) files = files.with(i, await decompressed(file, asItIs));
    if (await areParquet(files, options))
      return known(
        "parquet",
        files.map(() => "parquet"),
        "parquet",
      );
    const { all, kind } = await kindOfAll(files, options);
    files = all.map(({ file }) => file);
    const isTable = kind === "csv" && written === "parquet";
    return known(
      kind,
      all.map((one) => one.kind),
      isTable ? await tableOfText(files, options) : undefined,
    );
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whether the inputs are Parquet files. @throws InputError if some are, and others are not. */
async function areParquet(files: readonly InputFile[], options: KindOptions): Promise<boolean> {
  const are: boolean[] = [];
  for (const file of files) are.push(await isParquet(file, options));
  const [some, other] = [files[are.indexOf(true)], files[are.indexOf(false)]];
  if (!some || !other) return some !== undefined;
  throw new InputError(`${some.name} is a Parquet file, but ${other.name} is none`, {
    hint: "sort them one by one",
  });
}

/**
 * Reads open inputs as items.
 *
 * @param tools what the formats may use until all items are read.
 * @throws InputError if an input does not match its format or the options, or holds other items than the
 *   first input.
 */
export async function openItemInputs(
  opened: KnownInputs,
  options: OpenInputsOptions,
  tools?: FormatTools,
): Promise<OpenedInputs> {
  const each: ItemInput[] = [];
  for (const [i, file] of opened.files.entries()) {
    const kind = opened.kinds[i] ?? opened.kind ?? "raw";
    const format = itemFormat(kind);
    if (!format) throw noItems(file.name, kind);
    each.push(await format.open(file, options, tools));
  }
  return { ...opened, items: concatenate(each), each };
}

function noItems(name: string, kind: Kind): InputError {
  return new InputError(`${name} is read as ${kind}: it holds no numbers or records`, {
    hint: "if its lines are numbers, name the format text",
    options: ["format"],
  });
}

/** @throws InputError if it cannot be read, or is no input. */
async function openOne(input: SortInput, signal: AbortSignal | undefined): Promise<InputFile> {
  if (typeof input === "string") return openInput(input);
  if (typeof input !== "object" || input === null || !(Symbol.asyncIterator in input || "peek" in input)) {
    throw new InputError(`the input is ${shown(input)}`, { hint: "pass a path, or a stream of bytes" });
  }
  return Symbol.asyncIterator in input ? iterableInput(input, undefined, signal) : input;
}

/**
 * Finds out whether streams of records have any, so that a sort of none needs no memory, however long a
 * record is.
 *
 * @returns the input; if it is a stream without any record, an input of known length.
 */
export async function detectEmptyStreams({ items, each, files }: OpenedInputs): Promise<ItemInput> {
  if (items.item.kind !== "record" || items.itemCount !== undefined) return items;
  for (const [i, { itemCount }] of each.entries()) {
    if (itemCount === undefined ? (await files[i]!.peek(1)).length > 0 : itemCount > 0) return items;
  }
  return { ...items, itemCount: 0, source: { read: async () => {} } };
}

/** An input that tells the progress what is read of it in a stage. */
export function watchedInput(input: InputFile, progress: ProgressMeter, stage: string): InputFile {
  const { next } = progress.stream(stage, { itemCount: undefined, next: (into) => input.next(into) }, 1);
  const { read } = input;
  const source = read && progress.source(stage, { read: (into, offset) => read.call(input, into, offset) });
  return {
    name: input.name,
    byteLength: input.byteLength,
    peek: (count) => input.peek(count),
    next,
    ...(source && { read: source.read as NonNullable<InputFile["read"]> }),
    checkUnchanged: () => input.checkUnchanged(),
    close: () => input.close(),
  };
}
