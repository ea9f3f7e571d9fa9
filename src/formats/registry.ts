import { InputError } from "../errors.js";
import type { ByteInput, Format, FormatOptions } from "./format.js";
import { npy } from "./npy.js";
import { raw } from "./raw.js";
import { records } from "./records.js";
import { text } from "./text.js";

/** In the order in which `detect` asks them. */
export const formats: readonly Format[] = [npy, text, records, raw];

/** @throws InputError if there is no format of that name. */
export function format(name: string): Format {
  const found = formats.find((one) => one.name === name);
  if (found) return found;
  throw new InputError(`unknown format '${name}'`, {
    hint: `use one of ${formats.map((one) => one.name).join(", ")}`,
  });
}

/** The format that a path's extension names, or undefined. */
export function formatOfPath(path: string): Format | undefined {
  const extension = /\.([a-z]\w*)$/i.exec(path)?.[1]?.toLowerCase();
  return formats.find(({ extensions }) => extension !== undefined && extensions.includes(extension));
}

/** What an input is: what was asked for, else what its first bytes say, else what its name says, else raw keys. */
export async function detect(
  input: ByteInput,
  asked: string | undefined,
  options: FormatOptions,
): Promise<Format> {
  if (asked !== undefined) return format(asked);
  if (options.record !== undefined) return records;
  for (const one of formats) {
    const { magic } = one;
    if (!magic) continue;
    const head = await input.peek(magic.length);
    if (magic.every((byte, i) => head[i] === byte)) return one;
  }
  return formatOfPath(input.name) ?? raw;
}
