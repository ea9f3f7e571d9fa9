// The checksum of src/core/items/checksum.ts: two sums of hashes.

import { fourKeys } from "../element";
import { addChecksum, sumOfWords } from "../inspect";

/** The seeds of the two hashes. */
const SEED_A: u32 = 0x9e3779b9;
const SEED_B: u32 = 0x7f4a7c15;

/** Adds the hashes of `n` keys to the findings. */
export function sumKeys<K>(keys: usize, n: usize, findings: usize): void {
  let a = i32x4.splat(0);
  let b = i32x4.splat(0);
  let p = keys;
  for (const stop = keys + (n & ~3) * sizeof<K>(); p < stop; p += 4 * sizeof<K>()) {
    let lows: v128;
    let highs = i32x4.splat(0);
    if (sizeof<K>() === 8) {
      lows = v128.shuffle<u32>(v128.load(p), v128.load(p, 16), 0, 2, 4, 6);
      highs = v128.shuffle<u32>(v128.load(p), v128.load(p, 16), 1, 3, 5, 7);
    } else lows = fourKeys<K>(p);
    a = i32x4.add(a, hash<K>(lows, highs, SEED_A));
    b = i32x4.add(b, hash<K>(lows, highs, SEED_B));
  }
  let sumA = sumOfWords(a);
  let sumB = sumOfWords(b);
  for (const end = keys + n * sizeof<K>(); p < end; p += sizeof<K>()) {
    const lows = i32x4.splat(<u32>load<K>(p));
    const highs = i32x4.splat(<u32>(<u64>load<K>(p) >>> 32));
    sumA += i32x4.extract_lane(hash<K>(lows, highs, SEED_A), 0);
    sumB += i32x4.extract_lane(hash<K>(lows, highs, SEED_B), 0);
  }
  addChecksum(sumA, sumB, findings);
}

/** Hashes four keys, by their low and by their high words. Shorter keys have no high words. */
function hash<K>(lows: v128, highs: v128, seed: u32): v128 {
  if (sizeof<K>() < 8) return mix(v128.xor(lows, i32x4.splat(seed)));
  return mix(v128.xor(lows, mix(v128.xor(highs, i32x4.splat(seed)))));
}

/** Adds the hashes of `n` records to the findings. Records of the length of a key have the hash of that key. */
export function sumRecords(records: usize, n: usize, bytes: usize, findings: usize): void {
  if (bytes === 2) sumKeys<u16>(records, n, findings);
  else if (bytes === 8) sumKeys<u64>(records, n, findings);
  else if ((bytes & 3) === 0) sumParts<u32>(records, n, bytes, findings);
  else sumParts<u8>(records, n, bytes, findings);
}

/** Hashes four records at a time, part by part. */
function sumParts<P>(records: usize, n: usize, bytes: usize, findings: usize): void {
  let sumsA = i32x4.splat(0);
  let sumsB = i32x4.splat(0);
  let lastA: u32 = 0;
  let lastB: u32 = 0;
  const end = records + n * bytes;
  for (let p = records; p < end; ) {
    const isLast = p + 4 * bytes > end;
    const stride = isLast ? 0 : bytes; // of the last records, one at a time
    let a = i32x4.splat(SEED_A);
    let b = i32x4.splat(SEED_B);
    for (let part = p; part < p + bytes; part += sizeof<P>()) {
      const parts = fourParts<P>(part, stride);
      a = mix(v128.xor(a, parts));
      b = mix(v128.xor(b, parts));
    }
    if (isLast) {
      lastA += i32x4.extract_lane(a, 0);
      lastB += i32x4.extract_lane(b, 0);
    } else {
      sumsA = i32x4.add(sumsA, a);
      sumsB = i32x4.add(sumsB, b);
    }
    p += isLast ? bytes : 4 * bytes;
  }
  addChecksum(sumOfWords(sumsA) + lastA, sumOfWords(sumsB) + lastB, findings);
}

function fourParts<P>(at: usize, stride: usize): v128 {
  let parts = i32x4.splat(<u32>load<P>(at));
  parts = i32x4.replace_lane(parts, 1, <u32>load<P>(at + stride));
  parts = i32x4.replace_lane(parts, 2, <u32>load<P>(at + 2 * stride));
  return i32x4.replace_lane(parts, 3, <u32>load<P>(at + 3 * stride));
}

/** The finalizer of MurmurHash3 of each word: see src/core/items/mix.ts. */
function mix(words: v128): v128 {
  let h = i32x4.mul(v128.xor(words, i32x4.shr_u(words, 16)), i32x4.splat(0x85ebca6b));
  h = i32x4.mul(v128.xor(h, i32x4.shr_u(h, 13)), i32x4.splat(0xc2b2ae35));
  return v128.xor(h, i32x4.shr_u(h, 16));
}
