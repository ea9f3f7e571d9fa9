import { InputError } from "../core/errors.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { isUtf8 } from "./content.js";

/** An encoding whose characters have two or four bytes. */
interface Encoding {
  /** As iconv names it. */
  readonly name: string;
  readonly bytes: 2 | 4;
  readonly isLittle: boolean;
}

const encodings: readonly Encoding[] = [
  { name: "UTF-32LE", bytes: 4, isLittle: true },
  { name: "UTF-32BE", bytes: 4, isLittle: false },
  { name: "UTF-16LE", bytes: 2, isLittle: true },
  { name: "UTF-16BE", bytes: 2, isLittle: false },
];

/** A text whose encoding no mark tells is read up to here: its first line breaks are in there. */
const SAMPLE_BYTES = 1 << 16;

/** Only these bytes are read of an input of which nothing says that it is text. */
const MARK_BYTES = 4;

/**
 * Refuses text whose line breaks have two or four bytes.
 *
 * @param isText whether the input is known to be text, so that bytes 0 are parts of characters, not of keys.
 * @throws InputError if it is in UTF-16 or UTF-32, by its byte order mark or by all that is read of it.
 */
export async function refuseWide(input: ByteInput, isText: boolean): Promise<void> {
  const head = await input.peek(isText ? SAMPLE_BYTES : MARK_BYTES);
  const encoding =
    markedEncoding(head) ?? (isText ? encodings.find((one) => isIn(head, one))?.name : undefined);
  if (encoding === undefined) return;
  throw new InputError(
    `${input.name} is text in UTF-16 or UTF-32, whose lines cannot be told apart byte by byte`,
    {
      hint:
        `convert it first, for example with iconv -f ${encoding} -t UTF-8; ` +
        "or name the format lines if it is in another encoding",
      options: ["format"],
    },
  );
}

/** The encoding that a byte order mark names; iconv takes the mark away if its order is not named. */
function markedEncoding([first, second, third, fourth]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? "UTF-32" : "UTF-16";
  return first === 0xfe && second === 0xff ? "UTF-16" : undefined;
}

/**
 * Most scripts of letters are below: the higher bytes of their characters are control characters in other text.
 */
const LETTERS_END = 0x2000;

const isBreak = (character: number) => character === 0x0a || character === 0x0d;
const isControl = (character: number) =>
  character < 0x20 ? character < 0x09 || character > 0x0d : character === 0x7f;
const isAscii = (character: number) => character < 0x7f && !isControl(character);
const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
const isTrail = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * Whether bytes are text in an encoding: all are characters, and some of these are line breaks. Bytes 0 may
 * stand in other text, too, even at line breaks. So one of these must hold besides:
 * - most characters have a byte 0;
 * - most others are letters, whose higher byte would be a control character in other text;
 * - the bytes other than 0 are no UTF-8, and have control characters, or few line breaks that are no
 *   characters.
 */
function isIn(head: Uint8Array, { bytes, isLittle }: Encoding): boolean {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const count = Math.floor(head.length / bytes); // the last character may be cut off
  const character = (i: number) =>
    bytes === 2 ? view.getUint16(2 * i, isLittle) : view.getUint32(4 * i, isLittle);
  // Two characters of ASCII in a row that have more than one byte are no accident.
  if (count >= 2 && isAscii(character(0)) && isAscii(character(1))) return true;
  let [breaks, narrow, letters] = [0, 0, 0];
  let afterLead = false;
  for (let i = 0; i < count; i++) {
    const unit = character(i);
    if (isControl(unit) || unit > 0x10ffff) return false;
    if (bytes === 4 ? isSurrogate(unit) : isTrail(unit) !== afterLead) return false;
    afterLead = bytes === 2 && isSurrogate(unit) && !isTrail(unit);
    if (isBreak(unit)) breaks++;
    if (unit < 0x100) narrow++;
    else if (unit < LETTERS_END) letters++;
  }
  if (breaks === 0) return false;
  if (bytes === 4 || 2 * narrow > count || 2 * letters > count - narrow) return true;
  const others = head.filter((byte) => byte !== 0);
  return !isUtf8(others) && (others.some(isControl) || 2 * breaks > others.filter(isBreak).length);
}
