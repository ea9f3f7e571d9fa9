// Elements that are divided by a digit in pieces, each of which is sorted out by itself while others are still
// read. Afterwards the elements of a digit are collected from all pieces.

import { encode } from "./convert";
import { bufferOf, lowestOf } from "./job";
import { count, passesFor, scatter, sortRange, toAddresses } from "./radix";

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
  found: usize,
  job: usize,
  to: usize,
  row: usize,
  shift: u32,
  mask: u32,
): void {
  if (keys !== 0) encode<K, E>(keys, elements, n, index, found, job);
  if (row !== 0) spread<E>(elements, n, to, row, shift, mask);
}

/**
 * Divides a piece of the elements by a digit.
 *
 * @param to scratch for as many bytes.
 * @param row takes the address at which the elements of each digit begin there, and where the last ones end.
 */
function spread<E>(from: usize, n: usize, to: usize, row: usize, shift: u32, mask: u32): void {
  const table = row + 4;
  count<E>(from, n, table, shift, mask);
  toAddresses(table, mask, to, sizeof<E>());
  scatter<E>(from, n, table, shift, mask);
  // Each address has advanced to where the next digit begins.
  store<u32>(row, <u32>to);
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
 * `end` - 1. Then inspects and converts the result (see convert.ts). The elements of one digit must fit the
 * buffer of a thread.
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
  found: usize,
  job: usize,
  tables: usize,
): void {
  const buffer = bufferOf(job, tables);
  const begin = min<u32>(lowestOf(job), end);
  for (let at = digit; at <= last; at++) {
    let bytes: usize = 0;
    let slot = row + ((<usize>at) << 2);
    for (let i: u32 = 0; i < pieces; i++) {
      bytes += <usize>(load<u32>(slot, 4) - load<u32>(slot));
      slot += stride;
    }
    const n = bytes / sizeof<E>();
    if (n === 0) continue;
    // The last pass should end where the result goes.
    const toOther = (passesFor<E>(n, begin, end, job) & 1) === 1;
    const from = toOther ? buffer : to;
    collect<E>(row, pieces, stride, at, from);
    sortRange<E>(from, toOther ? to : buffer, n, end, toOther, found, job, tables);
    to += bytes;
  }
}
