import { splitCompression } from "../core/compression.js";
import { InputError } from "../core/errors.js";
import { nameHint } from "../core/names.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { refuseForeign, refuseUtf16 } from "./foreign.js";
import type { Format, InputOptions } from "./format.js";
import { holdsNumbers, lines } from "./lines.js";
import { HEAD_BYTES, isText } from "./looks_like_text.js";
import { npy } from "./npy.js";
import { raw } from "./raw.js";
import { records } from "./records.js";
import { text } from "./text.js";

/** All formats, in the order in which `detect` tries them. */
const formats: readonly Format[] = [npy, text, lines, records, raw] satisfies readonly Format<FormatName>[];

/** The name of a format. */
export type FormatName = "npy" | "text" | "lines" | "records" | "raw";

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
  ["line", "lines"],
  ["rows", "lines"],
  ["csv", "lines"],
  ["tsv", "lines"],
]);

/** The format of a path's extension, before that of a compression; undefined if it has none. */
export function formatOfPath(path: string): Format | undefined {
  const extension = /\.([a-z]\w*)$/i.exec(splitCompression(path).inner)?.[1]?.toLowerCase();
  return formats.find(({ extensions }) => extension !== undefined && extensions.includes(extension));
}

/**
 * Finds the format of an input: `asked` if it is given; else records if there is a record length; else the
 * format that the first bytes show; else the format of the extension; else raw keys. Text is lines of numbers
 * or lines of anything, as its first 4 KiB show.
 *
 * @throws InputError if nothing but its name, or nothing at all, says what it is, and it does not look like
 * that.
 */
export async function detect(
  input: ByteInput,
  asked: FormatName | undefined,
  options: InputOptions,
): Promise<Format> {
  if (asked !== undefined) return format(asked);
  if (options.recordBytes !== undefined) return records;
  for (const one of formats) {
    if (one.magic && (await startsWith(input, one.magic))) return one;
  }
  const named = formatOfPath(input.name);
  if (named && named !== text && named !== lines) return named;
  const { type, byteOrder, skipBytes, blankLines, textOverflow } = options;
  if (named === text) {
    if (type !== undefined || byteOrder !== undefined || skipBytes !== undefined) return text;
  } else if (byteOrder !== undefined || skipBytes !== undefined) return raw; // only raw keys have these
  await refuseForeign(input);
  if (blankLines !== undefined || textOverflow !== undefined) return text; // only numbers of text have these
  if (named !== text && type !== undefined) return raw;
  const head = await input.peek(HEAD_BYTES);
  if (named === lines) {
    refuseUtf16(input.name, head);
    return lines;
  }
  if (named === text) return head.includes(0) || holdsNumbers(head) ? text : lines;
  if (!isText(head)) return raw;
  refuseUtf16(input.name, head);
  if (!holdsNumbers(head)) return lines;
  if (head.includes(LINE_FEED)) return text;
  throw new InputError(`${input.name} looks like text`, {
    hint: "name its format: text, with one number on every line, or raw, if its bytes are keys",
    options: ["format"],
  });
}

const LINE_FEED = 10;

async function startsWith(input: ByteInput, magic: Uint8Array): Promise<boolean> {
  const head = await input.peek(magic.length);
  return magic.every((byte, i) => head[i] === byte);
}
