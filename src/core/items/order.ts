import type { ElementType } from "../elements.js";
import { float16Rank } from "../float16.js";
import type { ItemComparator } from "../streams/sinks.js";
import type { Item, RecordItem, RecordKey } from "./item.js";

/** The order of items, for the few comparisons that need no GPU. All NaNs are equal; -0 comes before +0. */
export interface ItemOrder extends ItemComparator<ItemView> {
  readonly item: Item;
}

/** A view of items. Its class depends on the order that made it, and only that order can read it. */
export type ItemView = Uint32Array | Int32Array | Float32Array | Float64Array | Uint8Array | Wide | DataView;

/** 64-bit integers as pairs of words. One BigInt per key would be ten times slower. */
interface Wide {
  readonly words: Uint32Array;
}

export function itemOrder(item: Item, descending: boolean): ItemOrder {
  const { view, compare } = item.kind === "key" ? keyCompare(item.type) : recordCompare(item);
  // The direction is chosen here and not in each comparison, because comparisons run for every key.
  return {
    item,
    itemBytes: item.bytes,
    view,
    compare: descending ? (a, i, b, j) => compare(b, j, a, i) : compare,
  };
}

type Compare = Pick<ItemOrder, "view" | "compare">;

function keyCompare(type: ElementType): Compare {
  const view = (bytes: Uint8Array) => {
    const aligned = bytes.byteOffset % type.bytes === 0 ? bytes : bytes.slice();
    return new type.array(
      aligned.buffer,
      aligned.byteOffset,
      Math.floor(aligned.byteLength / type.bytes),
    ) as never;
  };
  if (type.name === "f16") return { view, compare: compareFloat16 as never };
  if (type.order === "float") return { view, compare: compareFloats as never };
  if (type.bytes < 8) return { view, compare: compareNumbers as never };
  const wide = (bytes: Uint8Array) => {
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    return {
      words: new Uint32Array(aligned.buffer, aligned.byteOffset, Math.floor(aligned.byteLength / 8) * 2),
    };
  };
  return {
    view: wide,
    compare: type.order === "signed" ? (compareSigned64 as never) : (compareUnsigned64 as never),
  };
}

type Numbers = ArrayLike<number>;

function compareNumbers(a: Numbers, i: number, b: Numbers, j: number): number {
  return a[i]! - b[j]!;
}

function compareFloats(a: Numbers, i: number, b: Numbers, j: number): number {
  const x = a[i]!;
  const y = b[j]!;
  if (x < y) return -1;
  if (x > y) return 1;
  if (x === y) return x !== 0 ? 0 : Number(Object.is(y, -0)) - Number(Object.is(x, -0));
  return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
}

function compareFloat16(a: Numbers, i: number, b: Numbers, j: number): number {
  return float16Rank(a[i]!) - float16Rank(b[j]!);
}

function compareUnsigned64(a: Wide, i: number, b: Wide, j: number): number {
  const high = a.words[2 * i + 1]! - b.words[2 * j + 1]!;
  return high !== 0 ? high : a.words[2 * i]! - b.words[2 * j]!;
}

function compareSigned64(a: Wide, i: number, b: Wide, j: number): number {
  const high = (a.words[2 * i + 1]! | 0) - (b.words[2 * j + 1]! | 0);
  return high !== 0 ? high : a.words[2 * i]! - b.words[2 * j]!;
}

function recordCompare({ bytes, keys, byteOrder }: RecordItem): Compare {
  const compares = keys.map((key) => fieldCompare(key, byteOrder === "little"));
  const first = compares[0]!;
  const view = (from: Uint8Array) => new DataView(from.buffer, from.byteOffset, from.byteLength);
  const compare = (a: DataView, i: number, b: DataView, j: number): number => {
    let order = first(a, i * bytes, b, j * bytes);
    for (let k = 1; order === 0 && k < compares.length; k++) order = compares[k]!(a, i * bytes, b, j * bytes);
    return order;
  };
  return { view, compare: compare as never };
}

/** @returns a function that compares a field of two records, which begin at bytes `i` and `j`. */
function fieldCompare(
  key: RecordKey,
  little: boolean,
): (a: DataView, i: number, b: DataView, j: number) => number {
  const { offset } = key;
  if ("type" in key) {
    const order = keyCompare(key.type);
    const [x, y] = [new Uint8Array(key.type.bytes), new Uint8Array(key.type.bytes)];
    const [xs, ys] = [order.view(x), order.view(y)];
    return (a, i, b, j) => {
      copyField(a, i + offset, x, little);
      copyField(b, j + offset, y, little);
      return order.compare(xs, 0, ys, 0);
    };
  }
  return (a, i, b, j) => {
    let at = offset;
    const end = offset + key.bytes;
    for (; at + 4 <= end; at += 4) {
      const difference = a.getUint32(i + at) - b.getUint32(j + at);
      if (difference !== 0) return difference;
    }
    for (; at < end; at++) {
      const difference = a.getUint8(i + at) - b.getUint8(j + at);
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

function copyField(record: DataView, at: number, into: Uint8Array, little: boolean): void {
  for (let i = 0; i < into.length; i++) into[little ? i : into.length - 1 - i] = record.getUint8(at + i);
}
