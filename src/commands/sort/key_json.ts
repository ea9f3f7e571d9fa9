import type { ElementType } from "../../core/elements.js";
import { keyElement, keyValue } from "../../core/float16.js";
import { keyText } from "../../formats/text/numbers.js";

/**
 * A key as JSON: a number with the digits that identify the key, or a string where JSON has no such number.
 * Strings are all 64-bit integers, in decimal digits, and the floats "-0", "NaN", "Infinity" and "-Infinity".
 */
export type KeyJson = number | string;

/** @param bytes the key in memory. */
export function keyToJson(bytes: Uint8Array, type: ElementType): KeyJson {
  const key = keyValue(new type.array(bytes.slice().buffer)[0]!, type);
  if (Object.is(key, -0)) return "-0";
  return Number.isFinite(key) ? Number(keyText(type)(key)) : String(key);
}

/**
 * Reads a key that `keyToJson` made. All NaNs become the same one.
 *
 * @returns the bytes of the key in memory.
 * @throws Error if it is not a key of the type.
 */
export function keyFromJson(json: KeyJson, type: ElementType): Uint8Array {
  const isBig = type.bytes === 8 && type.order !== "float";
  if (!isBig || /^-?\d+$/.test(String(json))) {
    const key = isBig ? BigInt(json) : Number(json);
    const bytes = new Uint8Array(new type.array([keyElement(key, type)] as never).buffer as ArrayBuffer);
    if (keyToJson(bytes, type) === json) return bytes;
  }
  throw new Error(`${JSON.stringify(json)} is not a key of type ${type.name}`);
}
