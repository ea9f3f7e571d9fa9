import type { Float, Int } from "apache-arrow";
import type { Column, ColumnOf } from "./column.js";
import type { Key } from "./order.js";
import { TypeId } from "./type_ids.js";

/** Compares row a of one column with row b: less than, equal to, or more than 0, as in `Array.sort`. */
export type CompareRows = (a: number, b: number) => number;

/**
 * Compares rows by keys, value by value. It shares no code with the sort, so that it can check it.
 *
 * @param columns the table's columns.
 */
export function comparing(columns: readonly Column[], keys: readonly Key[]): CompareRows {
  const each = keys.map((key) => comparingKey(columns[key.place]!, key));
  if (each.length === 1) return each[0]!;
  return (a, b) => {
    for (const compare of each) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}

function comparingKey(column: Column, { descending, nullsFirst }: Key): CompareRows {
  const values = comparingValues(column);
  const directed: CompareRows = descending ? (a, b) => values(b, a) : values;
  const isNull = nullTest(column);
  if (!isNull) return directed;
  const nullBefore = nullsFirst ? -1 : 1;
  return (a, b) => {
    if (isNull(a)) return isNull(b) ? 0 : nullBefore;
    return isNull(b) ? -nullBefore : directed(a, b);
  };
}

/** @returns undefined if no row is null. */
function nullTest(column: Column): ((row: number) => boolean) | undefined {
  const { valid } = column;
  if (column.kind === "null") return () => true;
  if (column.kind !== "dictionary") return valid && ((row) => valid[row] === 0);
  const { indices, dictionary } = column;
  const inside = nullTest(dictionary);
  if (!inside) return valid && ((row) => valid[row] === 0);
  return (row) => valid?.[row] === 0 || inside(indices[row]!);
}

function comparingValues(column: Column): CompareRows {
  switch (column.kind) {
    case "null":
      return () => 0;
    case "bool":
      return comparingNumbers(column.values);
    case "bytes":
      return comparingBytes(column);
    case "fixed":
      return comparingFixed(column);
    case "dictionary": {
      const { indices, dictionary } = column;
      const compare = comparingValues(dictionary);
      return (a, b) => (indices[a] === indices[b] ? 0 : compare(indices[a]!, indices[b]!));
    }
    default:
      throw new TypeError(`a ${column.kind} column has no order`);
  }
}

const comparingNumbers = (values: ArrayLike<number>) => (a: number, b: number) => values[a]! - values[b]!;

function comparingBytes({ offsets, values }: Pick<ColumnOf<"bytes">, "offsets" | "values">): CompareRows {
  return (a, b) => {
    const [startA, startB] = [offsets[a]!, offsets[b]!];
    const [lengthA, lengthB] = [offsets[a + 1]! - startA, offsets[b + 1]! - startB];
    const common = Math.min(lengthA, lengthB);
    for (let i = 0; i < common; i++) {
      const difference = values[startA + i]! - values[startB + i]!;
      if (difference !== 0) return difference;
    }
    return lengthA - lengthB;
  };
}

function comparingFixed(column: ColumnOf<"fixed">): CompareRows {
  const { type, width, values, length } = column;
  const { typeId } = type as { typeId: number };
  const { buffer } = values;
  if (typeId === TypeId.fixedSizeBinary) {
    return comparingBytes({
      values,
      offsets: Uint32Array.from({ length: length + 1 }, (_, row) => row * width),
    });
  }
  if (typeId === TypeId.float) {
    const { precision } = type as Float;
    if (precision === 0) return comparingFloats(halves(new Uint16Array(buffer)));
    return comparingFloats(precision === 1 ? new Float32Array(buffer) : new Float64Array(buffer));
  }
  const isSigned = typeId !== TypeId.int || (type as Int).isSigned;
  if (width === 1) return comparingNumbers(isSigned ? new Int8Array(buffer) : values);
  if (width === 2) return comparingNumbers(isSigned ? new Int16Array(buffer) : new Uint16Array(buffer));
  if (width === 4) return comparingNumbers(isSigned ? new Int32Array(buffer) : new Uint32Array(buffer));
  const unsigned = new BigUint64Array(buffer);
  const signed = isSigned ? new BigInt64Array(buffer) : unsigned;
  const words = width / 8;
  return (a, b) => {
    for (let word = words - 1; word >= 0; word--) {
      const from = word === words - 1 ? signed : unsigned;
      const [x, y] = [from[a * words + word]!, from[b * words + word]!];
      if (x !== y) return x < y ? -1 : 1;
    }
    return 0;
  };
}

/** The order of `TypedArray.prototype.sort`: -0 before +0, and NaNs, which are all equal, last. */
function comparingFloats(values: ArrayLike<number>): CompareRows {
  return (a, b) => {
    const [x, y] = [values[a]!, values[b]!];
    if (x < y) return -1;
    if (x > y) return 1;
    if (x === y) return x === 0 ? Number(Object.is(y, -0)) - Number(Object.is(x, -0)) : 0;
    return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  };
}

/** Halves as numbers. */
function halves(words: Uint16Array): Float64Array {
  return Float64Array.from(words, (word) => {
    const sign = word & 0x8000 ? -1 : 1;
    const exponent = (word >> 10) & 0x1f;
    const fraction = word & 0x3ff;
    if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
    return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
  });
}
