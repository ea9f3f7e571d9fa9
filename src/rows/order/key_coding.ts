/** The layout of a coding: see assembly/rows/coding.ts. */
export const MOST_POSITIONS = 64;
const HEAD_BYTES = 64;
const RANKS_AT = 24;
const POSITION_BYTES = RANKS_AT + 2 * 256;
export const CODING_BYTES = HEAD_BYTES + MOST_POSITIONS * POSITION_BYTES;

/** Words are one bit longer than what is coded. */
const MOST_CODES = 2n ** 63n - 1n;

/** The stage of coded words: they come before the first words of bytes. */
export const CODED = 0xffff_ffff;

/** Which bytes the keys of a sample have, as `sampleKeys` in assembly/rows/coding.ts stores them. */
export interface SeenBytes {
  /** For each position and each byte, 1 if some key has it there. */
  readonly bytes: Uint8Array;
  /** For each number of bytes up to `MOST_POSITIONS`, 1 if some key has that length. */
  readonly lengths: Uint8Array;
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
 * Makes a coding for keys that are like those of a sample.
 *
 * @param map what stands for each byte.
 * @param left a byte that always counts as one that no key of the sample has.
 */
export function codingFor(
  { bytes, lengths }: SeenBytes,
  map: Uint8Array,
  left: number | undefined,
): KeyCoding {
  const longest = lengths.lastIndexOf(1);
  const positions: Omit<Position, "rest">[] = [];
  let codes = 1n;
  let ends = false;
  for (let place = 0; place < MOST_POSITIONS; place++) {
    const has = bytes.slice(256 * place, 256 * (place + 1));
    // After the longest key, only its end is left to code.
    if (place > longest && !has.includes(1)) break;
    ends ||= lengths[place] === 1;
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
    new Uint16Array(buffer, to + RANKS_AT).set(ranks);
  }
}
