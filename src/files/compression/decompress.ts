import {
  COMPRESSION_HEAD_BYTES,
  type Compression,
  compressionMagic,
  compressionNames,
  compressionOf,
  splitCompression,
} from "../../core/compression.js";
import { InputError } from "../../core/errors.js";
import { cutShort } from "../errors.js";
import type { InputFile } from "../input_file.js";

/**
 * Finds out whether an input is compressed, by its first bytes, and makes an input of what is inside. That is
 * a stream, as a compressed file does not say truthfully how much it holds.
 *
 * @param asItIs whether only an input whose name says so counts as compressed.
 * @throws InputError if its name says that it is compressed, but it is not, or if this Node cannot decompress
 *   it. The reads of the input that is returned throw an InputError for one that is cut short or damaged.
 */
export async function decompressed(input: InputFile, asItIs: boolean): Promise<InputFile> {
  const { compression: named } = splitCompression(input.name);
  if (asItIs && !named) return input;
  const head = await input.peek(COMPRESSION_HEAD_BYTES);
  const compression = compressionOf(head, named);
  if (compression) return (await import("./decoded.js")).decodedInput(input, compression);
  if (!named) return input;
  throw isPrefixOf(named, head) ? cutShort(input.name) : misnamed(input.name, named);
}

/** Whether a file may be the beginning of a compressed one, with an end before it can be told. */
function isPrefixOf(compression: Compression, head: Uint8Array): boolean {
  return head.every((byte, i) => byte === compressionMagic[compression][i]);
}

function misnamed(name: string, compression: Compression): InputError {
  return new InputError(`${name} is no ${compressionNames[compression]} file, although it is named for one`, {
    hint: "rename it, or redirect it to standard input",
  });
}
