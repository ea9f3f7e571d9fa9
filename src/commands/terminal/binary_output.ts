import { COMPRESSION_HEAD_BYTES, compressionOf } from "../../core/compression.js";
import { InputError } from "../../core/errors.js";
import { decompressed } from "../../files/compression/decompress.js";
import { openInput } from "../../files/input.js";
import { type KindOptions, kindOf } from "../../kinds/decide.js";
import type { SortInput } from "../../sort/inputs.js";
import { writesTerminal } from "./terminal.js";

/** The formats that a terminal shows. */
const readable = ["text", "lines", "csv"];

/**
 * Binary keys on a terminal are noise, and may switch it to another mode.
 *
 * @param format the output's format, if it is known.
 * @param compress how the output is compressed, if the command line says so.
 * @throws InputError if the output is a terminal, unless its format is text.
 */
export function refuseBinaryOnTerminal(
  output: string,
  format: string | undefined,
  compress: string = "none",
): void {
  const isReadable = format !== undefined && readable.includes(format) && compress === "none";
  if (isReadable || !writesTerminal(output)) return;
  throw new InputError("binary keys would be written to a terminal", {
    hint: "name a file, write text, or pipe them to another program",
    options: ["output", "to"],
  });
}

/**
 * The format of the first input, if only its first bytes tell it. A pipe is opened for that, and stays open
 * in `inputs`, because it can be opened only once.
 *
 * @returns undefined for a compressed pipe.
 * @throws InputError if it cannot be opened, or is of no format that gpusort reads.
 */
export async function formatOfContent(
  inputs: SortInput[],
  options: KindOptions,
): Promise<string | undefined> {
  const [first] = inputs;
  const file = typeof first === "string" ? await openInput(first) : first;
  if (!file || !("peek" in file)) return undefined;
  if (typeof first === "string" && file.read) {
    const content = await decompressed(file, false);
    return (await kindOf(content, options).finally(() => content.close())).kind;
  }
  inputs[0] = file;
  if (compressionOf(await file.peek(COMPRESSION_HEAD_BYTES))) return undefined;
  return (await kindOf(file, options)).kind;
}
