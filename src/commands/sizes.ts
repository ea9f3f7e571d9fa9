import { InputError } from "../core/errors.js";
import { parseCount } from "./numbers.js";

/**
 * Reads a number of keys for the benchmark: 33554432, 2^25, 1e6, 32Mi, 500k.
 *
 * @throws InputError that names the option, unless the text is a whole number from 1 to 2^32 - 1.
 */
export function parseSize(text: string, option: string): number {
  return parseCount(text, option, { most: 2 ** 32 - 1 });
}

/**
 * The sizes `min`, `min * step`, `min * step^2` and so on below `max`, each rounded, and then `max` itself.
 *
 * @throws InputError if min > max, or if the step is not greater than 1.
 */
export function sizesBetween(min: number, max: number, step = 2): number[] {
  if (min > max) {
    throw new InputError(`--min ${min} is more than --max ${max}`, { hint: "swap the two numbers" });
  }
  if (!(step > 1 && Number.isFinite(step))) {
    throw new InputError(`--step ${step} is not a factor greater than 1`, {
      hint: "write it like --step 2 or --step 1.5",
    });
  }
  const sizes: number[] = [];
  for (let size = min; Math.round(size) < max; size *= step) sizes.push(Math.round(size));
  return [...new Set([...sizes, max])];
}

/**
 * Reads sizes separated by commas.
 *
 * @returns the distinct sizes in ascending order.
 * @throws InputError that names the option, if one is not a size.
 */
export function parseSizes(text: string, option: string): number[] {
  const sizes = text.split(",").map((size) => parseSize(size.trim(), option));
  return [...new Set(sizes)].sort((a, b) => a - b);
}
