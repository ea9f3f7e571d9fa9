/**
 * What a sort must give, by plain comparisons. Ascending: -0 before 0, NaNs last and equal to each other.
 * Equal items keep their order in both directions.
 */
import { numbersOf } from "./float16.js";
import { bytesIn, bytesOf, keysIn, types } from "./types.js";

/**
 * @typedef {import("./spec.js").Field} Field
 * @typedef {import("./types.js").Keys} Keys
 * @typedef {import("./types.js").TypeName} TypeName
 * @typedef {(i: number, j: number) => number} Compare items by their numbers
 * @typedef {{ bytes: Uint8Array, itemBytes: number, fields: Field[] }} Items
 */

/**
 * A function that compares items i and j by all fields of the key, in ascending order.
 *
 * @param {Items} items
 * @returns {Compare}
 */
function comparer({ bytes, itemBytes, fields }) {
  const compares = fields.map((field) => fieldComparer(bytes, itemBytes, field));
  return (i, j) => {
    for (const compare of compares) {
      const order = compare(i, j);
      if (order !== 0) return order;
    }
    return 0;
  };
}

/**
 * @param {Uint8Array} bytes
 * @param {number} itemBytes
 * @param {Field} field
 * @returns {Compare}
 */
function fieldComparer(bytes, itemBytes, { offset, bytes: length = 0, type, big }) {
  if (type === undefined) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    /** @param {number} i */
    const start = (i) => i * itemBytes + offset;
    return (i, j) => buffer.compare(buffer, start(j), start(j) + length, start(i), start(i) + length);
  }
  const column = columnOf(bytes, itemBytes, offset, type, big);
  if (!types[type].float) return (i, j) => (column[i] < column[j] ? -1 : column[i] > column[j] ? 1 : 0);
  return (i, j) => compareFloats(Number(column[i]), Number(column[j]));
}

/**
 * @param {number} a
 * @param {number} b
 */
function compareFloats(a, b) {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  if (a === 0 && b === 0) return Number(Object.is(b, -0)) - Number(Object.is(a, -0));
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * One number of each item.
 *
 * @param {Uint8Array} bytes
 * @param {number} itemBytes
 * @param {number} offset
 * @param {TypeName} type
 * @param {boolean | undefined} big
 */
function columnOf(bytes, itemBytes, offset, type, big) {
  const size = bytesOf(type);
  const count = bytes.length / itemBytes;
  const column = new Uint8Array(count * size);
  for (let i = 0; i < count; i++) {
    const number = column.subarray(i * size, (i + 1) * size);
    number.set(bytes.subarray(i * itemBytes + offset, i * itemBytes + offset + size));
    if (big) number.reverse();
  }
  return numbersOf(keysIn(column, type));
}

/**
 * The indices of the items in their order.
 *
 * @param {Items} items
 * @param {Pick<import("./spec.js").Spec, "descending" | "unique" | "head">} how
 */
export function orderOf(items, { descending = false, unique = false, head } = {}) {
  const compare = comparer(items);
  const indices = new Uint32Array(items.bytes.length / items.itemBytes).map((_, i) => i);
  indices.sort(descending ? (i, j) => compare(j, i) || i - j : (i, j) => compare(i, j) || i - j);
  const kept = unique ? indices.filter((i, at) => at === 0 || compare(indices[at - 1], i) !== 0) : indices;
  return kept.subarray(0, head);
}

/**
 * The items at these indices.
 *
 * @param {{ bytes: Uint8Array, itemBytes: number }} items
 * @param {Uint32Array} indices
 */
export function gather({ bytes, itemBytes }, indices) {
  const gathered = new Uint8Array(indices.length * itemBytes);
  indices.forEach((from, to) => {
    gathered.set(bytes.subarray(from * itemBytes, (from + 1) * itemBytes), to * itemBytes);
  });
  return gathered;
}

/**
 * Where `actual` differs from `expected`; undefined if it does not.
 *
 * @param {Uint8Array} actual
 * @param {Uint8Array} expected
 * @param {number} itemBytes
 * @param {string} what
 */
export function bytesDiffer(actual, expected, itemBytes, what = "item") {
  if (actual.length !== expected.length) {
    return `${actual.length / itemBytes} ${what}s instead of ${expected.length / itemBytes}`;
  }
  if (Buffer.compare(actual, expected) === 0) return undefined;
  const at = Math.floor(actual.findIndex((byte, i) => byte !== expected[i]) / itemBytes);
  /** @param {Uint8Array} bytes */
  const hex = (bytes) => Buffer.from(bytes.subarray(at * itemBytes, (at + 1) * itemBytes)).toString("hex");
  return `${what} ${at} is ${hex(actual)} instead of ${hex(expected)}`;
}

/**
 * Where sorted keys differ. NaNs without values may come in any order, but each must be one of the input's.
 *
 * @param {Keys} all all keys of the input.
 * @param {boolean} sameNans whether the bits of NaNs can be compared; text does not keep them.
 * @param {Keys} actual
 * @param {Keys} expected
 */
export function keysDiffer(actual, expected, all, sameNans = true) {
  if (actual.length !== expected.length) return `${actual.length} keys instead of ${expected.length}`;
  const [got, wanted] = [bitsOf(actual), bitsOf(expected)];
  const [is, should] = [numbersOf(actual), numbersOf(expected)];
  /** @type {string[]} */
  const nans = [];
  for (let i = 0; i < wanted.length; i++) {
    if (Number.isNaN(should[i]) && Number.isNaN(is[i])) nans.push(String(got[i]));
    else if (got[i] !== wanted[i])
      return `key ${i} is ${is[i]} (${got[i]}) instead of ${should[i]} (${wanted[i]})`;
  }
  return sameNans ? strangeNan(nans, all) : undefined;
}

/**
 * @param {string[]} nans
 * @param {Keys} all
 */
function strangeNan(nans, all) {
  /** @type {Map<string, number>} */
  const left = new Map();
  if (nans.length === 0) return undefined;
  const numbers = numbersOf(all);
  bitsOf(all).forEach((bits, i) => {
    if (Number.isNaN(numbers[i])) left.set(String(bits), (left.get(String(bits)) ?? 0) + 1);
  });
  for (const bits of nans) {
    const count = left.get(bits) ?? 0;
    if (count === 0) return `a NaN with the bits ${bits} is not one of the input's`;
    left.set(bits, count - 1);
  }
  return undefined;
}

/**
 * @type {Record<number,
 *   new (buffer: ArrayBufferLike) => Uint8Array | Uint16Array | Uint32Array | BigUint64Array>}
 */
const bitArrays = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array };
/** @param {Keys} keys */
const bitsOf = (keys) => new bitArrays[keys.BYTES_PER_ELEMENT](new Uint8Array(bytesIn(keys)).buffer);
