import { elementSums } from "../cpu/sums.js";
import type { Item } from "./item.js";
import { mix } from "./mix.js";

/**
 * Two sums, modulo 2^32, of independent hashes of items. Equal multisets of items have equal sums, whatever
 * their order; different multisets have equal sums with a probability of 2^-64. The sums of the parts add up
 * to the sums of the whole.
 */
export type Checksum = readonly [number, number];

const SEED_A = 0x9e3779b9;
const SEED_B = 0x7f4a7c15;

/**
 * Computes the checksum of items. For keys of 4 and 8 bytes, wgsl/inspect/inspect.wgsl computes the same sums.
 */
export function checksum(bytes: Uint8Array, item: Item): Checksum {
  return [hashSum(bytes, item, SEED_A), hashSum(bytes, item, SEED_B)];
}

/**
 * Computes a plain sum of keys at the speed of memory. It detects that a memory or disk fault changed keys
 * that were sorted and checked elsewhere. For records, it is the first sum of their checksum.
 */
export function transferSum(bytes: Uint8Array, item: Item): number {
  if (item.kind === "record") return hashSum(bytes, item, SEED_A);
  const [even, odd] = elementSums(bytes, item.bytes === 8 ? 4 : (item.bytes as 1 | 2 | 4));
  return item.bytes === 8 ? combineWordSums(even, odd) : (even + odd) >>> 0;
}

/**
 * Combines the sums of the low and of the high words of 64-bit keys into their `transferSum`. The high words
 * are weighted with a constant.
 */
export function combineWordSums(low: number, high: number): number {
  return (low + Math.imul(high, 0x9e3779b1)) >>> 0;
}

/** A checksum as 16 hexadecimal digits. */
export function checksumText(sums: Checksum): string {
  return sums.map((sum) => sum.toString(16).padStart(8, "0")).join("");
}

/** @param text the 16 digits of `checksumText`. */
export function checksumOfText(text: string): Checksum {
  return [Number.parseInt(text.slice(0, 8), 16), Number.parseInt(text.slice(8), 16)];
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

/** Hashes each word with `mix`, inlined and for two keys at a time, because this runs for every key. */
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

/** Hashes two items at a time, because the steps of one wait for each other. */
function hashItems(
  parts: Uint8Array | Uint16Array | Uint32Array,
  partsPerItem: number,
  seed: number,
): number {
  let sum = 0;
  const pairs = parts.length - (parts.length % (2 * partsPerItem));
  for (let i = 0; i < pairs; i += 2 * partsPerItem) {
    let [a, b] = [seed, seed];
    for (let part = i; part < i + partsPerItem; part++) {
      a ^= parts[part]!;
      b ^= parts[part + partsPerItem]!;
      a = Math.imul(a ^ (a >>> 16), 0x85ebca6b);
      b = Math.imul(b ^ (b >>> 16), 0x85ebca6b);
      a = Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
      b = Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
      a ^= a >>> 16;
      b ^= b >>> 16;
    }
    sum = (sum + a + b) | 0;
  }
  if (pairs < parts.length) {
    let last = seed;
    for (let part = pairs; part < parts.length; part++) last = mix(last ^ parts[part]!);
    sum = (sum + last) | 0;
  }
  return sum >>> 0;
}
