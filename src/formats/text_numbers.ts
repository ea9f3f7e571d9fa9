import type { ElementType } from "../elements.js";

/** Why a line is no key, as the end of a sentence that begins with the line. */
export type Objection = string;

/** Reads one line as a key, or says what is wrong with it. */
export function lineParser(type: ElementType): (line: string) => { key: number | bigint } | Objection {
  if (type.order === "float") return floatParser(type);
  const bits = BigInt(8 * type.bytes);
  const least = type.order === "signed" ? -(1n << (bits - 1n)) : 0n;
  const most = least + (1n << bits) - 1n;
  const wide = type.bytes === 8;
  return (line) => {
    if (!/^[+-]?\d+$/.test(line)) return `is no ${type.name}`;
    const value = BigInt(line.replace(/^\+/, ""));
    if (value < least || value > most) return `does not fit ${type.name}`;
    return { key: wide ? value : Number(value) };
  };
}

function floatParser(type: ElementType): (line: string) => { key: number } | Objection {
  const specials: Record<string, number> = { nan: Number.NaN, inf: Infinity, infinity: Infinity };
  return (line) => {
    if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(line)) return { key: Number(line) };
    const [, sign, word] = /^([+-]?)(nan|inf|infinity)$/i.exec(line) ?? [];
    if (word === undefined) return `is no ${type.name}`;
    const value = specials[word.toLowerCase()]!;
    return { key: sign === "-" ? -value : value };
  };
}

/** Writes a key so that reading it gives the same key again, in as few digits as that takes; NaNs are all one. */
export function keyText(type: ElementType): (key: number | bigint) => string {
  if (type.order !== "float") return String;
  return (key) => {
    if (Object.is(key, -0)) return "-0";
    if (Number.isNaN(key)) return "nan";
    if (key === Infinity || key === -Infinity) return key < 0 ? "-inf" : "inf";
    return type.bytes === 8 ? String(key) : shortest(key as number, new type.array(1) as unknown as number[]);
  };
}

/** JavaScript prints as many digits as tell doubles apart; a narrower float needs fewer. */
function shortest(key: number, narrow: number[]): string {
  for (let digits = 1; digits < 17; digits++) {
    const text = String(Number(key.toPrecision(digits)));
    narrow[0] = Number(text);
    if (narrow[0] === key) return text;
  }
  return String(key);
}
