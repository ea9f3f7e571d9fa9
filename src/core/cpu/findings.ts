import { rangeOfBits } from "../bytes.js";
import type { KeyBits } from "../sort/key.js";

/** Bytes of the findings of one kernel call in memory: see assembly/inspect.ts. */
export const FINDINGS_BYTES = 80;

/** The double words of a row of findings. */
const ROW_WORDS = FINDINGS_BYTES / 8;

/** The lower half of a double word. */
const LOW = 0xffff_ffffn;

/** Which part of an element decides the order. */
export interface Ordering {
  /** Bytes of an element. */
  readonly bytes: number;
  /** The compared bits of the element's first word. */
  readonly bits: KeyBits;
  /** Whether an index follows, which ascends where the bits are equal. */
  readonly pairs: boolean;
}

/** The findings of a kernel call in adjacent elements. */
interface Row {
  /** The position of the first element. */
  readonly from: number;
  readonly count: number;
  readonly inversions: number;
  readonly sums: readonly [bigint, bigint];
  readonly varying: bigint;
  readonly first: Element;
  readonly last: Element;
}

/**
 * Both words of an element. The second has a meaning only in an element of 16 bytes: its lower half is the
 * index. Its upper half is not compared: for rows it is the offset at which the key goes on.
 */
type Element = readonly [bigint, bigint];

/** The findings of a check in adjacent items. */
export interface CheckFindings {
  /** The number of neighbours in the wrong order. */
  readonly inversions: number;
  /** The number of neighbours that are equal in the order. */
  readonly duplicates: number;
  /** What the kernel sums up: for most items src/core/items/checksum.ts; zeros if it was not asked for. */
  readonly checksum: readonly [number, number];
}

/** Reads the findings of a call of a check. @param at the address of its row. */
export function checkFindingsAt({ buffer }: WebAssembly.Memory, at: number): CheckFindings {
  const view = new DataView(buffer, at, FINDINGS_BYTES);
  const word = (offset: number) => view.getUint32(offset, true);
  return { inversions: word(4), duplicates: word(64), checksum: [word(68), word(72)] };
}

/** The findings of all kernel calls together. */
export interface Findings {
  readonly count: number;
  /** The number of neighbours in the wrong order. */
  readonly inversions: number;
  /** Two sums, modulo 2^64, of the elements and of their hashes. They do not depend on the order. */
  readonly sums: readonly [bigint, bigint];
  /** The narrowest range that contains every bit in which the words of the elements differ. */
  readonly varying: KeyBits;
}

interface LoggedWork {
  readonly memory: WebAssembly.Memory;
  readonly at: { readonly findings: number; readonly findingsRows: number };
  readonly ordering: Ordering;
}

/** Collects what kernel calls find, in any order of the calls. */
export class FindingsLog {
  readonly #at: number;
  readonly #ordering: Ordering;
  /** The rows in which calls leave their findings, as double words. */
  readonly #words: BigUint64Array;
  readonly #rows: Row[] = [];
  /** The most calls that leave findings at the same time. */
  readonly room: number;

  /**
   * @param work `at.findings` is the address of the rows in which calls leave their findings, again and
   * again.
   */
  constructor({ memory, at, ordering }: LoggedWork) {
    this.#at = at.findings;
    this.room = at.findingsRows;
    this.#ordering = ordering;
    this.#words = new BigUint64Array(memory.buffer, this.#at, this.room * ROW_WORDS);
  }

  /** Clears as many rows for calls, at most `room`. @returns the address of each. */
  rows(count: number): number[] {
    if (count > this.room) throw new RangeError(`${count} rows of findings do not fit in ${this.room}`);
    this.#words.fill(0n, 0, count * ROW_WORDS);
    const rows: number[] = [];
    for (let row = 0; row < count; row++) rows.push(this.#at + row * FINDINGS_BYTES);
    return rows;
  }

  /**
   * Keeps the findings of calls.
   *
   * @param froms the position of each call's first element.
   * @param first the first call's row.
   * @returns the number of elements in order, if they follow each other and those
   *   kept before; less if some are not in order.
   */
  keep(froms: readonly number[], first = 0): number {
    const before = this.#rows.length;
    let kept = 0;
    for (const [i, from] of froms.entries()) {
      const at = (first + i) * ROW_WORDS;
      const word = (place: number) => this.#words[at + place]!;
      const count = Number(word(0) & LOW);
      if (count === 0) continue;
      kept += count;
      this.#rows.push({
        from,
        count,
        inversions: Number(word(0) >> 32n),
        sums: [word(1), word(2)],
        varying: word(3),
        first: [word(4), word(5)],
        last: [word(6), word(7)],
      });
    }
    return kept - this.#inversionsFrom(before);
  }

  /** The number of neighbours in the wrong order from a row on, with the element before it. */
  #inversionsFrom(first: number): number {
    let inversions = 0;
    for (let i = first; i < this.#rows.length; i++) {
      const row = this.#rows[i]!;
      inversions += row.inversions + Number(i > 0 && this.#isAfter(this.#rows[i - 1]!.last, row.first));
    }
    return inversions;
  }

  /** Combines all findings, and compares the neighbours that two calls have inspected. */
  combined(): Findings {
    const rows = this.#rows.sort((a, b) => a.from - b.from);
    const word = rows[0]?.first[0] ?? 0n;
    let [count, sum, hashes, varying] = [0, 0n, 0n, 0n];
    for (const row of rows) {
      count += row.count;
      sum += row.sums[0];
      hashes += row.sums[1];
      varying |= row.varying | (word ^ row.first[0]);
    }
    return {
      count,
      inversions: this.#inversionsFrom(0),
      sums: [BigInt.asUintN(64, sum), BigInt.asUintN(64, hashes)],
      varying: rangeOfBits(Number(varying & LOW), Number(varying >> 32n)),
    };
  }

  /** Whether the first of these elements comes after the second one. */
  #isAfter(a: Element, b: Element): boolean {
    const { bytes, bits, pairs } = this.#ordering;
    const compared = ([word]: Element) => BigInt.asUintN(bits.end, word) >> BigInt(bits.begin);
    const [x, y] = [compared(a), compared(b)];
    if (x !== y || !pairs) return x > y;
    const indexOf = (element: Element) => element[bytes === 16 ? 1 : 0] & LOW;
    return indexOf(a) > indexOf(b);
  }
}
