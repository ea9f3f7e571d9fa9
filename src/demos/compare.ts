import { bytesOf } from "../core/bytes.js";
import type { Words } from "../core/plan/plan.js";
import { formatCount } from "../report/units.js";
import { asFloats } from "./cpu/cpu_kernel.js";

/** How the device's result differs from the CPU's. */
export interface Differences {
  /** How many items are wrong. */
  readonly wrong: number;
  /** How many items were compared. */
  readonly of: number;
  /** The name of the items in the plural: "words". */
  readonly unit: string;
  /** A description of the first wrong item. */
  readonly first?: string | undefined;
  /** The largest difference between two numbers, including differences within the tolerance. */
  readonly largest?: number;
}

/** Compares the device's result with the CPU's. */
export type Compare = (actual: Words, expected: Words) => Differences;

/** Compares each buffer or texture with `differs`, and adds up the findings. */
function compareWords(
  actual: Words,
  expected: Words,
  unit: string,
  differs: (
    actual: Uint32Array<ArrayBuffer>,
    expected: Uint32Array<ArrayBuffer>,
    name: string,
  ) => PartDifferences,
): Differences {
  const parts = Object.keys(expected).map((name) => differs(actual[name]!, expected[name]!, name));
  return total(parts, unit);
}

type PartDifferences = Omit<Differences, "unit">;

/** Adds up the findings of parts. */
export function total(parts: readonly PartDifferences[], unit: string): Differences {
  return {
    wrong: parts.reduce((sum, { wrong }) => sum + wrong, 0),
    of: parts.reduce((sum, { of }) => sum + of, 0),
    unit,
    first: parts.find(({ first }) => first !== undefined)?.first,
    largest: Math.max(0, ...parts.map(({ largest = 0 }) => largest)),
  };
}

function compareNumbers(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  what: string,
): PartDifferences {
  let wrong = 0;
  let first: string | undefined;
  let largest = 0;
  for (let i = 0; i < expected.length; i++) {
    if (Object.is(actual[i], expected[i])) continue;
    const difference = Math.abs(actual[i]! - expected[i]!);
    if (difference > largest) largest = difference;
    if (difference <= tolerance) continue;
    wrong++;
    first ??= `${what} ${i} is ${actual[i]}, but the CPU's is ${expected[i]}`;
  }
  return { wrong, of: expected.length, first, largest };
}

/** Compares words, which must be equal. */
export const exactly: Compare = (actual, expected) =>
  compareWords(actual, expected, "words", (a, e, name) => compareNumbers(a, e, 0, `${name}: word`));

/** Compares pixels of four 8-bit channels. Each channel may differ by at most `steps`. */
export function withinSteps(steps: number): Compare {
  return (actual, expected) =>
    compareWords(actual, expected, "channels", (a, e, name) =>
      compareNumbers(bytesOf(a), bytesOf(e), steps, `${name}: channel`),
    );
}

/**
 * Compares floats, which may differ by at most `tolerance`: WGSL lets a device round a product and a sum once
 * or twice, so results may differ in their last bits. A NaN is always wrong.
 */
export function within(tolerance: number): Compare {
  return (actual, expected) =>
    compareWords(actual, expected, "floats", (a, e, name) =>
      compareFloats(asFloats(a), asFloats(e), tolerance, `${name}: float`),
    );
}

function compareFloats(
  actual: Float32Array,
  expected: Float32Array,
  tolerance: number,
  what: string,
): PartDifferences {
  const differences = compareNumbers(actual, expected, tolerance, what);
  const nan = actual.findIndex(Number.isNaN);
  return nan < 0
    ? differences
    : { ...differences, wrong: Math.max(1, differences.wrong), first: `${what} ${nan} is NaN` };
}

/** How many items are wrong: "all 640 words", "3 of 640 words". */
export function wrongOf({ wrong, of, unit }: Differences): string {
  return wrong === of
    ? `all ${formatCount(of)} ${unit}`
    : `${formatCount(wrong)} of ${formatCount(of)} ${unit}`;
}
