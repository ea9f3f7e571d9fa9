import type { Item } from "../formats/format.js";
import { mix } from "../twins/order.js";

/**
 * Two sums, modulo 2^32, of independent hashes of items: equal for equal multisets of items, in whatever order they
 * are, and else with a chance of 2^-64. Sums of parts add up to the sum of the whole.
 */
export type Checksum = readonly [number, number];

const SEED_A = 0x9e3779b9;
const SEED_B = 0x7f4a7c15;

/** Of keys of 4 and 8 bytes the sums are those of wgsl/inspect.wgsl. */
export function checksum(bytes: Uint8Array, item: Item): Checksum {
  return [hashSum(bytes, item, SEED_A), hashSum(bytes, item, SEED_B)];
}

/** The first of the two sums, for half the time. */
export function partialChecksum(bytes: Uint8Array, item: Item): number {
  return hashSum(bytes, item, SEED_A);
}

/**
 * A plain sum of keys, at the rate of memory: it tells that what was sorted and checked elsewhere arrived as it was
 * sent, as a fault of memory or of a disk changes it. Of records it is one of their checksum's sums.
 */
export function transferSum(bytes: Uint8Array, item: Item): number {
  if (item.kind === "record") return partialChecksum(bytes, item);
  if (item.bytes === 1) return plainSum(bytes);
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  if (item.bytes === 2)
    return plainSum(new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 2));
  return wordSum(
    new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4),
    item.bytes === 8,
  );
}

function plainSum(elements: Uint8Array | Uint16Array): number {
  let sum = 0;
  for (let i = 0; i < elements.length; i++) sum = (sum + elements[i]!) | 0;
  return sum >>> 0;
}

/** Of pairs, the high words count differently from the low ones. */
function wordSum(words: Uint32Array, pairs: boolean): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = words.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    a = (a + words[i]!) | 0;
    b = (b + words[i + 1]!) | 0;
    c = (c + words[i + 2]!) | 0;
    d = (d + words[i + 3]!) | 0;
  }
  let [low, high] = [a + c, b + d];
  for (let i = whole; i < words.length; i++) {
    if (i % 2 === 0) low += words[i]!;
    else high += words[i]!;
  }
  return (low + (pairs ? Math.imul(high, 0x9e3779b1) : high)) >>> 0;
}

export function addChecksums(a: Checksum, b: Checksum): Checksum {
  return [(a[0] + b[0]) >>> 0, (a[1] + b[1]) >>> 0];
}

function hashSum(bytes: Uint8Array, item: Item, seed: number): number {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  if (item.bytes % 4 === 0) {
    const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
    if (item.bytes === 4) return hashWords(words, seed);
    return item.bytes === 8 ? hashPairs(words, seed) : hashItems(words, item.bytes / 4, seed);
  }
  if (item.bytes === 2) {
    return hashItems(new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 2), 1, seed);
  }
  return hashItems(aligned, item.bytes, seed);
}

/** `mix` by hand, two keys at a time: this is called for every key there is. */
function hashWords(words: Uint32Array, seed: number): number {
  let [even, odd] = [0, 0];
  const pairs = words.length & ~1;
  for (let i = 0; i < pairs; i += 2) {
    let a = words[i]! ^ seed;
    let b = words[i + 1]! ^ seed;
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b);
    b = Math.imul(b ^ (b >>> 16), 0x85ebca6b);
    a = Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
    b = Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
    even = (even + (a ^ (a >>> 16))) | 0;
    odd = (odd + (b ^ (b >>> 16))) | 0;
  }
  if (pairs < words.length) even = (even + mix(words[pairs]! ^ seed)) | 0;
  return (even + odd) >>> 0;
}

function hashPairs(words: Uint32Array, seed: number): number {
  let sum = 0;
  for (let i = 0; i < words.length; i += 2) {
    let h = words[i + 1]! ^ seed;
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    h = words[i]! ^ h ^ (h >>> 16);
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    sum = (sum + (h ^ (h >>> 16))) | 0;
  }
  return sum >>> 0;
}

function hashItems(
  parts: Uint8Array | Uint16Array | Uint32Array,
  partsPerItem: number,
  seed: number,
): number {
  let sum = 0;
  for (let i = 0; i < parts.length; i += partsPerItem) {
    let h = seed;
    for (let part = i; part < i + partsPerItem; part++) {
      h ^= parts[part]!;
      h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
      h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
      h ^= h >>> 16;
    }
    sum = (sum + h) | 0;
  }
  return sum >>> 0;
}
