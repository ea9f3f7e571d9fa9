import { expect } from "vitest";
import type { ElementType, KeyArray } from "../../src/core/elements.js";
import { Float16Bits, float16Number } from "../../src/core/float16.js";
import { mix } from "../../src/core/items/mix.js";
import { keyParts, type SortOptions } from "../../src/core/sort/key.js";
import { keyOps } from "../../src/demos/cpu/order.js";
import { distribution, generateKeys } from "../../src/testdata/distributions.js";

/** A key as a number. */
export function valueAt(keys: KeyArray, i: number): number | bigint | undefined {
  return keys instanceof Float16Bits && i < keys.length ? float16Number(keys[i]!) : keys[i];
}

/**
 * Random keys that differ in some quarters of their bits only.
 *
 * @param quarters a bit for each quarter in which they differ, the lowest quarter first.
 */
export function keysOfQuarters(type: ElementType, keyCount: number, quarters: number): KeyArray {
  const keys = randomKeys(type, keyCount, 5);
  const bytes = new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);
  for (let i = type.bytes; i < bytes.length; i++) {
    const quarter = Math.floor((4 * (i % type.bytes)) / type.bytes);
    if (((quarters >> quarter) & 1) === 0) bytes[i] = bytes[i - type.bytes]!;
  }
  return keys;
}

/**
 * Signed keys from -2^bits to 2^bits - 1. Both of these occur, but most keys are close to 0 and share their
 * digits.
 *
 * @param gap is added to each key, or subtracted from one below 0.
 */
export function keysNearZero(type: ElementType, keyCount: number, bits: number, gap = 0): KeyArray {
  const keys = new type.array(keyCount) as KeyArray;
  const put = (i: number, key: number) => {
    const moved = key < 0 ? key - gap : key + gap;
    keys[i] = type.bytes === 8 ? BigInt(moved) : moved;
  };
  for (let i = 0; i < keyCount; i++) put(i, Math.floor((mix(i) / 2 ** 31 - 1) ** 9 * 2 ** bits));
  put(1, -(2 ** bits));
  put(keyCount - 1, 2 ** bits - 2 ** Math.max(0, bits - 52));
  return keys;
}

/** Keys as numbers. */
export function valuesOf(keys: KeyArray): (number | bigint)[] {
  return Array.from({ length: keys.length }, (_, i) => valueAt(keys, i)!);
}

/** Keys as an array whose elements are equal if the keys are: all NaNs are. */
export function comparable(keys: KeyArray): KeyArray {
  return keys instanceof Float16Bits ? Float32Array.from(keys, float16Number) : keys;
}

/** Random bit patterns. Floats include NaNs. */
export function randomKeys(type: ElementType, keyCount: number, seed: number): KeyArray {
  return generateKeys(distribution("uniform"), type, keyCount, seed);
}

/** Inputs that break faulty sorts, by name. Each makes `keyCount` keys of a type. */
export const distributions: Record<string, (type: ElementType, keyCount: number) => KeyArray> = {
  uniform: (type, keyCount) => randomKeys(type, keyCount, 7),
  sorted: (type, keyCount) => randomKeys(type, keyCount, 8).sort(),
  reversed: (type, keyCount) => randomKeys(type, keyCount, 9).sort().reverse(),
  constant: (type, keyCount) => fromWords(type, keyCount, () => 0x41c80000),
  "few values": (type, keyCount) => fromWords(type, keyCount, (i) => (Math.imul(i, 0x9e3779b1) >>> 29) << 23),
  // The largest unsigned key, -1, or a NaN. A careless sort pads with it.
  "all ones": (type, keyCount) => fromWords(type, keyCount, () => 0xffffffff),
  "all ones and zeros": (type, keyCount) => fromWords(type, keyCount, (i) => (i % 3 === 0 ? 0 : 0xffffffff)),
  specials,
};

/**
 * Bits of NaNs of both signs with payloads, infinities, zeros of both signs, and subnormals, for any type.
 */
