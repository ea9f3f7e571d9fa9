// What an inspection of all elements, piece by piece, finds. The findings before and after a sort show whether it
// was right.

import { bitMask, bitsOf, indexOf } from "./element";
import { Job } from "./job";

// The findings in memory. All are zero before the first element.
const COUNT: usize = 0; // u32
const INVERSIONS: usize = 4; // u32, neighbours in the wrong order
const SUM: usize = 8; // u64, of the elements' bits
const HASHES: usize = 16; // u64, of their hashes
const VARYING: usize = 24; // u64, the bits in which an element differs from the first
const FIRST: usize = 32; // the first element, in 16 bytes
const LAST: usize = 48; // the last element, in 16 bytes
const EQUAL: usize = 64; // u32, neighbours that are equal; only `compare` counts them
const CHECKSUM: usize = 68; // two u32: see check/checksum.ts

/** Bytes of the findings of a call. */
export const ROW_BYTES: usize = 80;

export function inversionsIn(findings: usize): u32 {
  return load<u32>(findings, INVERSIONS);
}

/** The bits in which the elements differ. */
export function varyingIn(findings: usize): u64 {
  return load<u64>(findings, VARYING);
}

/** Whether two rows of findings have the same count and the same sums. */
export function hasSameSums(a: usize, b: usize): bool {
  if (load<u32>(a, COUNT) !== load<u32>(b, COUNT)) return false;
  return load<u64>(a, SUM) === load<u64>(b, SUM) && load<u64>(a, HASHES) === load<u64>(b, HASHES);
}

/** Two elements with the same hash are equal with a probability of about 1 - 2^-64. */
const KEY_A: u32 = 0x9e3779b9;
const KEY_B: u32 = 0x7f4a7c15;

/**
 * Adds `n` elements, which follow those that were inspected before. Neighbours are in the wrong order if the
 * bits that decide descend; for pairs, also if these bits are equal and the indices descend.
 */
export function inspect<E>(from: usize, n: usize, findings: usize, job: Job): void {
  inspectSome<E>(from, n, true, findings, job);
}

/** Compares elements as `inspect` does, and counts equal neighbours, but sums nothing up. */
export function compare<E>(from: usize, n: usize, findings: usize, job: Job): void {
  inspectSome<E>(from, n, false, findings, job);
}

/** @param sumsUp whether to sum up; else equal neighbours are counted. */
function inspectSome<E>(from: usize, n: usize, sumsUp: bool, findings: usize, job: Job): void {
  if (n === 0) return;
  let mask = bitMask(job.begin, job.end);
  if (sizeof<E>() === 8 && job.sortsPairs) mask |= 0xffffffff;
  const first = load<E>(from);
  if (load<u32>(findings, COUNT) === 0) store<E>(findings, first, FIRST);
  else compareTwo<E>(load<E>(findings, LAST), first, mask, !sumsUp, findings);
  store<u32>(findings, load<u32>(findings, COUNT) + <u32>n, COUNT);

  // The last element has no right neighbour here, and a vector's neighbours must not reach past it.
  let done: usize = 0;
  if (sizeof<E>() === 4) {
    done = sumsUp
      ? inspectWords(from, n - 1, <u32>mask, findings)
      : compareWords(from, n - 1, <u32>mask, findings);
  }
  if (sizeof<E>() === 8) {
    done = sumsUp
      ? inspectDoubleWords(from, n - 1, mask, findings)
      : compareDoubleWords(from, n - 1, mask, findings);
  }
  for (let i = done; i < n; i++) {
    const element = load<E>(from + i * sizeof<E>());
    if (sumsUp) add<E>(element, findings);
    if (i + 1 < n) compareTwo<E>(element, load<E>(from + (i + 1) * sizeof<E>()), mask, !sumsUp, findings);
  }
  store<E>(findings, load<E>(from + (n - 1) * sizeof<E>()), LAST);
}

