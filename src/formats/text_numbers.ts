import type { ElementType } from "../core/elements.js";

/** What is wrong with a line: the end of a sentence whose subject is the line, such as "does not fit u32". */
export type Objection = string;

/** Returns a function that reads one line as a key, or says what is wrong with the line. */
export function lineParser(type: ElementType): (line: string) => { key: number | bigint } | Objection {
  if (type.order === "float") return floatParser(type);
  const bits = BigInt(8 * type.bytes);
  const minimum = type.order === "signed" ? -(1n << (bits - 1n)) : 0n;
  const maximum = minimum + (1n << bits) - 1n;
  const wide = type.bytes === 8;
  return (line) => {
    if (!/^[+-]?\d+$/.test(line)) return `is not a number of type ${type.name}`;
    const value = BigInt(line.replace(/^\+/, ""));
    if (value < minimum || value > maximum) return `does not fit ${type.name}`;
    return { key: wide ? value : Number(value) };
  };
}

function floatParser(type: ElementType): (line: string) => { key: number } | Objection {
  const specials: Record<string, number> = { nan: Number.NaN, inf: Infinity, infinity: Infinity };
  return (line) => {
    if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(line)) return { key: Number(line) };
    const [, sign, word] = /^([+-]?)(nan|inf|infinity)$/i.exec(line) ?? [];
    if (word === undefined) return `is not a number of type ${type.name}`;
    const value = specials[word.toLowerCase()]!;
    return { key: sign === "-" ? -value : value };
  };
}

/**
 * Returns a function that writes a key with the fewest digits from which the same key is read again. All NaNs
 * are written as "nan", without their payloads.
 */
export function keyText(type: ElementType): (key: number | bigint) => string {
  if (type.order !== "float") return String;
  return (key) => {
    if (Object.is(key, -0)) return "-0";
    if (Number.isNaN(key)) return "nan";
    if (key === Infinity || key === -Infinity) return key < 0 ? "-inf" : "inf";
    return type.bytes === 8 ? String(key) : shortest(key as number, new type.array(1) as unknown as number[]);
  };
}

/** JavaScript prints the digits that identify a double. A narrower float needs fewer. */
function shortest(key: number, narrow: number[]): string {
  for (let digits = 1; digits < 17; digits++) {
    const text = String(Number(key.toPrecision(digits)));
    narrow[0] = Number(text);
    if (narrow[0] === key) return text;
  }
  return String(key);
}