function specials(type: ElementType, keyCount: number): KeyArray {
  const tops = [
    0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7f800000, 0xff800000, 0, 0x80000000, 1, 0x80000001,
  ];
  const wide = [0x7ff80000, 0xfff80000, 0x7ff00000, 0xfff00000, 0, 0x80000000, 0x3ff00000, 0xbff00000];
  const noise = randomKeys(type, keyCount, 10);
  if (type.name === "f16") {
    const halves = [0x7e00, 0xfe00, 0x7c01, 0xfc01, 0x7c00, 0xfc00, 0, 0x8000, 1, 0x8001];
    return noise.map(((bits: number, i: number) =>
      bits % 5 === 0 ? bits : halves[i % 10]!) as never) as KeyArray;
  }
  if (type.bytes < 4) return noise;
  const words = new Uint32Array(noise.buffer);
  const special = type.words === 1 ? tops : wide;
  for (let i = 0; i < keyCount; i++) {
    if (words[i * type.words]! % 5 !== 0) words[(i + 1) * type.words - 1] = special[i % special.length]!;
    if (type.words === 2 && i % 3 === 0) words[i * 2] = 0;
  }
  return noise;
}

/** Keys with these words. Keys of fewer than 32 bits have the topmost bits of these words. */
function fromWords(type: ElementType, keyCount: number, word: (i: number) => number): KeyArray {
  if (type.bytes < 4) {
    const bits = Array.from({ length: keyCount }, (_, i) => word(i) >>> (32 - 8 * type.bytes));
    const array = type.bytes === 1 ? Uint8Array : Uint16Array;
    return new type.array(new array(bits).buffer);
  }
  return new type.array(
    new Uint32Array(keyCount * type.words).map((_, i) => word(Math.floor(i / type.words))).buffer,
  );
}

/** Keys as the whole words of a plan's buffer. */
export function wordsOfKeys(keys: KeyArray): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(keys.byteLength / 4));
  new Uint8Array(words.buffer).set(new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength));
  return words;
}

/** The expected sorted keys. */
export function sortedCopy(keys: KeyArray, descending: boolean): KeyArray {
  const sorted = keys.slice().sort();
  return descending ? sorted.reverse() : sorted;
}

/**
 * Describes the first difference between `actual` and the expected sorted keys of `input`; undefined if there
 * is none. All NaNs count as equal, but they must have the bits of the input's NaNs, in any order.
 */
export function difference(input: KeyArray, actual: KeyArray, descending: boolean): string | undefined {
  const expected = sortedCopy(input, descending);
  if (actual.length !== expected.length) return `${actual.length} keys instead of ${expected.length}`;
  for (let i = 0; i < expected.length; i++) {
    const [is, should] = [valueAt(actual, i), valueAt(expected, i)];
    if (!Object.is(is, should)) return `key ${i} is ${is} instead of ${should}`;
  }
  if (!Number.isNaN(valueAt(expected, descending ? 0 : expected.length - 1))) return undefined;
  return sameBytes(nanBits(input), nanBits(actual)) ? undefined : "the NaNs lost their payloads";
}

/** The bits of all NaNs, in the order of unsigned numbers. */
function nanBits(keys: KeyArray): BigUint64Array | Uint32Array | Uint16Array {
  const array = { 8: BigUint64Array, 4: Uint32Array, 2: Uint16Array }[keys.BYTES_PER_ELEMENT]!;
  const bits = new array(keys.buffer as ArrayBuffer, keys.byteOffset, keys.length) as Uint32Array;
  return bits.filter((_, i) => Number.isNaN(valueAt(keys, i))).sort();
}

/**
 * The expected indices: ordered by the keys' ordered forms, or by some of their bits, and then by the
 * indices. All NaNs are equal, unless they are ordered by their bits, as a sort of keys alone does.
 */
