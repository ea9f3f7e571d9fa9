import { splitCompression } from "../core/compression.js";
import { InputError } from "../core/errors.js";
import { nameHint } from "../core/names.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { refuseForeign } from "./foreign.js";
import type { Format, InputOptions } from "./format.js";
import { npy } from "./npy.js";
import { raw } from "./raw.js";
import { records } from "./records.js";
import { text } from "./text.js";

const rows = [npy, text, records, raw] as const;

/** All formats, in the order in which `detect` tries them. */
const formats: readonly Format[] = rows;

/** The name of a format: "npy", "text", "records" or "raw". */
export type FormatName = (typeof rows)[number]["name"];

/** The names of all formats. */
export const formatNames: readonly string[] = formats.map(({ name }) => name);

/** Returns the format of a name. @throws InputError if there is none. */
export function format(name: string): Format {
  const found = formats.find((one) => one.name === name);
  if (found) return found;
  throw new InputError(`unknown format '${name}'`, {
    hint: nameHint(name, formatNames, namesElsewhere.get(name.toLowerCase())),
  });
}

/** What else the formats are called. */
const namesElsewhere = new Map<string, FormatName>([
  ["txt", "text"],
  ["ascii", "text"],
  ["numpy", "npy"],
  ["bin", "raw"],
  ["binary", "raw"],
  ["record", "records"],
]);

/** The format of a path's extension, before that of a compression; undefined if it has none. */
export function formatOfPath(path: string): Format | undefined {
  const extension = /\.([a-z]\w*)$/i.exec(splitCompression(path).inner)?.[1]?.toLowerCase();
  return formats.find(({ extensions }) => extension !== undefined && extensions.includes(extension));
}

/**
 * Finds the format of an input: `asked` if it is given; else records if there is a record length; else the
 * format that the first bytes show; else the format of the extension; else raw keys.
 *
 * @throws InputError if it would be raw keys for no other reason, but does not look like keys.
 */
export async function detect(
  input: ByteInput,
  asked: FormatName | undefined,
  options: InputOptions,
): Promise<Format> {
  if (asked !== undefined) return format(asked);
  if (options.recordBytes !== undefined) return records;
  for (const one of formats) {
    const { magic } = one;
    if (!magic) continue;
    const head = await input.peek(magic.length);
    if (magic.every((byte, i) => head[i] === byte)) return one;
  }
  const named = formatOfPath(input.name);
  if (named) return named;
  // A byte order, or bytes to skip, say that the input is raw.
  if (options.byteOrder === undefined && options.skipBytes === undefined) {
    await refuseForeign(input, options.type !== undefined);
  }
  return raw;
}
