import type { BigIntStats } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import {
  type Compression,
  compressionNames,
  type OutputCompression,
  splitCompression,
} from "../core/compression.js";
import { InputError } from "../core/errors.js";
import type { Item } from "../core/items/item.js";
import { shown } from "../core/names.js";
import type { ItemSink } from "../core/streams/item_stream.js";
import { cannotReadBack, createOutput, type Replace } from "../files/output.js";
import type { OutputFile } from "../files/output_file.js";
import { requireNoInput } from "../files/same_file.js";
import { WebOutput, WritableOutput } from "../files/stream_output.js";
import { createTemporary } from "../files/temporary/temporary.js";
import type { Format, FormatTools, Style } from "../formats/format.js";
import { itemFormat } from "../formats/registry.js";
import { type Kind, kindOfPath } from "../kinds/names.js";
import { requireWritable } from "./output_formats.js";

/** Where a result goes: a path, an open output, or a writable stream of Node or the web, which stays open. */
export type SortOutput = string | NodeJS.WritableStream | WritableStream<Uint8Array> | OutputFile;

/** How to write the output. */
export interface OutputOptions {
  /**
   * Whether to replace an output file that exists already. With true, a file that the user may not write to
   * is kept; with "force", it is replaced too. Default: true.
   */
  readonly replace?: boolean | "force" | undefined;
  /**
   * The format of the output: "raw", "npy", "text", "records", "lines", "csv" or "parquet". Default: for lines
   * and records that of the input; for numbers the format of the output's extension, else that of the input.
   * Without this option, an extension that names another type of keys or another format than the output has is
   * an error.
   */
  readonly to?: Kind | undefined;
  /**
   * How to compress the output: "gz", "zst", which needs Node 22.15, 23.8 or later, or "none". Default: as
   * the end of the output's name says, .gz or .zst, else "none". Another compression than the name's is an
   * error. Of Parquet it is the codec of the columns, which may be "snappy", too. Default: that of the input.
   */
  readonly compress?: OutputCompression | undefined;
  /**
   * The folder for temporary files. Default: the environment variable `TMPDIR`; else the folder of the
   * output, or the system's temporary folder if the output is a stream or a path under /dev/ or /proc/.
   */
  readonly tempDir?: string | undefined;
}

/** What the output must be able to do, and what it is made from. */
export interface OutputContext {
  /** Whether the bytes of the output are read back before it is published. */
  readonly readBack?: boolean;
  /** What the system said about the inputs. */
  readonly inputs?: readonly BigIntStats[];
  /** The most threads that compress. Default: one per core. */
  readonly threads?: number | undefined;
  /** What the format may use until the sink has ended. */
  readonly tools?: FormatTools;
}

export interface OpenedOutput {
  readonly file: OutputFile;
  readonly sink: ItemSink;
}

/** The items that are written. */
export interface OutputItems {
  readonly item: Item;
  /** The style of the input, which the output gets unless its extension or the options differ. */
  readonly like: Style;
  /** Undefined if it is not known before the end. */
  readonly itemCount: number | undefined;
}

/**
 * Opens an output, and a sink that writes items to it.
 *
 * @throws InputError if the output cannot be created, if its format cannot hold such items, or if its bytes
 *   cannot be read back but should be.
 */
export async function openOutput(
  target: SortOutput,
  { item, like, itemCount }: OutputItems,
  options: OutputOptions,
  context: OutputContext = {},
): Promise<OpenedOutput> {
  requireWritable(item.kind === "record" ? "records" : "numbers", options.to);
  const written = writtenFormat(target, item, like, options);
  const style = written.name === like.format ? like : { format: written.name, byteOrder: "little" as const };
  let file = await openOutputFile(target, options, context);
  try {
    if (written.needsItemCount && itemCount === undefined && !file.seekable) {
      const { spoolOutput } = await import("../files/temporary/spool.js");
      file = spoolOutput(file, await createTemporary(temporaryFolder(target, options.tempDir), undefined));
    }
    return { file, sink: await written.create(file, item, style, itemCount, context.tools) };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** The format that is written: as options say, or the name of the output, or that of the input. */
function writtenFormat(target: SortOutput, item: Item, like: Style, { to }: OutputOptions): Format {
  // No other format can hold records, so the extension does not count for them; and .bin or .dat promises none.
  const name = typeof target === "string" && item.kind === "key" ? kindOfPath(target) : undefined;
  const named = name?.kind === "raw" && !name.type ? undefined : name?.kind;
  return itemFormat(to ?? named) ?? itemFormat(like.format as Kind)!;
}

/** What wraps the output in one that compresses, if its name or the options say so. */
async function compressorFor(
  target: SortOutput,
  { compress }: OutputOptions,
  { threads, readBack }: OutputContext,
): Promise<(output: OutputFile) => OutputFile> {
  const named = typeof target === "string" ? splitCompression(target).compression : undefined;
  if (named !== undefined && compress !== undefined && named !== compress) throw misnamed(target, named);
  const compression = compress ?? named ?? "none";
  if (compression === "none") return (output) => output;
  if (compression === "snappy") {
    throw new InputError("snappy is a codec of Parquet, and compresses nothing else", {
      hint: `use ${Object.keys(compressionNames).join(" or ")}`,
      options: ["compress"],
    });
  }
  const { compressor } = await import("../files/compression/compress.js");
  const name = typeof target === "string" ? target : "the output";
  return compressor(compression, name, { threads, check: readBack });
}

function misnamed(target: SortOutput, named: Compression): InputError {
  const name = compressionNames[named];
  return new InputError(`the output ${target} is named for ${name}, but would not be a ${name} file`, {
    hint: `name it without .${named}, or leave out how to compress it`,
    options: ["output", "compress"],
  });
}

/**
 * Opens an output for bytes.
 * @throws InputError if it cannot be created, or read back although it should be.
 */
export async function openOutputFile(
  target: SortOutput,
  options: OutputOptions,
  context: OutputContext,
): Promise<OutputFile> {
  const compress = await compressorFor(target, options, context);
  return compress(await openFile(target, options.replace ?? true, context));
}

/** @throws InputError if the output cannot be created, or cannot be read back but should be. */
export async function openFile(
  target: SortOutput,
  replace: Replace,
  context: OutputContext,
): Promise<OutputFile> {
  if (typeof target === "string") return createOutput(target, replace, context);
  const opened = streamOutput(target);
  if (context.readBack) throw cannotReadBack(opened.name);
  if (opened instanceof WritableOutput)
    requireNoInput(opened.name, opened.stats, context.inputs ?? [], "output");
  return opened;
}

/**
 * Opens a stream for a result. From then on, an error of the stream rejects the next write.
 *
 * @param signal aborts a write that may never end.
 * @returns an open output as it is.
 * @throws InputError if the target is neither a stream nor an open output.
 */
export function streamOutput(target: Exclude<SortOutput, string>, signal?: AbortSignal): OutputFile {
  if (typeof target === "object" && target !== null) {
    if ("publish" in target) return target;
    if ("getWriter" in target) return new WebOutput(target, signal);
    if ("write" in target && "on" in target) return new WritableOutput(target, undefined, signal);
  }
  throw new InputError(`the output is ${shown(target)}`, { hint: "pass a path, or a writable stream" });
}

/** The folder for temporary files (see `OutputOptions.tempDir`). */
export function temporaryFolder(target: SortOutput, tempDir: string | undefined): string {
  const chosen = tempDir ?? process.env.TMPDIR;
  if (chosen) return chosen;
  return typeof target !== "string" || /^\/(dev|proc)\//.test(target) ? tmpdir() : dirname(target);
}
