import { InputError } from "../core/errors.js";
import { decompressed } from "../files/decompress.js";
import { openInput } from "../files/input.js";
import type { InputFile } from "../files/input_file.js";
import { iterableInput } from "../files/stream_input.js";
import { concatenate } from "../formats/concatenate.js";
import type { FormatTools, InputOptions, ItemInput } from "../formats/format.js";
import { detect, type FormatName } from "../formats/registry.js";
import type { TableFormatName } from "../tables/kinds.js";

/** An input: a path, a stream of bytes (such as a readable stream of Node or of the web), or an open file. */
export type SortInput = string | AsyncIterable<Uint8Array> | InputFile;

/** What the caller knows about the inputs. It applies to all of them. */
export interface OpenInputsOptions extends InputOptions {
  /**
   * The format of the inputs: "raw", "npy", "text", "lines", "records" or "parquet". Default: "records" if `recordBytes` is given; "lines" if `rows` is
   * given to `sortFile`; else the format that the first bytes of the input show, else that of its extension,
   * else "raw". Text of which the first 4 KiB hold one number on every line is "text", other text is "lines".
   * A packed or otherwise foreign file is an InputError.
   *
   * An input that begins as gzip and zstd files do is decompressed first, except one of records, or one that
   * this option says is "raw", unless its name ends in .gz or .zst.
   */
  readonly format?: FormatName | TableFormatName | undefined;
}

export interface OpenedInputs {
  /** All inputs as one. */
  readonly items: ItemInput;
  /** The inputs one by one. */
  readonly each: readonly ItemInput[];
  readonly files: readonly InputFile[];
  /** @throws InputError if a file was written to since it was opened. */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** Open inputs whose formats are not known yet. */
export type OpenedFiles = Pick<OpenedInputs, "files" | "checkUnchanged" | "close">;

/** Opens the inputs, and decompresses them if need be. @throws InputError if one cannot be opened. */
export async function openFiles(
  inputs: readonly SortInput[],
  { format, recordBytes }: OpenInputsOptions,
): Promise<OpenedFiles> {
  const files: InputFile[] = [];
  const close = async () => {
    for (const file of files) await file.close();
  };
  try {
    const asItIs = recordBytes !== undefined || ["raw", "records"].includes(format ?? "");
    for (const input of inputs) {
      const opened = await openOne(input);
      files.push(opened);
      files[files.length - 1] = await decompressed(opened, asItIs);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const checkUnchanged = async () => {
    for (const file of files) await file.checkUnchanged();
  };
  return { files, checkUnchanged, close };
}

/**
 * Finds out the formats of open inputs, and what they hold.
 *
 * @param tools what the formats may use until all items are read.
 * @throws InputError if an input does not match its format or the options, or holds other items than the
 *   first input.
 */
export async function openItems(
  opened: OpenedFiles,
  options: OpenInputsOptions,
  tools?: FormatTools,
): Promise<OpenedInputs> {
  const each: ItemInput[] = [];
  for (const file of opened.files) {
    each.push(await (await detect(file, options.format as FormatName, options)).open(file, options, tools));
  }
  return { ...opened, items: concatenate(each), each };
}

/** @throws InputError if it cannot be read, or is no input. */
export async function openOne(input: SortInput): Promise<InputFile> {
  if (typeof input === "string") return openInput(input);
  if (typeof input !== "object" || input === null || !(Symbol.asyncIterator in input || "peek" in input)) {
    throw new InputError(`the input is ${input}`, { hint: "pass a path, or a stream of bytes" });
  }
  return Symbol.asyncIterator in input ? iterableInput(input) : input;
}
