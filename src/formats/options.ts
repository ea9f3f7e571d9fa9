import { type ElementType, elementType, elementTypeOfPath } from "../elements.js";
import { InputError } from "../errors.js";
import type { ByteOrder, FormatOptions } from "./format.js";

/** @throws InputError unless it is little or big. */
export function parseByteOrder(text = "little"): ByteOrder {
  if (text === "little" || text === "big") return text;
  throw new InputError(`--byte-order '${text}' is no byte order`, { hint: "use little or big" });
}

/** @throws InputError unless it is a whole number of at least `least`. */
export function parseWhole(text: string, option: string, least = 0): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new InputError(`${option} '${text}' is no whole number of at least ${least}`, {
    hint: `write it with digits only, as in ${option} ${Math.max(least, 100)}`,
  });
}

/** The type that was asked for, or that the file's extension names, or undefined. */
export function askedType(name: string, { type }: FormatOptions): ElementType | undefined {
  return type === undefined ? elementTypeOfPath(name) : elementType(type);
}

/** @throws InputError if an option was given that means nothing to this format. */
export function refuse(format: string, options: FormatOptions, ...names: (keyof FormatOptions)[]): void {
  for (const name of names) {
    if (options[name] === undefined || options[name]?.length === 0) continue;
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new InputError(`${option} means nothing for ${format}`, {
      hint: `leave ${option} out, or name another --format`,
    });
  }
}
