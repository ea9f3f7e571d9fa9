import type { Words } from "../plan/plan.js";
import { formatCount } from "../report/units.js";

/** What came out otherwise on the device than on the CPU twins. */
export interface Differences {
  readonly wrong: number;
  /** How many were compared. */
  readonly of: number;
  /** What was compared, in the plural: "words". */
  readonly unit: string;
  /** The first that is wrong, in words. */
  readonly first?: string | undefined;
  /** Largest difference of two numbers, right ones included, where it is told. */
  readonly largest?: number;
}

/** Holds what the device computed against what the twins did. */
export type Compare = (actual: Words, expected: Words) => Differences;

/** Counts the items that `differs` tells of, over all that was read. */
function compareWords(
  actual: Words,
  expected: Words,
  unit: string,
  differs: (actual: Uint32Array<ArrayBuffer>, expected: Uint32Array<ArrayBuffer>, name: string) => Found,
): Differences {
  const found = Object.keys(expected).map((name) => differs(actual[name]!, expected[name]!, name));
  return {
    wrong: found.reduce((sum, { wrong }) => sum + wrong, 0),
    of: found.reduce((sum, { of }) => sum + of, 0),
    unit,
    first: found.find(({ first }) => first !== undefined)?.first,
    largest: Math.max(0, ...found.map(({ largest }) => largest)),
  };
}

interface Found {
  readonly wrong: number;
  readonly of: number;
  readonly first: string | undefined;
  readonly largest: number;
}

function compareNumbers(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  what: string,
): Found {
  let wrong = 0;
  let first: string | undefined;
  let largest = 0;
  for (let i = 0; i < expected.length; i++) {
    if (Object.is(actual[i], expected[i])) continue;
    const difference = Math.abs(actual[i]! - expected[i]!);
    if (difference > largest) largest = difference;
    if (difference <= tolerance) continue;
    wrong++;
    first ??= `${what} ${i} is ${actual[i]}, the CPU twin's ${expected[i]}`;
  }
  return { wrong, of: expected.length, first, largest };
}

/** Every word must be the same. */
export const exactly: Compare = (actual, expected) =>
  compareWords(actual, expected, "words", (a, e, name) => compareNumbers(a, e, 0, `${name}: word`));

/** Pixels of four 8-bit channels, of which each may be this many steps off. */
export function withinSteps(steps: number): Compare {
  const bytes = (words: Uint32Array) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  return (actual, expected) =>
    compareWords(actual, expected, "channels", (a, e, name) =>
      compareNumbers(bytes(a), bytes(e), steps, `${name}: channel`),
    );
}

/**
 * Floats, which may be so far off: WGSL lets a device round a product and a sum once or twice, so that what is
 * computed of them differs in the last bits. A NaN is always wrong.
 */
export function within(tolerance: number): Compare {
  const floats = (words: Uint32Array) => new Float32Array(words.buffer, words.byteOffset, words.length);
  return (actual, expected) =>
    compareWords(actual, expected, "floats", (a, e, name) =>
      compareFloats(floats(a), floats(e), tolerance, `${name}: float`),
    );
}

function compareFloats(actual: Float32Array, expected: Float32Array, tolerance: number, what: string): Found {
  const found = compareNumbers(actual, expected, tolerance, what);
  const nan = actual.findIndex(Number.isNaN);
  return nan < 0 ? found : { ...found, wrong: Math.max(1, found.wrong), first: `${what} ${nan} is NaN` };
}

/** "all 640 words", "3 of 640 words". */
export function wrongOf({ wrong, of, unit }: Differences): string {
  return wrong === of
    ? `all ${formatCount(of)} ${unit}`
    : `${formatCount(wrong)} of ${formatCount(of)} ${unit}`;
}