function add<E>(element: E, findings: usize): void {
  const bits = bitsOf<E>(element);
  const low = isVector<E>() ? <u32>bits ^ (<u32>(bits >>> 32) * KEY_A) : <u32>bits;
  const high = isVector<E>() ? indexOf<E>(element) : sizeof<E>() === 8 ? <u32>(bits >>> 32) : <u32>bits;
  store<u64>(findings, load<u64>(findings, SUM) + bits, SUM);
  store<u64>(findings, load<u64>(findings, HASHES) + hash(low, high), HASHES);
  store<u64>(findings, load<u64>(findings, VARYING) | (bits ^ load<u64>(findings, FIRST)), VARYING);
}

function hash(low: u32, high: u32): u64 {
  const product = <u64>(low ^ KEY_A) * <u64>(high ^ KEY_B);
  return product ^ (product >>> 29);
}

function isWrong<E>(a: E, b: E, mask: u64): bool {
  const x = bitsOf<E>(a) & mask;
  const y = bitsOf<E>(b) & mask;
  if (isVector<E>()) return x > y || (x === y && indexOf<E>(a) > indexOf<E>(b));
  return x > y;
}

function compareTwo<E>(a: E, b: E, mask: u64, countsEqual: bool, findings: usize): void {
  if (isWrong<E>(a, b, mask)) addNeighbours(1, 0, findings);
  else if (countsEqual && !isWrong<E>(b, a, mask)) addNeighbours(0, 1, findings);
}

/** Adds numbers of neighbours to the findings: those in the wrong order, and those that are equal. */
export function addNeighbours(inversions: u32, equal: u32, findings: usize): void {
  store<u32>(findings, load<u32>(findings, INVERSIONS) + inversions, INVERSIONS);
  store<u32>(findings, load<u32>(findings, EQUAL) + equal, EQUAL);
}

/** Adds the two sums of check/checksum.ts to the findings. */
export function addChecksum(a: u32, b: u32, findings: usize): void {
  store<u32>(findings, load<u32>(findings, CHECKSUM) + a, CHECKSUM);
  store<u32>(findings, load<u32>(findings, CHECKSUM + 4) + b, CHECKSUM + 4);
}

/** Inspects four elements at a time. @returns how many of the `n` first elements it inspected. */
function inspectWords(from: usize, n: usize, mask: u32, findings: usize): usize {
  const masks = i32x4.splat(mask);
  const firsts = i32x4.splat(load<u32>(findings, FIRST));
  const a = i32x4.splat(KEY_A);
  const b = i32x4.splat(KEY_B);
  let wrong = i32x4.splat(0);
  let sums = i64x2.splat(0);
  let hashes = i64x2.splat(0);
  let varying = i32x4.splat(0);
  const whole = n & ~3;
  const stop = from + (whole << 2);
  for (let p = from; p < stop; p += 16) {
    const own = v128.load(p);
    const next = v128.load(p, 4);
    wrong = i32x4.sub(wrong, i32x4.gt_u(v128.and(own, masks), v128.and(next, masks)));
    varying = v128.or(varying, v128.xor(own, firsts));
    sums = i64x2.add(sums, i64x2.add(i64x2.extend_low_i32x4_u(own), i64x2.extend_high_i32x4_u(own)));
    const x = v128.xor(own, a);
    const y = v128.xor(own, b);
    hashes = i64x2.add(hashes, fold(i64x2.extmul_low_i32x4_u(x, y)));
    hashes = i64x2.add(hashes, fold(i64x2.extmul_high_i32x4_u(x, y)));
  }
  addNeighbours(sumOfWords(wrong), 0, findings);
  const both = i64x2.extract_lane(varying, 0) | i64x2.extract_lane(varying, 1);
  finish(sums, hashes, (both | (both >>> 32)) & 0xffffffff, findings);
  return whole;
}

