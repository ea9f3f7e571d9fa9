import type { ElementType } from "../../core/elements.js";
import { keyElement, keyValue } from "../../core/float16.js";

/** What is wrong with a line that is not a key. */
export type Objection = "is not a number of type" | "does not fit";

/** What becomes of a number that is too large for a float type: an objection, or an infinity. */
export type TextOverflow = "error" | "inf";

/** No type has numbers with more digits. A line may have millions, which would take long to convert. */
const MOST_DIGITS = 20;

const withoutZeros = (line: string) => line.replace(/^([+-]?)0+(?=\d)/, "$1");

/** Returns a function that reads one line as a key, or says what is wrong with the line. */
export function lineParser(
  type: ElementType,
  overflow: TextOverflow = "error",
): (line: string) => number | bigint | Objection {
  if (type.order === "float") return floatParser(type, overflow);
  const [minimum, maximum] = integerRange(type);
  const wide = type.bytes === 8;
  return (line) => {
    if (!/^[+-]?\d+$/.test(line)) return "is not a number of type";
    const text = line.length > MOST_DIGITS ? withoutZeros(line) : line;
    if (text.length > MOST_DIGITS + 1) return "does not fit";
    const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
    if (value < minimum || value > maximum) return "does not fit";
    return wide ? value : Number(value);
  };
}

function floatParser(type: ElementType, overflow: TextOverflow): (line: string) => number | Objection {
  const specials: Record<string, number> = { nan: Number.NaN, inf: Infinity, infinity: Infinity };
  const narrow = nearest(type);
  return (line) => {
    if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(line)) {
      const value = Number(line);
      const fits = Number.isFinite(narrow(value)) || overflow === "inf";
      return fits ? value : "does not fit";
    }
    const [, sign, word] = /^([+-]?)(nan|inf|infinity)$/i.exec(line) ?? [];
    if (word === undefined) return "is not a number of type";
    const value = specials[word.toLowerCase()]!;
    return sign === "-" ? -value : value;
  };
}

/** Returns a function that rounds a number to a float of the type. */
function nearest(type: ElementType): (value: number) => number {
  if (type.bytes === 8) return (value) => value;
  return type.bytes === 4 ? Math.fround : (value) => keyValue(keyElement(value, type), type) as number;
}

function integerRange({ order, bytes }: ElementType): [bigint, bigint] {
  const count = 1n << BigInt(8 * bytes);
  return order === "signed" ? [-count / 2n, count / 2n - 1n] : [0n, count - 1n];
}

/** The largest finite floats by their bytes. */
const largestFloats: Readonly<Record<number, number>> = {
  2: 65504,
  4: (2 - 2 ** -23) * 2 ** 127,
  8: Number.MAX_VALUE,
};

/** A type and the numbers that it holds, for messages: "u8 (0 to 255)". */
export function typeAndRange(type: ElementType): string {
  const toText = keyText(type);
  if (type.order !== "float") return `${type.name} (${integerRange(type).map(toText).join(" to ")})`;
  const largest = toText(largestFloats[type.bytes]!);
  return `${type.name} (-${largest} to ${largest}, inf, nan)`;
}

/**
 * Returns a function that writes a key with the fewest digits from which the same key is read again. All NaNs
 * are written as "nan", without their payloads.
 */
export function keyText(type: ElementType): (key: number | bigint) => string {
  if (type.order !== "float") return String;
  const narrow = nearest(type);
  return (key) => {
    if (Object.is(key, -0)) return "-0";
    if (Number.isNaN(key)) return "nan";
    if (key === Infinity || key === -Infinity) return key < 0 ? "-inf" : "inf";
    return type.bytes === 8 ? String(key) : shortest(key as number, narrow);
  };
}

/** JavaScript prints the digits that identify a double. A narrower float needs fewer. */
function shortest(key: number, narrow: (value: number) => number): string {
  for (let digits = 1; digits < 17; digits++) {
    const text = String(Number(key.toPrecision(digits)));
    if (narrow(Number(text)) === key) return text;
  }
  return String(key);
}
