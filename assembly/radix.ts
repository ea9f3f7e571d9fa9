// A radix sort of elements: digits from the top while a range exceeds the cache, then from the bottom.
// E. Friend, "Sorting on electronic computer systems", JACM 1956 (from the bottom); P. McIlroy, K. Bostic and
// M. McIlroy, "Engineering radix sort", Computing Systems 1993 (from the top). Both keep the order of equal
// elements.
//
// The same in plain JavaScript took 2.4 to 3 times as long, for 2^12 to 2^24 u32. AssemblyScript needs no
// compiler but npm's. Vectors gain nothing here, only in the conversion and the check (convert.ts, inspect.ts).
// Buffers that combine writes gained less than 10%, so there are none.

import { inspectAndDecode } from "./convert";
import { bitMask, bitsOf, digitOf } from "./element";
import { Job } from "./job";

/** The widest digit. A table of it fits the first-level cache. */
const DIGIT_BITS: u32 = 11;
const TABLE_BYTES: usize = 4 << DIGIT_BITS;

/** Digits that are counted in one turn over the elements. */
const COUNTED_DIGITS: u32 = 3;

/** A range of more bytes exceeds the second-level cache. */
const RANGE_BYTES: usize = 1 << 18;

/** Up to this many elements are sorted by insertion. */
const FEW: usize = 32;

/** From this many elements on, fewer passes by wide digits save more than their tables cost. */
const FEW_FOR_WIDE: usize = 2048;

/** Below this many elements, two passes by narrow digits tell almost all elements of a random order apart. */
const FEW_FOR_TWO: usize = 8192;

/** A range from the top is cut into parts of about this many elements. */
const PART_BITS: u32 = 12;

/** Counts the elements by a digit. */
export function count<E>(from: usize, n: usize, table: usize, shift: u32, mask: u32): void {
  memory.fill(table, 0, (<usize>mask + 1) << 2);
  const end = from + n * sizeof<E>();
  for (let p = from; p < end; p += sizeof<E>()) increment(table, digitOf<E>(load<E>(p), shift, mask));
}

/** Moves each element to the address that the table has for its digit, which then advances. */
export function scatter<E>(from: usize, n: usize, table: usize, shift: u32, mask: u32): void {
  const end = from + n * sizeof<E>();
  for (let p = from; p < end; p += sizeof<E>()) {
    const element = load<E>(p);
    const slot = table + ((<usize>digitOf<E>(element, shift, mask)) << 2);
    const target = load<u32>(slot);
    store<u32>(slot, target + sizeof<E>());
    store<E>(target, element);
  }
}

/**
 * Sorts adjacent parts of the elements, one for each digit from `digit` to `last`: the elements of a part are
 * equal above bit `end` - 1. Then inspects and converts the result (see convert.ts).
 *
 * @param ends a table of the addresses at which the part of each digit ends.
 * @param from the address of the first part.
 * @param other that of as many bytes of scratch.
 * @param toOther whether the result goes there; else it stays in place.
 * @param tables scratch for 3 tables of the widest digit, and one for each digit from the top.
 */
export function sortParts<E>(
  from: usize,
  other: usize,
  ends: usize,
  digit: u32,
  last: u32,
  end: u32,
  toOther: bool,
  findings: usize,
  job: Job,
  tables: usize,
): void {
  let part = from;
  for (let at = digit; at <= last; at++) {
    const next: usize = load<u32>(ends + ((<usize>at) << 2));
    const n = (next - part) / sizeof<E>();
    if (n > 0) sortRange<E>(part, other + (part - from), n, end, toOther, findings, job, tables);
    part = next;
  }
}

/** Sorts elements that are equal above bit `end` - 1, and inspects and converts them; see `sortParts`. */
export function sortRange<E>(
  from: usize,
  other: usize,
  n: usize,
  end: u32,
  toOther: bool,
  findings: usize,
  job: Job,
  tables: usize,
): void {
  const begin = min<u32>(job.lowest, end);
  if (n * sizeof<E>() > RANGE_BYTES && end - begin > DIGIT_BITS) {
    sortMsd<E>(from, other, n, begin, end, toOther, findings, job, tables);
    return;
  }
  if (n <= FEW) {
    insertionSort<E>(from, n, begin, end, FEW * FEW);
    if (toOther) memory.copy(other, from, n * sizeof<E>());
  } else sortLsd<E>(from, other, n, begin, end, toOther, job, tables);
  inspectAndDecode<E>(toOther ? other : from, n, findings, job);
}

