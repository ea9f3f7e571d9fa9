import type { KeyBits } from "../sort/key.js";

/** Bytes of the findings of one kernel call in memory: see assembly/inspect.ts. */
export const FINDINGS_BYTES = 64;

/** Which part of an element decides the order. */
export interface Ordering {
  /** Bytes of an element. */
  readonly bytes: number;
  /** The compared bits of the element's first word. */
  readonly bits: KeyBits;
  /** Whether an index follows, which ascends where the bits are equal. */
  readonly pairs: boolean;
}

/** What a kernel call found in adjacent elements. */
interface Row {
  /** The position of the first element. */
  readonly from: number;
  readonly count: number;
  readonly inversions: number;
  readonly sums: readonly [bigint, bigint];
  readonly varying: bigint;
  /** The first word of the first element. */
  readonly word: bigint;
  readonly first: Compared;
  readonly last: Compared;
}

/** What decides the order of an element. */
type Compared = readonly [bits: bigint, index: bigint];

/** What the kernels found in all elements. */
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
  readonly #memory: WebAssembly.Memory;
  readonly #at: number;
  readonly #ordering: Ordering;
  readonly #rows: Row[] = [];
  /** The most calls that leave findings at the same time. */
  readonly room: number;

  /** @param work `at.findings` is the address of the rows in which calls leave their findings, again and again. */
  constructor({ memory, at, ordering }: LoggedWork) {
    this.#memory = memory;
    this.#at = at.findings;
    this.room = at.findingsRows;
    this.#ordering = ordering;
  }

  /** Clears as many rows for calls, at most `room`. @returns the address of each. */
  rows(count: number): number[] {
    if (count > this.room) throw new RangeError(`${count} rows of findings do not fit in ${this.room}`);
    new Uint8Array(this.#memory.buffer, this.#at, count * FINDINGS_BYTES).fill(0);
    return Array.from({ length: count }, (_, row) => this.#at + row * FINDINGS_BYTES);
  }

  /** Keeps what calls have found. @param froms the position of each call's first element. */
  keep(froms: readonly number[]): void {
    for (const [row, from] of froms.entries()) {
      const view = new DataView(this.#memory.buffer, this.#at + row * FINDINGS_BYTES, FINDINGS_BYTES);
      if (view.getUint32(0, true) === 0) continue;
      this.#rows.push({
        from,
        count: view.getUint32(0, true),
        inversions: view.getUint32(4, true),
        sums: [view.getBigUint64(8, true), view.getBigUint64(16, true)],
        varying: view.getBigUint64(24, true),
        word: view.getBigUint64(32, true),
        first: comparedAt(view, 32, this.#ordering),
        last: comparedAt(view, 48, this.#ordering),
      });
    }
  }

  /** Combines all findings, and compares the neighbours that two calls have inspected. */
  combined(): Findings {
    const rows = this.#rows.sort((a, b) => a.from - b.from);
    const word = rows[0]?.word ?? 0n;
    let [count, inversions, sum, hashes, varying] = [0, 0, 0n, 0n, 0n];
    for (const [i, row] of rows.entries()) {
      count += row.count;
      inversions += row.inversions + Number(i > 0 && isAfter(rows[i - 1]!.last, row.first));
      sum += row.sums[0];
      hashes += row.sums[1];
      varying |= row.varying | (word ^ row.word);
    }
    return {
      count,
      inversions,
      sums: [BigInt.asUintN(64, sum), BigInt.asUintN(64, hashes)],
      varying: rangeOf(varying),
    };
  }
}

function comparedAt(view: DataView, offset: number, { bytes, bits, pairs }: Ordering): Compared {
  const word = view.getBigUint64(offset, true);
  const compared = BigInt.asUintN(bits.end, word) >> BigInt(bits.begin);
  if (!pairs) return [compared, 0n];
  return [compared, bytes === 16 ? view.getBigUint64(offset + 8, true) : BigInt.asUintN(32, word)];
}

function isAfter(a: Compared, b: Compared): boolean {
  return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);
}

function rangeOf(bits: bigint): KeyBits {
  if (bits === 0n) return { begin: 0, end: 0 };
  const text = bits.toString(2);
  return { begin: text.length - 1 - text.lastIndexOf("1"), end: text.length };
}
