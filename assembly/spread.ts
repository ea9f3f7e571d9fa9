// Elements that are divided by a digit, or by a table of buckets, in pieces, each of which is sorted out by
// itself while others are still read. Afterwards the elements of a digit are collected from all pieces.

import { ENDS, PREFIX_MASK } from "./buckets";
import { encode } from "./convert";
import { digitOf } from "./element";
import { Job } from "./job";
import { count, increment, passesFor, scatter, sortRange, toAddresses } from "./radix";

/** Shorter segments are copied element by element. A call that copies memory takes about as long. */
const SHORT_BYTES: usize = 64;

/**
 * Turns keys into elements, and inspects them (see convert.ts). Then divides them by a digit.
 *
 * @param keys 0 if they are elements already.
 * @param row 0 if they are not divided; see `spread`.
 */
export function read<K, E>(
  keys: usize,
  elements: usize,
  n: usize,
  index: u32,
  findings: usize,
  job: Job,
  to: usize,
  row: usize,
  shift: u32,
  mask: u32,
): void {
  if (keys !== 0) encode<K, E>(keys, elements, n, index, findings, job);
  if (row !== 0) spread<E>(elements, n, to, row, shift, mask, job.buckets);
}

/**
 * Divides a piece of the elements by a digit, or by a table of buckets.
 *
 * @param to scratch for as many bytes.
 * @param row takes the address at which the elements of each digit begin there, and where the last ones end.
 */
function spread<E>(
  from: usize,
  n: usize,
  to: usize,
  row: usize,
  shift: u32,
  mask: u32,
  buckets: usize,
): void {
  const table = row + 4;
  if (buckets === 0) {
    count<E>(from, n, table, shift, mask);
    toAddresses(table, mask, to, sizeof<E>());
    scatter<E>(from, n, table, shift, mask);
  } else {
    memory.fill(table, 0, (<usize>mask + 1) << 2);
    const end = from + n * sizeof<E>();
    for (let p = from; p < end; p += sizeof<E>()) increment(table, bucketOf<E>(load<E>(p), shift, buckets));
    toAddresses(table, mask, to, sizeof<E>());
    for (let p = from; p < end; p += sizeof<E>()) {
      const element = load<E>(p);
      const slot = table + ((<usize>bucketOf<E>(element, shift, buckets)) << 2);
      const target = load<u32>(slot);
      store<u32>(slot, target + sizeof<E>());
      store<E>(target, element);
    }
  }
  // Each address has advanced to where the next digit begins.
  store<u32>(row, <u32>to);
}

function bucketOf<E>(element: E, shift: u32, buckets: usize): u32 {
  return load<u16>(buckets + ((<usize>digitOf<E>(element, shift, PREFIX_MASK)) << 1));
}

/**
 * Adds up the bytes that the elements of each digit have in all pieces.
 *
 * @param row the row of the first piece.
 * @param stride the bytes from row to row.
 * @param totals takes the bytes of the digits from `digit` to `last`, those of digit 0 at its begin.
 */
export function totalBytes(
  row: usize,
  pieces: u32,
  stride: usize,
  digit: u32,
  last: u32,
  totals: usize,
): void {
  memory.fill(totals + ((<usize>digit) << 2), 0, (<usize>(last + 1 - digit)) << 2);
  for (let i: u32 = 0; i < pieces; i++) {
    let begin = load<u32>(row + ((<usize>digit) << 2));
    for (let at: usize = digit; at <= last; at++) {
      const end = load<u32>(row + (at << 2), 4);
      const slot = totals + (at << 2);
      store<u32>(slot, load<u32>(slot) + (end - begin));
      begin = end;
    }
    row += stride;
  }
}

/**
 * Collects the elements of a digit from adjacent pieces, in the order of the pieces.
 *
 * @param row the row of the first piece.
 * @param stride the bytes from row to row.
 * @returns the address after the last element.
 */
export function collect<E>(row: usize, pieces: u32, stride: usize, digit: u32, to: usize): usize {
  let slot = row + ((<usize>digit) << 2);
  for (let i: u32 = 0; i < pieces; i++) {
    const begin: usize = load<u32>(slot);
    const bytes = <usize>load<u32>(slot, 4) - begin;
    if (bytes > SHORT_BYTES) memory.copy(to, begin, bytes);
    else for (let at: usize = 0; at < bytes; at += sizeof<E>()) store<E>(to + at, load<E>(begin + at));
    to += bytes;
    slot += stride;
  }
  return to;
}

/**
 * Collects the elements of the digits from `digit` to `last`, and sorts them: they are equal above bit
 * `end` - 1, or from the end of their bucket on. Then inspects and converts the result (see convert.ts). The
 * elements of one digit must fit the buffer of a thread.
 *
 * @param to where the result goes.
 */
export function sortSpread<E>(
  row: usize,
  pieces: u32,
  stride: usize,
  digit: u32,
  last: u32,
  to: usize,
  end: u32,
  findings: usize,
  job: Job,
  tables: usize,
): void {
  const buffer = job.bufferOf(tables);
  const buckets = job.buckets;
  for (let at = digit; at <= last; at++) {
    let bytes: usize = 0;
    let slot = row + ((<usize>at) << 2);
    for (let i: u32 = 0; i < pieces; i++) {
      bytes += <usize>(load<u32>(slot, 4) - load<u32>(slot));
      slot += stride;
    }
    const n = bytes / sizeof<E>();
    if (n === 0) continue;
    const own: u32 = buckets === 0 ? end : load<u8>(buckets + ENDS + at);
    // The last pass should end where the result goes.
    const toOther = (passesFor<E>(n, min<u32>(job.lowest, own), own, job) & 1) === 1;
    const from = toOther ? buffer : to;
    collect<E>(row, pieces, stride, at, from);
    sortRange<E>(from, toOther ? to : buffer, n, own, toOther, findings, job, tables);
    to += bytes;
  }
}
