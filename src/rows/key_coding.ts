/** The layout of a coding: see assembly/rows/coding.ts. */
const MOST_POSITIONS = 64;

/** Bytes of a key that a coding may look at. */
export const MOST_CODED = MOST_POSITIONS + 1;
const HEAD_BYTES = 64;
const POSITION_BYTES = 24 + 512;
export const CODING_BYTES = HEAD_BYTES + MOST_POSITIONS * POSITION_BYTES;

/** Words are one bit longer than what is coded. */
const MOST_CODES = 2n ** 63n - 1n;

/** The stage of coded words: they come before the first words of bytes. */
export const CODED = 0xffff_ffff;

/** The lowest byte of a word of a string that goes on: see assembly/rows/words.ts. */
export const MORE_BYTES = 8n;

/**
 * Codes are worth their time from so many rows on that have the same first word, for each row; and only if they
 * tell most of these apart.
 */
const LEAST_EQUAL = 0.5;
const LEAST_GAIN = 2;

/** A key of a sample. */
export interface SampleKey {
  /** Its first word, if it is in ascending order. */
  readonly word: bigint;
  readonly bytes: Uint8Array;
}

/** How a key becomes a word: by the rank of each byte among those that a sample has in its place. */
export interface KeyCoding {
  readonly positions: readonly Position[];
  /** The radix of the last position, if a key of the sample ends there or before it. */
  readonly lastRadix: bigint | undefined;
}

interface Position {
  readonly radix: bigint;
  /** The product of the radices of the positions after it. */
  readonly rest: bigint;
  /** Whether a key of the sample ends here or before. */
  readonly ends: boolean;
  /** For each byte twice its rank, and 1 if the sample has it here. */
  readonly ranks: Uint16Array;
}

/**
 * Makes a coding for the keys of so many rows from a sample of them.
 *
 * @param map what stands for each byte.
 * @param left a byte that always counts as one that no key of the sample has.
 * @returns undefined if first words of bytes tell the keys apart as well.
 */
export function learnCoding(
  sample: readonly SampleKey[],
  rows: number,
  map: Uint8Array,
  left: number | undefined,
): KeyCoding | undefined {
  const goOn = sample.filter(({ word }) => (word & 0xffn) === MORE_BYTES).map(({ word }) => word);
  const equal = equalPairs(goOn);
  if ((2 * equal * rows) / sample.length ** 2 < LEAST_EQUAL) return undefined;
  const coding = codingOf(
    sample.map(({ bytes }) => bytes),
    map,
    left,
  );
  const open = sample.map(({ bytes }) => codeOf(coding, bytes)).filter((code) => goesOnAfter(coding, code));
  return equalPairs(open) * LEAST_GAIN < equal ? coding : undefined;
}

/** How many pairs of equal numbers there are. */
function equalPairs(numbers: readonly bigint[]): number {
  const sorted = BigUint64Array.from(numbers).sort();
  let pairs = 0;
  for (let i = 1, before = 0; i < sorted.length; i++) {
    before = sorted[i] === sorted[i - 1] ? before + 1 : 0;
    pairs += before;
  }
  return pairs;
}

function codingOf(keys: readonly Uint8Array[], map: Uint8Array, left: number | undefined): KeyCoding {
  const positions: Omit<Position, "rest">[] = [];
  let codes = 1n;
  let ends = false;
  for (let place = 0; place < MOST_POSITIONS; place++) {
    const has = new Uint8Array(256);
    let isLast = true;
    for (const key of keys) {
      if (key.length > place) has[map[key[place]!]!] = 1;
      if (key.length === place) ends = true;
      if (key.length >= place) isLast = false;
    }
    if (isLast) break;
    if (left !== undefined) has[left] = 0;
    const { ranks, radix } = ranksOf(has, Number(ends), map);
    if (radix === 0n || codes * radix > MOST_CODES) break;
    codes *= radix;
    positions.push({ radix, ends, ranks });
  }
  const last = positions.at(-1);
  return {
    positions: positions.map((position) => {
      codes /= position.radix;
      return { ...position, rest: codes };
    }),
    lastRadix: last?.ends ? last.radix : undefined,
  };
}

/** @param first the rank of the least byte. */
function ranksOf(has: Uint8Array, first: number, map: Uint8Array) {
  const rankOf = new Uint16Array(256);
  let rank = first;
  for (let byte = 0; byte < 256; byte++) {
    rankOf[byte] = 2 * rank + has[byte]!;
    rank += has[byte]!;
  }
  return { ranks: Uint16Array.from(map, (byte) => rankOf[byte]!), radix: BigInt(rank) };
}

/** As `codedWord` in assembly/rows/coding.ts. */
export function codeOf({ positions }: KeyCoding, key: Uint8Array): bigint {
  let code = 0n;
  for (const [place, { radix, rest, ends, ranks }] of positions.entries()) {
    if (place >= key.length) return (code * radix * rest * 2n) | BigInt(ends);
    const rank = ranks[key[place]!]!;
    code = code * radix + BigInt(rank >> 1);
    if (rank % 2 === 0) return code * rest * 2n;
  }
  return code * 2n + 1n;
}

/** Whether a word is not that of bytes which stand for themselves, so that a key is to be looked at anew. */
export const isBetween = (word: bigint) => word % 2n === 0n;

/** Whether keys with such a word may differ. */
export function goesOnAfter({ lastRadix }: KeyCoding, word: bigint): boolean {
  return isBetween(word) || lastRadix === undefined || (word >> 1n) % lastRadix !== 0n;
}

/** Writes a coding for the kernels. */
export function writeCoding({ buffer }: WebAssembly.Memory, { positions, lastRadix }: KeyCoding, at: number) {
  new Uint32Array(buffer, at).set([positions.length, Number(lastRadix ?? 0n)]);
  for (const [place, { radix, rest, ends, ranks }] of positions.entries()) {
    const to = at + HEAD_BYTES + place * POSITION_BYTES;
    new BigUint64Array(buffer, to).set([radix, rest, BigInt(ends)]);
    new Uint16Array(buffer, to + 24).set(ranks);
  }
}