/** Inspects two elements at a time. @returns how many of the `n` first elements it inspected. */
function inspectDoubleWords(from: usize, n: usize, mask: u64, findings: usize): usize {
  const masks = i64x2.splat(mask);
  const signs = i64x2.splat(i64.MIN_VALUE);
  const firsts = i64x2.splat(load<u64>(findings, FIRST));
  const a = i32x4.splat(KEY_A);
  const b = i32x4.splat(KEY_B);
  let wrong = i64x2.splat(0);
  let sums = i64x2.splat(0);
  let hashes = i64x2.splat(0);
  let varying = i64x2.splat(0);
  const whole = n & ~1;
  const stop = from + (whole << 3);
  for (let p = from; p < stop; p += 16) {
    const own = v128.load(p);
    const next = v128.load(p, 8);
    const x = v128.xor(v128.and(own, masks), signs);
    const y = v128.xor(v128.and(next, masks), signs);
    wrong = i64x2.sub(wrong, i64x2.gt_s(x, y));
    varying = v128.or(varying, v128.xor(own, firsts));
    sums = i64x2.add(sums, own);
    const lows = v128.xor(v128.shuffle<u32>(own, own, 0, 2, 0, 2), a);
    const highs = v128.xor(v128.shuffle<u32>(own, own, 1, 3, 1, 3), b);
    hashes = i64x2.add(hashes, fold(i64x2.extmul_low_i32x4_u(lows, highs)));
  }
  addNeighbours(<u32>sumOfDoubleWords(wrong), 0, findings);
  finish(sums, hashes, i64x2.extract_lane(varying, 0) | i64x2.extract_lane(varying, 1), findings);
  return whole;
}

/** Compares four neighbours at a time. @returns how many of the `n` first elements it compared. */
function compareWords(from: usize, n: usize, mask: u32, findings: usize): usize {
  const masks = i32x4.splat(mask);
  let wrong = i32x4.splat(0);
  let equal = i32x4.splat(0);
  const whole = n & ~3;
  const stop = from + (whole << 2);
  for (let p = from; p < stop; p += 16) {
    const own = v128.and(v128.load(p), masks);
    const next = v128.and(v128.load(p, 4), masks);
    wrong = i32x4.sub(wrong, i32x4.gt_u(own, next));
    equal = i32x4.sub(equal, i32x4.eq(own, next));
  }
  addNeighbours(sumOfWords(wrong), sumOfWords(equal), findings);
  return whole;
}

/** Compares two neighbours at a time. @returns how many of the `n` first elements it compared. */
function compareDoubleWords(from: usize, n: usize, mask: u64, findings: usize): usize {
  const masks = i64x2.splat(mask);
  const signs = i64x2.splat(i64.MIN_VALUE);
  let wrong = i64x2.splat(0);
  let equal = i64x2.splat(0);
  const whole = n & ~1;
  const stop = from + (whole << 3);
  for (let p = from; p < stop; p += 16) {
    const own = v128.xor(v128.and(v128.load(p), masks), signs);
    const next = v128.xor(v128.and(v128.load(p, 8), masks), signs);
    wrong = i64x2.sub(wrong, i64x2.gt_s(own, next));
    equal = i64x2.sub(equal, i64x2.eq(own, next));
  }
  addNeighbours(<u32>sumOfDoubleWords(wrong), <u32>sumOfDoubleWords(equal), findings);
  return whole;
}

export function sumOfWords(words: v128): u32 {
  return (
    i32x4.extract_lane(words, 0) +
    i32x4.extract_lane(words, 1) +
    i32x4.extract_lane(words, 2) +
    i32x4.extract_lane(words, 3)
  );
}

function sumOfDoubleWords(words: v128): u64 {
  return i64x2.extract_lane(words, 0) + i64x2.extract_lane(words, 1);
}

function fold(products: v128): v128 {
  return v128.xor(products, i64x2.shr_u(products, 29));
}

function finish(sums: v128, hashes: v128, varying: u64, findings: usize): void {
  store<u64>(findings, load<u64>(findings, SUM) + sumOfDoubleWords(sums), SUM);
  store<u64>(findings, load<u64>(findings, HASHES) + sumOfDoubleWords(hashes), HASHES);
  store<u64>(findings, load<u64>(findings, VARYING) | varying, VARYING);
}
