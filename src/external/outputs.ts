import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { Writable } from "node:stream";
import { InputError } from "../core/errors.js";
import type { Item } from "../core/items/item.js";
import type { ItemSink } from "../core/streams/item_stream.js";
import { createOutput, type OutputFile, WritableOutput } from "../files/output.js";
import { spoolOutput } from "../files/spool.js";
import { createTemporary } from "../files/temporary.js";
import type { Style } from "../formats/format.js";
import { type FormatName, format, formatOfPath } from "../formats/registry.js";

/** Where a result goes: a path, a writable stream of Node or of the web, or an open output. */
export type SortOutput = string | NodeJS.WritableStream | WritableStream<Uint8Array> | OutputFile;

/** How to write the output. */
export interface OutputOptions {
  /** Whether to replace an output file that exists already. Default: true. */
  readonly replace?: boolean | undefined;
  /**
   * The format of the output: "raw", "npy", "text" or "records". Default: the format of the output's
   * extension, else that of the input. Records are by default written as records, whatever the extension.
   */
  readonly to?: FormatName | undefined;
  /**
   * The folder for temporary files. Default: the environment variable `TMPDIR`; else the folder of the
   * output, or the system's temporary folder if the output is a stream or a path under /dev/.
   */
  readonly tempDir?: string | undefined;
}

export interface OpenedOutput {
  readonly file: OutputFile;
  readonly sink: ItemSink;
}

/**
 * Opens an output, and a sink that writes items to it.
 *
 * @param like the style of the input, which the output gets unless its extension or the options differ.
 * @param itemCount undefined if it is not known before the end.
 * @throws InputError if the output cannot be created, or if its format cannot hold such items.
 */
export async function openOutput(
  target: SortOutput,
  item: Item,
  like: Style,
  itemCount: number | undefined,
  options: OutputOptions,
): Promise<OpenedOutput> {
  const named = typeof target === "string" ? formatOfPath(target) : undefined;
  const chosen = options.to === undefined ? (named ?? format(like.format)) : format(options.to);
  // No other format can hold records, so the extension does not count for them.
  const written = item.kind === "record" && options.to === undefined ? format(like.format) : chosen;
  const style = written.name === like.format ? like : { format: written.name, byteOrder: "little" as const };
  let file = await openFile(target, options.replace ?? true);
  try {
    if (written.needsItemCount && itemCount === undefined && !file.seekable) {
      file = spoolOutput(file, await createTemporary(temporaryFolder(target, options.tempDir), undefined));
    }
    return { file, sink: await written.create(file, item, style, itemCount) };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

async function openFile(target: SortOutput, replace: boolean): Promise<OutputFile> {
  if (typeof target === "string") return createOutput(target, replace);
  if (
    typeof target !== "object" ||
    target === null ||
    !("publish" in target || "write" in target || "getWriter" in target)
  ) {
    throw new InputError(`the output is ${target}`, { hint: "pass a path, or a writable stream" });
  }
  if ("publish" in target) return target;
  return new WritableOutput("getWriter" in target ? Writable.fromWeb(target) : target);
}

/** The folder for temporary files (see `OutputOptions.tempDir`). */
export function temporaryFolder(target: SortOutput, tempDir: string | undefined): string {
  const chosen = tempDir ?? process.env.TMPDIR;
  if (chosen) return chosen;
  return typeof target !== "string" || target.startsWith("/dev/") ? tmpdir() : dirname(target);
}