export function expectedIndices(
  keys: KeyArray,
  type: ElementType,
  { descending, bits }: Pick<SortOptions, "descending" | "bits">,
  nans: "equal" | "by their bits" = "equal",
): Uint32Array {
  const name = JSON.stringify([type.name, keys.length, descending, bits, nans]);
  const found = lastOrders.get(name);
  if (found && sameBytes(found.keys, keys)) return found.order.slice();
  const order = sortedIndices(keys, type, { descending, bits }, nans);
  if (lastOrders.size > 100) lastOrders.clear();
  lastOrders.set(name, { keys: keys.slice() as KeyArray, order });
  return order.slice();
}

/** Tests sort the same keys in several ways. */
const lastOrders = new Map<string, { readonly keys: KeyArray; readonly order: Uint32Array }>();

function sortedIndices(
  keys: KeyArray,
  type: ElementType,
  { descending, bits }: Pick<SortOptions, "descending" | "bits">,
  nans: "equal" | "by their bits",
): Uint32Array {
  const ops = keyOps(8 * type.bytes, keyParts(type, { descending }).constants);
  const words = wordsOfKeys(keys);
  const most = type.bytes === 8 ? 0xffff_ffff_ffff_ffffn : 2 ** (8 * type.bytes) - 1;
  const least = type.bytes === 8 ? 0n : 0;
  const formAt = (i: number) => {
    if (nans === "equal" && Number.isNaN(valueAt(keys, i))) return descending ? least : most;
    return ops.toOrdered(ops.read(words, i));
  };
  const forms = type.bytes === 8 ? new BigUint64Array(keys.length) : new Uint32Array(keys.length);
  for (let i = 0; i < forms.length; i++)
    forms[i] = bits ? ops.field(formAt(i), bits.begin, bits.end) : formAt(i);
  // Stable sorts by ever higher parts of the forms, each of numbers that end with places, so that none are
  // equal.
  const partsOfForms = keys.length <= 2 ** 21 ? new Uint32Array(forms.buffer) : new Uint16Array(forms.buffer);
  const formParts = forms.BYTES_PER_ELEMENT / partsOfForms.BYTES_PER_ELEMENT;
  const places = 2 ** (53 - 8 * partsOfForms.BYTES_PER_ELEMENT);
  const numbers = new Float64Array(keys.length);
  const order = new Uint32Array(keys.length).map((_, i) => i);
  for (let part = 0; part < formParts; part++) {
    for (let i = 0; i < numbers.length; i++)
      numbers[i] = partsOfForms[order[i]! * formParts + part]! * places + i;
    numbers.sort();
    const before = order.slice();
    for (let i = 0; i < numbers.length; i++)
      order[i] = before[numbers[i]! - Math.floor(numbers[i]! / places) * places]!;
  }
  return order;
}

/** A copy of the bytes of an array. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array<ArrayBuffer> =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();

/** Those items of `size` bytes each that lie at the given places. */
export function inOrder(items: ArrayBufferView, size: number, order: Uint32Array): Uint8Array<ArrayBuffer> {
  const array = size % 4 === 0 ? Uint32Array : size % 2 === 0 ? Uint16Array : Uint8Array;
  const parts = size / array.BYTES_PER_ELEMENT;
  const from = new array(bytesOf(items).buffer);
  const moved = new array(order.length * parts);
  for (let i = 0; i < moved.length; i++)
    moved[i] = from[order[Math.floor(i / parts)]! * parts + (i % parts)]!;
  return new Uint8Array(moved.buffer);
}

const sameBytes = (a: ArrayBufferView, b: ArrayBufferView) =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(Buffer.from(b.buffer, b.byteOffset, b.byteLength));

/** `toEqual` for long arrays, of which it names the first difference alone. */
export function expectSame(actual: KeyArray, expected: KeyArray, where = ""): void {
  if (actual.constructor === expected.constructor && sameBytes(actual, expected)) return;
  expect(actual.length, where).toBe(expected.length);
  const [is, should] = [comparable(actual), comparable(expected)];
  const at = is.findIndex((value: number | bigint, i: number) => !Object.is(value, should[i]));
  expect(at < 0 ? "" : `element ${at} is ${is[at]} instead of ${should[at]}`, where).toBe("");
}
