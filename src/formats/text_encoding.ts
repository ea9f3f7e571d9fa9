import { InputError } from "../core/errors.js";
import type { ByteInput } from "../core/streams/byte_stream.js";

const UTF8_MARK = [0xef, 0xbb, 0xbf];

/**
 * Skips the byte order mark of UTF-8, which Windows programs write.
 *
 * @throws InputError if the input is UTF-16 or UTF-32.
 */
export async function skipByteOrderMark(input: ByteInput): Promise<void> {
  const head = await input.peek(UTF8_MARK.length);
  if (head.length > 1 && isWide(head)) {
    throw new InputError(`${input.name} looks like text in UTF-16 or UTF-32, not in ASCII or UTF-8`, {
      hint: "convert it, for example with iconv -f UTF-16 -t UTF-8",
    });
  }
  if (UTF8_MARK.every((byte, i) => head[i] === byte)) await input.next(new Uint8Array(UTF8_MARK.length));
}

/** Whether a byte order mark of UTF-16 comes first, or an ASCII character of two or four bytes. */
function isWide(head: Uint8Array): boolean {
  const [first = 0, second = 0] = head;
  const isPadded = (second === 0 && isText(first)) || (first === 0 && isText(second));
  return utf16Mark(head) !== undefined || isPadded;
}

/** The encoding that a byte order mark of UTF-16 at the start of some text names; undefined without one. */
export function utf16Mark([first, second]: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

const isText = (byte: number) => (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d);
