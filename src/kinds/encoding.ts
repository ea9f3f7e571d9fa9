import { InputError } from "../core/errors.js";
import type { ByteInput } from "../core/streams/byte_stream.js";

const UTF8_MARK = [0xef, 0xbb, 0xbf];

/** Skips the byte order mark of UTF-8, which Windows programs write. */
export async function skipByteOrderMark(input: ByteInput): Promise<void> {
  const head = await input.peek(UTF8_MARK.length);
  if (UTF8_MARK.every((byte, i) => head[i] === byte)) await input.next(new Uint8Array(UTF8_MARK.length));
}

/** This many characters in a row that are ASCII, but have more than one byte, are no accident. */
const CHARACTERS = 2;

/**
 * Refuses text whose line breaks have two or four bytes.
 *
 * @param isText whether the input is known to be text, so that ASCII characters with bytes 0 are no keys.
 * @throws InputError if a byte order mark of UTF-16 comes first, or ASCII characters of more than one byte.
 */
export async function refuseWide(input: ByteInput, isText: boolean): Promise<void> {
  const head = await input.peek(4 * CHARACTERS);
  const [first, second] = head;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (!isMarked && !(isText && [2, 4].some((bytes) => isWide(head, bytes)))) return;
  throw new InputError(
    `${input.name} is text in UTF-16 or UTF-32, whose lines cannot be told apart byte by byte`,
    { hint: "convert it first, for example with iconv -f UTF-16 -t UTF-8" },
  );
}

/** Whether the first characters are ASCII with this many bytes each, the lowest or the highest of them first. */
function isWide(head: Uint8Array, bytes: number): boolean {
  if (head.length < bytes * CHARACTERS) return false;
  const units = Array.from({ length: CHARACTERS }, (_, i) => head.subarray(i * bytes, (i + 1) * bytes));
  const areAt = (place: number) =>
    units.every((unit) => unit.every((byte, i) => (i === place ? isAscii(byte) : byte === 0)));
  return areAt(0) || areAt(bytes - 1);
}

const isAscii = (byte: number) => (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d);
