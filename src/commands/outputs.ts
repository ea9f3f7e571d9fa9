import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { createOutput, type OutputFile, StandardOutput } from "../files/output.js";
import { spooled } from "../files/spool.js";
import { createTemporary } from "../files/temporary.js";
import type { Item, ItemWriter, Style } from "../formats/format.js";
import { format, formatOfPath } from "../formats/registry.js";

export interface OutputOptions {
  /** The format; without it, what the output's name says, else the input's. */
  readonly to?: string;
  readonly tempDir?: string;
}

export interface OpenedOutput {
  readonly file: OutputFile;
  readonly writer: ItemWriter;
}

/**
 * @param itemCount undefined if it will be known at the end only.
 * @throws InputError if the output cannot be made, or cannot hold such items.
 */
export async function openOutput(
  target: string,
  mayReplace: boolean,
  item: Item,
  like: Style,
  itemCount: number | undefined,
  options: OutputOptions,
): Promise<OpenedOutput> {
  const chosen =
    options.to === undefined ? (formatOfPath(target) ?? format(like.format)) : format(options.to);
  // Records can only be written as they are, whatever the file is called.
  const written = item.kind === "record" && options.to === undefined ? format(like.format) : chosen;
  const style = written.name === like.format ? like : { format: written.name, byteOrder: "little" as const };
  let file: OutputFile =
    target === "-" ? new StandardOutput(process.stdout) : await createOutput(target, mayReplace);
  try {
    if (written.countFirst && itemCount === undefined && !file.seekable) {
      file = spooled(file, await createTemporary(temporaryFolder(target, options.tempDir), undefined));
    }
    return { file, writer: await written.create(file, item, style, itemCount) };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/**
 * Where temporary files go: where they were told to, else where the system says, else beside the output, whose disk
 * has to hold as much.
 */
export function temporaryFolder(target: string, asked: string | undefined): string {
  const told = asked ?? process.env.TMPDIR;
  if (told) return told;
  return target === "-" || target.startsWith("/dev/") ? tmpdir() : dirname(target);
}
