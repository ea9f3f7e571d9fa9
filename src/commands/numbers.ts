import { InputError } from "../core/errors.js";
import { MOST_THREADS } from "../threads/count.js";

/** Powers of ten. `K` is one of them here, as in counts; in an amount of memory, K is 1024, as in sort(1). */
const decimal: Readonly<Record<string, number>> = { k: 3, K: 3, M: 6, G: 9, T: 12 };
/** Powers of two. */
const binary: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40 };

/** How to write a number, for hints and for --help. */
export const numberNotation = "1000, 1e6, 2^20, 500K (K = 1000) or 32Ki (Ki = 1024)";

/** Reads 33554432, 1.5, 1e6, 2^25, 500k, 32Mi. @returns NaN if the text is no such number. */
function numberOf(text: string): number {
  const power = /^2\^(\d+)$/.exec(text);
  if (power) return 2 ** Number(power[1]);
  const [, digits, exponent = "0", suffix = ""] =
    /^(\d+(?:\.\d+)?)(?:e(\d+))?(k|[KMGT]i?|)$/.exec(text) ?? [];
  if (digits === undefined) return Number.NaN;
  // A decimal suffix moves the point in the text, so that 1.001k is exactly 1001.
  const scaled = Number(`${digits}e${Number(exponent) + (decimal[suffix] ?? 0)}`);
  return scaled * 2 ** (binary[suffix] ?? 0);
}

/** The range of a count. */
export interface CountRange {
  /** Default: 1. */
  readonly least?: number;
  /** Default: 2^53 - 1, the greatest number up to which a double holds all whole numbers. */
  readonly most?: number;
}

/**
 * Reads a whole number, such as 33554432, 1e6, 2^25, 500k, 4K or 32Mi.
 *
 * @param option what the number is for, for the error: "--head".
 * @throws InputError that names the option, unless the text is a whole number in the range.
 */
export function parseCount(
  text: string,
  option: string,
  { least = 1, most = Number.MAX_SAFE_INTEGER }: CountRange = {},
): number {
  const value = numberOf(text);
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new InputError(`${option} '${text}' is not a whole number from ${least} to ${boundText(most)}`, {
    hint: most < 1000 ? `write a number from ${least} to ${most}` : `write it like ${numberNotation}`,
  });
}

/**
 * Reads the value of `--threads`, or of an option that means the same, if it is given.
 * @throws InputError unless it is a whole number from 1 to 255.
 */
export function parseThreads(text: string | undefined, option = "--threads"): number | undefined {
  return text === undefined ? undefined : parseCount(text, option, { most: MOST_THREADS });
}

/**
 * Reads a number greater than 0, with or without a fraction, such as 2.5.
 *
 * @throws InputError that names the option, unless the text is such a number.
 */
export function parsePositive(text: string, option: string, unit: string): number {
  const value = numberOf(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new InputError(`${option} '${text}' is not a number of ${unit} greater than 0`, {
    hint: `write it like ${option} 5 or ${option} 0.5`,
  });
}

/** 9007199254740991 -> "2^53 - 1", 4503599627370496 -> "2^52". Other numbers keep their digits. */
function boundText(bound: number): string {
  for (const [power, rest] of [
    [bound, ""],
    [bound + 1, " - 1"],
  ] as const) {
    const exponent = Math.round(Math.log2(power));
    if (exponent >= 16 && 2 ** exponent === power) return `2^${exponent}${rest}`;
  }
  return String(bound);
}

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
