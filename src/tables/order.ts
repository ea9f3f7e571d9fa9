import { codesOf } from "./codes.js";
import type { Column } from "./column.js";
import type { Argsort, Codes, ColumnCodes } from "./key_codes.js";

/** A column to sort by, and how. */
export interface Key {
  readonly name: string;
  /** The column's place in the table, from 0. */
  readonly place: number;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

/** The order of a table's rows. */
export interface RowOrder {
  /** The row that comes first, then the second, … */
  readonly rows: Uint32Array;
  /** Whether two rows have equal keys. */
  readonly isEqual: (a: number, b: number) => boolean;
}

/**
 * Sorts the rows of a table. The keys of a row become one long number, its first key most significant, in as
 * few words of 64 bits as they fit in; the words are sorted from the last to the first, each by a stable
 * sort.
 */
export async function orderRows(
  columns: readonly Column[],
  keys: readonly Key[],
  rowCount: number,
  argsort: Argsort,
): Promise<RowOrder> {
  const codes: Codes[] = [];
  for (const key of keys) codes.push(...directed(await codesOf(columns[key.place]!, argsort), key, rowCount));
  const words = packed(codes, rowCount);
  let rows: Uint32Array | undefined;
  for (const word of words.toReversed()) {
    if (!rows) {
      rows = await argsort(word);
      continue;
    }
    const before: Uint32Array = rows;
    const moved = movedWord(word, before);
    const order = await argsort(moved);
    rows = order.map((at) => before[at]!);
  }
  const arrays = words.map((word) => ({
    word: new Uint32Array(word.buffer),
    per: word.BYTES_PER_ELEMENT / 4,
  }));
  return {
    rows: rows ?? Uint32Array.from({ length: rowCount }, (_, row) => row),
    isEqual: (a, b) =>
      arrays.every(
        ({ word, per }) =>
          word[per * a] === word[per * b] && word[per * a + per - 1] === word[per * b + per - 1],
      ),
  };
}

/** The first rows of an order: without those that equal the one before, if they are to be unique. */
export function wantedRows({ rows, isEqual }: RowOrder, unique: boolean, head: number): Uint32Array {
  const kept = unique ? rows.filter((row, at) => at === 0 || !isEqual(rows[at - 1]!, row)) : rows;
  return kept.subarray(0, head);
}

/** Turns the codes around for a descending key, and puts those of nulls where they belong. */
function directed({ codes, valid }: ColumnCodes, key: Key, rowCount: number): Codes[] {
  for (const { bits, low, high } of codes) {
    const lowMask = bits >= 32 ? 0xffff_ffff : 2 ** bits - 1;
    const highMask = bits > 32 ? 2 ** (bits - 32) - 1 : 0;
    for (let row = 0; row < rowCount; row++) {
      if (valid && valid[row] === 0) {
        low[row] = 0;
        if (high) high[row] = 0;
      } else if (key.descending) {
        low[row] = low[row]! ^ lowMask;
        if (high) high[row] = high[row]! ^ highMask;
      }
    }
  }
  if (!valid) return [...codes];
  const first = new Uint32Array(rowCount);
  for (let row = 0; row < rowCount; row++) first[row] = Number((valid[row] === 1) === key.nullsFirst);
  return [{ bits: 1, low: first }, ...codes];
}

/** Puts codes side by side into as few words as they fit in, without cutting one. */
function packed(codes: readonly Codes[], rowCount: number): (Uint32Array | BigUint64Array)[] {
  const groups: Codes[][] = [];
  let free = 0;
  for (const one of codes) {
    if (one.bits > free) {
      groups.push([]);
      free = 64;
    }
    groups.at(-1)!.push(one);
    free -= one.bits;
  }
  return groups.map((group) => {
    const bits = group.reduce((sum, one) => sum + one.bits, 0);
    const [only] = group;
    if (group.length === 1 && bits <= 32) return only!.low;
    const pairs = new Uint32Array(2 * rowCount);
    for (const one of group) append(pairs, one);
    if (bits > 32) return new BigUint64Array(pairs.buffer);
    const low = new Uint32Array(rowCount);
    for (let row = 0; row < rowCount; row++) low[row] = pairs[2 * row]!;
    return low;
  });
}

/** Moves all words up by the bits of a code, and puts the code below. */
function append(pairs: Uint32Array, { bits, low, high }: Codes): void {
  const rowCount = pairs.length / 2;
  for (let row = 0; row < rowCount; row++) {
    let l = pairs[2 * row]!;
    let h = pairs[2 * row + 1]!;
    if (bits >= 32) [h, l] = [bits === 64 ? 0 : l << (bits - 32), 0];
    else if (bits > 0) [h, l] = [(h << bits) | (l >>> (32 - bits)), l << bits];
    pairs[2 * row] = l | low[row]!;
    pairs[2 * row + 1] = high ? h | high[row]! : h;
  }
}

function movedWord(word: Uint32Array | BigUint64Array, rows: Uint32Array): Uint32Array | BigUint64Array {
  const from = new Uint32Array(word.buffer);
  const moved = new Uint32Array(from.length);
  if (word instanceof Uint32Array) {
    for (let i = 0; i < rows.length; i++) moved[i] = from[rows[i]!]!;
    return moved;
  }
  for (let i = 0; i < rows.length; i++) {
    moved[2 * i] = from[2 * rows[i]!]!;
    moved[2 * i + 1] = from[2 * rows[i]! + 1]!;
  }
  return new BigUint64Array(moved.buffer);
}