function sortMsd<E>(
  from: usize,
  other: usize,
  n: usize,
  begin: u32,
  end: u32,
  toOther: bool,
  findings: usize,
  job: Job,
  tables: usize,
): void {
  const log = 31 - clz(<u32>n);
  const bits = min<u32>(min<u32>(max<u32>(log - PART_BITS, 6), DIGIT_BITS), end - begin);
  const shift = end - bits;
  const mask: u32 = (1 << bits) - 1;
  count<E>(from, n, tables, shift, mask);
  if (load<u32>(tables + ((<usize>digitOf<E>(load<E>(from), shift, mask)) << 2)) === n) {
    sortRange<E>(from, other, n, shift, toOther, findings, job, tables);
    return;
  }
  toAddresses(tables, mask, other, sizeof<E>());
  scatter<E>(from, n, tables, shift, mask);
  // Each address has advanced to the end of its digit's part, which is where the next one begins.
  sortParts<E>(other, from, tables, 0, mask, shift, !toOther, findings, job, tables + TABLE_BYTES);
}

/** The most bits of a digit by which `n` elements are sorted from the bottom. */
function widthFor(n: usize, bits: u32): u32 {
  return n < FEW_FOR_WIDE || (n < FEW_FOR_TWO && bits <= 16) ? 8 : DIGIT_BITS;
}

/**
 * Where elements of a random order are compared by this number of bits more than number them, less than one in
 * eight equals another.
 */
const SPARE_BITS: u32 = 3;

/**
 * The lowest bit of the digits by which `n` elements are sorted from the bottom. Where that is above
 * `begin`, hardly any elements of a random order are equal in the bits above it.
 */
function lowBitOf(n: usize, begin: u32, end: u32, job: Job): u32 {
  if (job.skewed > 0) return begin;
  const width: u32 = n < FEW_FOR_TWO ? 8 : DIGIT_BITS;
  const telling: u32 = (<u32>(32 - clz(<u32>n)) + SPARE_BITS + width - 1) / width;
  return telling * width < end - begin ? end - telling * width : begin;
}

/** The ranges after one of skewed keys that are taken for skewed. */
const SKEWED_RANGES: u32 = 64;

/** How often `sortRange` moves all elements, as far as that is known before. */
export function passesFor<E>(n: usize, begin: u32, end: u32, job: Job): u32 {
  if (n <= FEW || n * sizeof<E>() > RANGE_BYTES) return 0;
  const bits = end - lowBitOf(n, begin, end, job);
  const width = widthFor(n, bits);
  return (bits + width - 1) / width;
}

/**
 * Sorts by digits from the bottom. If few elements are equal in the upper bits, it sorts by these only, and
 * then by insertion. That is in vain for skewed keys, and then probably for the next ranges. It is tried again
 * later: of floats, only those about zero are skewed.
 */
function sortLsd<E>(
  from: usize,
  other: usize,
  n: usize,
  begin: u32,
  end: u32,
  toOther: bool,
  job: Job,
  tables: usize,
): void {
  const low = lowBitOf(n, begin, end, job);
  const skewed = job.skewed;
  if (skewed > 0) job.skewed = skewed - 1;
  sortByDigits<E>(from, other, n, low, end, toOther, tables);
  const result = toOther ? other : from;
  if (low > begin && !insertionSort<E>(result, n, begin, end, n)) {
    job.skewed = SKEWED_RANGES;
    sortByDigits<E>(result, toOther ? from : other, n, begin, end, false, tables);
  }
}

/**
 * Sorts by insertion. Elements that are equal in the bits keep their order.
 *
 * @param most moves, after which it ends early.
 * @returns whether all are sorted.
 */
