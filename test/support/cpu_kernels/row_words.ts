/** Keys as words: as wgsl/rows/rows_words.wgsl and what it imports, on bytes and whole numbers. */

/** A word of a key, and whether it goes on. */
export interface ReadWord {
  readonly word: bigint;
  readonly more: boolean;
  /** Whether it is a hexadecimal number, which is not read. */
  readonly unread?: boolean;
}

export const ALL = (1n << 64n) - 1n;

/** A key's bytes as characters, without blanks before them. */
export function textOf(key: Uint8Array): string {
  return String.fromCharCode(...key).replace(/^[ \t\n]+/, "");
}

export const isDecimal = (text: string) => /^-?(\d+\.?\d*|\.\d+)[ \t\n]*$/.test(text);

export function bytesWord(bytes: Uint8Array): bigint {
  let word = 0n;
  for (let i = 0; i < 7; i++) word = (word << 8n) | BigInt(bytes[i] ?? 0);
  return (word << 8n) | BigInt(Math.min(bytes.length, 8));
}

const POSITIVE = 1n << 63n;

/**
 * @param whole whether the key must hold nothing else, but for blanks around it, and NaN counts as no number.
 */
export function floatWord(key: Uint8Array, whole: boolean): ReadWord {
  const text = String.fromCharCode(...key).replace(/^[ \t\n\v\f\r]+/, "");
  const [, sign, rest = ""] = /^([+-]?)(.*)$/s.exec(text)!;
  if (/^nan/i.test(rest)) return { word: whole ? 0n : 1n, more: false };
  if (/^0x./is.test(rest)) return { word: 0n, more: false, unread: true };
  const [all, infinity, integers = "", decimals = "", exponent = "0"] =
    /^(?:(inf(?:inity)?)|(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?)/i.exec(rest)!;
  const isNumber = infinity !== undefined || integers + decimals !== "";
  if (!isNumber || (whole && !/^[ \t\n]*$/.test(rest.slice(all.length)))) return { word: 0n, more: false };
  const digits = (integers + decimals).replace(/^0+/, "");
  const power = Number(exponent) + digits.length - Math.min(19, digits.length) - decimals.length;
  const value = infinity ? Infinity : Number(`${digits.slice(0, 19) || 0}e${power}`);
  const word = new BigUint64Array(Float64Array.of(value).buffer)[0]! | POSITIVE;
  return { word: sign === "-" && value !== 0 ? word ^ ALL : word, more: false };
}

/** Of the first word of a number: its digits, the bits that they take, and a unit before the length. */
interface FirstWord {
  readonly digits: number;
  readonly bits: bigint;
  readonly unit: bigint;
}

const DECIMAL: FirstWord = { digits: 17, bits: 57n, unit: 0n };
const WORD_DIGITS = 19;
const MANY_DIGITS = 63;

export function decimalWord(text: string, stage: number, first = DECIMAL): ReadWord {
  const [, sign, integers = "", decimals = ""] = /^(-?)0*(\d*)(?:\.(\d*))?/.exec(text)!;
  const digits = integers + decimals;
  const negative = sign === "-";
  if (negative && !/[1-9]/.test(digits)) return { word: stage === 0 ? POSITIVE : 0n, more: false };
  const turned = (word: bigint) => (negative ? word ^ ALL : word);
  const many = integers.length >= MANY_DIGITS;
  const length = BigInt(Math.min(integers.length, MANY_DIGITS));
  const head = stage === 0 ? POSITIVE | (((first.unit << 6n) | length) << first.bits) : 0n;
  if (many && stage === 0) return { word: turned(head), more: true };
  if (many && stage === 1) return { word: turned(BigInt(integers.length)), more: true };
  const count = stage === 0 ? first.digits : WORD_DIGITS;
  const passed = many
    ? WORD_DIGITS * (stage - 2)
    : stage === 0
      ? 0
      : first.digits + WORD_DIGITS * (stage - 1);
  const taken = BigInt(digits.slice(passed, passed + count).padEnd(count, "0"));
  return { word: turned(head | taken), more: /[1-9]/.test(digits.slice(passed + count)) };
}

/** @param letterOf the letter that stands for one. */
export function humanWord(text: string, stage: number, letterOf: (byte: number) => number): ReadWord {
  const [number, digits = ""] = /^-?(\d*(?:\.\d*)?)/.exec(text)!;
  const letter = String.fromCharCode(letterOf(text.charCodeAt(number.length)));
  const unit = letter === "k" ? 1 : "KMGTPEZYRQ".indexOf(letter) + 1;
  return decimalWord(text, stage, { digits: 15, bits: 50n, unit: /[1-9]/.test(digits) ? BigInt(unit) : 0n });
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

export function monthWord(text: string): ReadWord {
  return { word: BigInt(MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1), more: false };
}
