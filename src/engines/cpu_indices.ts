import type { ElementType, KeyArray } from "../elements.js";
import type { KeyBits } from "../sort/key.js";

/** The words of the keys' images, least significant first: unsigned numbers in the order that is asked for. */
export type Images = readonly Uint32Array[];

/** The images of wgsl/shared/order32.wgsl and order64.wgsl, without the bits that do not decide. */
export function imagesOf(keys: KeyArray, type: ElementType, descending: boolean, bits: KeyBits): Images {
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
    }
    if (descending) {
      top[i]! ^= all;
      if (type.words === 2) low[i] = ~low[i]!;
    }
  }
  return [low, high].slice(0, type.words).map((words, word) => {
    const from = Math.min(32, Math.max(0, bits.begin - 32 * word));
    const to = Math.min(32, Math.max(0, bits.end - 32 * word));
    const mask = 2 ** to - 2 ** Math.min(from, to);
    return words.map((image) => image & mask);
  });
}

const NEGATIVE_NANS_32 = 0x007f_ffff;
const NEGATIVE_NANS_64_HIGH = 0x000f_ffff;

/** The keys' bits, `type.words` numbers a key. */
function wordsOf(
  { buffer, byteOffset, length }: KeyArray,
  { bytes, words }: ElementType,
): Uint8Array | Uint16Array | Uint32Array {
  const array = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Uint32Array }[bytes];
  return new array(buffer as ArrayBuffer, byteOffset, length * words);
}

/**
 * The stable order of the images: word by word from the least significant, each word sorted together with the place that
 * its key has so far, which tells equal words apart. The engine's own sort of 64-bit numbers does the work.
 */
export function sortedIndices(images: Images): Uint32Array<ArrayBuffer> {
  const count = images[0]!.length;
  let indices = new Uint32Array(count).map((_, i) => i);
  for (const words of images) {
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