function insertionSort<E>(from: usize, n: usize, begin: u32, end: u32, most: isize): bool {
  const mask = bitMask(begin, end);
  const stop = from + n * sizeof<E>();
  let moves = most;
  let last = bitsOf<E>(load<E>(from)) & mask;
  for (let p = from + sizeof<E>(); p < stop; p += sizeof<E>()) {
    const element = load<E>(p);
    const key = bitsOf<E>(element) & mask;
    if (key >= last) {
      last = key;
      continue;
    }
    let hole = p;
    while (hole > from && (bitsOf<E>(load<E>(hole - sizeof<E>())) & mask) > key) {
      store<E>(hole, load<E>(hole - sizeof<E>()));
      hole -= sizeof<E>();
    }
    store<E>(hole, element);
    moves -= (p - hole) / sizeof<E>();
    if (moves < 0) return false;
  }
  return true;
}

function sortByDigits<E>(
  from: usize,
  other: usize,
  n: usize,
  begin: u32,
  end: u32,
  toOther: bool,
  tables: usize,
): void {
  const width = widthFor(n, end - begin);
  let source = from;
  let target = other;
  let shift = begin;
  while (shift < end) {
    const passes = (end - shift + width - 1) / width;
    const bits = (end - shift + passes - 1) / passes;
    const digits = min<u32>(passes, COUNTED_DIGITS);
    const mask: u32 = (1 << bits) - 1;
    const lastMask: u32 = min<u32>(mask, <u32>(((<u64>1) << (end - shift - (digits - 1) * bits)) - 1));
    countDigits<E>(source, n, tables, shift, bits, digits, lastMask);
    for (let i: u32 = 0; i < digits; i++) {
      const table = tables + (((<usize>i) << bits) << 2);
      const own = i === digits - 1 ? lastMask : mask;
      const isConstant = load<u32>(table + ((<usize>digitOf<E>(load<E>(source), shift, own)) << 2)) === n;
      if (!isConstant) {
        toAddresses(table, own, target, sizeof<E>());
        scatter<E>(source, n, table, shift, own);
        const swap = source;
        source = target;
        target = swap;
      }
      shift += bits;
    }
  }
  const result = toOther ? other : from;
  if (source !== result) memory.copy(result, source, n * sizeof<E>());
}

/** Counts the elements by 1, 2 or 3 digits of `bits` bits in one turn. The last digit may be narrower. */
function countDigits<E>(
  from: usize,
  n: usize,
  tables: usize,
  shift: u32,
  bits: u32,
  digits: u32,
  lastMask: u32,
): void {
  if (digits === 1) {
    count<E>(from, n, tables, shift, lastMask);
    return;
  }
  const tableBytes: usize = (<usize>4) << bits;
  memory.fill(tables, 0, <usize>digits * tableBytes);
  const mask: u32 = (1 << bits) - 1;
  const second = tables + tableBytes;
  const third = second + tableBytes;
  const end = from + n * sizeof<E>();
  if (digits === 2) {
    for (let p = from; p < end; p += sizeof<E>()) {
      const element = load<E>(p);
      increment(tables, digitOf<E>(element, shift, mask));
      increment(second, digitOf<E>(element, shift + bits, lastMask));
    }
  } else {
    for (let p = from; p < end; p += sizeof<E>()) {
      const element = load<E>(p);
      increment(tables, digitOf<E>(element, shift, mask));
      increment(second, digitOf<E>(element, shift + bits, mask));
      increment(third, digitOf<E>(element, shift + 2 * bits, lastMask));
    }
  }
}

export function increment(table: usize, digit: u32): void {
  const slot = table + ((<usize>digit) << 2);
  store<u32>(slot, load<u32>(slot) + 1);
}

/** Replaces counts by the addresses at which the elements of each digit begin. */
export function toAddresses(table: usize, mask: u32, first: usize, bytes: usize): void {
  let address = first;
  const end = table + ((<usize>mask + 1) << 2);
  for (let slot = table; slot < end; slot += 4) {
    const counted: usize = load<u32>(slot);
    store<u32>(slot, <u32>address);
    address += counted * bytes;
  }
}
