import type { ElementType, KeyArray } from "../elements.js";
import type { KeyBits } from "../sort/key.js";

/**
 * The ordered forms of all keys: one array per word of a key, least significant word first. Comparing the
 * forms as unsigned numbers gives the order of the sort.
 */
export type OrderedForms = readonly Uint32Array[];

/**
 * Computes the ordered forms as wgsl/shared/order/32.wgsl and 64.wgsl define them, except that all NaNs have
 * one form, as in wgsl/shared/compared/. Bits outside of `bits` are zero, so that they do not affect the
 * order.
 */
export function orderedFormsOf(
  keys: KeyArray,
  type: ElementType,
  descending: boolean,
  bits: KeyBits,
): OrderedForms {
  const width = 8 * type.bytes;
  const count = keys.length;
  const stored = wordsOf(keys, type);
  const low = new Uint32Array(count);
  const high = new Uint32Array(type.words === 2 ? count : 0);
  const top = type.words === 2 ? high : low;
  const sign = 2 ** ((width - 1) % 32);
  const topBits = ((width - 1) % 32) + 1;
  const all = topBits === 32 ? 0xffff_ffff : 2 ** topBits - 1;
  for (let i = 0; i < count; i++) {
    low[i] = stored[type.words * i]!;
    if (type.words === 2) high[i] = stored[2 * i + 1]!;
    if (type.order === "signed") top[i]! ^= sign;
    if (type.order === "float") {
      const isNegative = top[i]! >= sign;
      if (type.words === 1) {
        low[i] = (low[i]! ^ (isNegative ? all : sign)) - NEGATIVE_NANS_32;
      } else {
        const flipped = isNegative ? ~low[i]! >>> 0 : low[i]!;
        high[i] =
          (high[i]! ^ (isNegative ? all : sign)) - NEGATIVE_NANS_64_HIGH - (flipped < 0xffff_ffff ? 1 : 0);
        low[i] = flipped - 0xffff_ffff;
      }
      if (Number.isNaN(keys[i])) {
        low[i] = 0xffff_ffff;
        top[i] = 0xffff_ffff;
      }
    }
    if (descending) {
      top[i]! ^= all;
      if (type.words === 2) low[i] = ~low[i]!;
    }
  }
  return [low, high].slice(0, type.words).map((words, place) => {
    const from = Math.min(32, Math.max(0, bits.begin - 32 * place));
    const to = Math.min(32, Math.max(0, bits.end - 32 * place));
    const mask = 2 ** to - 2 ** Math.min(from, to);
    return words.map((word) => word & mask);
  });
}

const NEGATIVE_NANS_32 = 0x007f_ffff;
const NEGATIVE_NANS_64_HIGH = 0x000f_ffff;

/** @returns a view of the keys' bits, with `type.words` elements per key. */
function wordsOf(
  { buffer, byteOffset, length }: KeyArray,
  { bytes, words }: ElementType,
): Uint8Array | Uint16Array | Uint32Array {
  const array = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Uint32Array }[bytes];
  return new array(buffer as ArrayBuffer, byteOffset, length * words);
}

/**
 * Computes the indices of the keys in the stable order of their forms. It is a radix sort whose digits are
 * words, from the least significant word on. In each pass, it sorts 64-bit numbers: the upper half is the
 * key's word, the lower half is the key's position after the previous pass.
 */
export function sortedIndices(forms: OrderedForms): Uint32Array<ArrayBuffer> {
  const count = forms[0]!.length;
  let indices = new Uint32Array(count).map((_, i) => i);
  for (const words of forms) {
    const paired = new BigUint64Array(count);
    const halves = new Uint32Array(paired.buffer);
    for (let place = 0; place < count; place++) {
      halves[2 * place] = place;
      halves[2 * place + 1] = words[indices[place]!]!;
    }
    paired.sort();
    const next = new Uint32Array(count);
    for (let place = 0; place < count; place++) next[place] = indices[halves[2 * place]!]!;
    indices = next;
  }
  return indices;
}
