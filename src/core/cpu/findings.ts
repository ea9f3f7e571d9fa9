import type { KeyBits } from "../sort/key.js";

/** Bytes of the findings of one kernel call in memory: see assembly/inspect.ts. */
export const FINDINGS_BYTES = 64;

/** What kernels found in a row of elements. */
export interface Findings {
  readonly count: number;
  /** The number of neighbours in the wrong order. */
  readonly inversions: number;
  /** Two sums, modulo 2^64, of the elements and of their hashes. They do not depend on the order. */
  readonly sums: readonly [bigint, bigint];
  /** The narrowest range that contains every bit in which the words of the elements differ. */
  readonly varying: KeyBits;
}

/** Which part of an element decides the order. */
export interface Ordering {
  /** Bytes of an element. */
  readonly bytes: number;
  /** The compared bits of the element's first word. */
  readonly bits: KeyBits;
  /** Whether an index follows, which ascends where the bits are equal. */
  readonly pairs: boolean;
}

/** Combines the findings of adjacent rows, which lie behind each other from `at` on. */
export function readFindings(
  memory: WebAssembly.Memory,
  at: number,
  rows: number,
  ordering: Ordering,
): Findings {
  let [count, inversions, sum, hashes, varying] = [0, 0, 0n, 0n, 0n];
  let previous: Key | undefined;
  let first: bigint | undefined;
  for (let row = 0; row < rows; row++) {
    const view = new DataView(memory.buffer, at + row * FINDINGS_BYTES, FINDINGS_BYTES);
    if (view.getUint32(0, true) === 0) continue;
    count += view.getUint32(0, true);
    inversions += view.getUint32(4, true);
    sum += view.getBigUint64(8, true);
    hashes += view.getBigUint64(16, true);
    first ??= view.getBigUint64(32, true);
    varying |= view.getBigUint64(24, true) | (first ^ view.getBigUint64(32, true));
    if (previous && isAfter(previous, keyAt(view, 32, ordering))) inversions++;
    previous = keyAt(view, 48, ordering);
  }
  return {
    count,
    inversions,
    sums: [BigInt.asUintN(64, sum), BigInt.asUintN(64, hashes)],
    varying: rangeOf(varying),
  };
}

type Key = readonly [bits: bigint, index: bigint];

/** The compared parts of the element at an offset. */
function keyAt(view: DataView, offset: number, { bytes, bits, pairs }: Ordering): Key {
  const word = view.getBigUint64(offset, true);
  const compared = BigInt.asUintN(bits.end, word) >> BigInt(bits.begin);
  if (!pairs) return [compared, 0n];
  return [compared, bytes === 16 ? view.getBigUint64(offset + 8, true) : BigInt.asUintN(32, word)];
}

function isAfter(a: Key, b: Key): boolean {
  return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);
}

function rangeOf(bits: bigint): KeyBits {
  if (bits === 0n) return { begin: 0, end: 0 };
  const text = bits.toString(2);
  return { begin: text.length - 1 - text.lastIndexOf("1"), end: text.length };
}
