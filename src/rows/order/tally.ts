import type { KernelKey, KernelOrder } from "./row_order.js";

/** Where a row is. */
export interface RowPlace {
  readonly input: string;
  /** Its number in that input, from 0, with the header. */
  readonly row: number;
}

/** What kernels report of keys: see assembly/rows/tally.ts. */
const TALLIES_AT = 14; // words
const TALLY_WORDS = 6;

/** The mark of a key whose row has no such field. */
const MISSING = 1 << 31;

/** Bytes of what a kernel reports. @param keys how many keys there are. */
export const reportBytes = (keys: number) => 4 * (TALLIES_AT + TALLY_WORDS * keys);

/** A key that must be a number and is none, or that must be there and is not. */
export interface InvalidKey {
  readonly row: number;
  /** The number of the key, from 0. */
  readonly key: number;
  /** Whether the row has no such field. */
  readonly isMissing: boolean;
}

/** A value that is not what its key is to be. */
export interface Misfit extends RowPlace {
  /** The number of the key, from 0. */
  readonly key: number;
  /** The value of the field: without the quotes around it, and with one quote for two in it. */
  readonly value: Uint8Array;
}

/**
 * The values of a key that is to be a number or a date, by its `invalid`; of another key, nothing is counted.
 */
export interface KeyTally {
  /** Whether a value fits. */
  readonly hasValue: boolean;
  /** How many do not, and the first of them. */
  readonly misfits: number;
  readonly first: Misfit | undefined;
  /** The first row without a value. */
  readonly missing: RowPlace | undefined;
}

/**
 * Takes what all keys hold. It may throw.
 *
 * @param isComplete whether it is what they hold in all rows, as it is not if a merge ends with its `head`.
 */
export type OnTallied = (tallies: readonly KeyTally[], isComplete: boolean) => void;

/** Whether values of a key may not fit. */
const mayMisfit = ({ compare, invalid }: KernelKey) => compare !== "bytes" && invalid !== undefined;

/** Whether keys after the first one are to be counted. */
export function talliesMoreKeys({ keys }: KernelOrder): boolean {
  return keys.slice(1).some((key) => mayMisfit(key) || key.required);
}

/** The first key that kernels reported as wrong. */
export function firstInvalid(reports: readonly (readonly number[])[]): InvalidKey | undefined {
  let first: InvalidKey | undefined;
  for (const words of reports) {
    const row = words[1]! - 1;
    const key = words[2]! & ~MISSING;
    if (row < 0 || (first && (row > first.row || (row === first.row && key > first.key)))) continue;
    first = { row, key, isMissing: (words[2]! & MISSING) !== 0 };
  }
  return first;
}

/** Where rows are, and their bytes, while what kernels reported of them is valid. */
export interface TalliedText {
  placeOf(row: number): RowPlace;
  /** A copy of the text between two positions. */
  textBetween(from: number, to: number): Uint8Array;
}

/** The value that does not fit, because of which a key is reported; undefined if there is no value. */
export function misfitOf(
  { row, key }: InvalidKey,
  reports: readonly (readonly number[])[],
  text: TalliedText,
): Misfit | undefined {
  const at = TALLIES_AT + TALLY_WORDS * key;
  const tallies = reports.map((report) => report.slice(at, at + 4));
  const [, , from, to] = tallies.find((tally) => tally[1] === row + 1) ?? [];
  return from === undefined ? undefined : { ...text.placeOf(row), key, value: valueIn(text, from, to!) };
}

/** A value between two positions. In a field in quotes, two quotes stand for one. */
function valueIn(text: TalliedText, from: number, to: number): Uint8Array {
  const value = text.textBetween(from, to);
  if (from === 0 || text.textBetween(from - 1, from)[0] !== QUOTE) return value;
  // Of each two quotes, the first is left out.
  let isFirst = false;
  return value.filter((byte) => {
    isFirst = byte === QUOTE && !isFirst;
    return !isFirst;
  });
}

const QUOTE = 34;

/** Adds up what kernels report of the values of keys. */
export class KeyTallies {
  readonly #tallies: KeyTally[];

  /** @param keys how many keys there are. */
  constructor(keys: number) {
    this.#tallies = Array.from({ length: keys }, () => ({
      hasValue: false,
      misfits: 0,
      first: undefined,
      missing: undefined,
    }));
  }

  /** Of each key. */
  get all(): readonly KeyTally[] {
    return this.#tallies;
  }

  /** Takes reports about rows that come after all others, in any order. */
  add(reports: readonly (readonly number[])[], text: TalliedText): void {
    for (const [key, tally] of this.#tallies.entries()) {
      let { hasValue, misfits, first, missing } = tally;
      let [firstRow, missingRow] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (const report of reports) {
        const at = TALLIES_AT + TALLY_WORDS * key;
        const [count, row, from, to, has] = report.slice(at, at + 5) as [
          number,
          number,
          number,
          number,
          number,
        ];
        hasValue ||= has !== 0;
        misfits += count;
        const without = report[at + 5]!;
        if (without > 0 && !tally.missing && without < missingRow) {
          missingRow = without;
          missing = text.placeOf(without - 1);
        }
        if (count === 0 || tally.first || row >= firstRow) continue;
        firstRow = row;
        first = { ...text.placeOf(row - 1), key, value: valueIn(text, from, to) };
      }
      this.#tallies[key] = { hasValue, misfits, first, missing };
    }
  }
}
