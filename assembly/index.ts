// The kernels of the CPU's sort, by the bytes of a key and of an element. Each call has the address of the
// thread's tables as a last argument, which most kernels leave out.

import { makeBuckets } from "./buckets";
import { decode, extract } from "./convert";
import { sortFewKeys } from "./few_keys";
import { keepBefore } from "./filter";
import { count, scatter, sortParts } from "./radix";
import { collect, read, sortSpread, totalBytes } from "./spread";
import { countFirsts, keepFirsts } from "./unique";

export function encode_1_4(
  keys: usize,
  elements: usize,
  n: usize,
  index: u32,
  findings: usize,
  job: usize,
  to: usize,
  row: usize,
  shift: u32,
  mask: u32,
): void {
  read<u8, u32>(keys, elements, n, index, findings, job, to, row, shift, mask);
}
export function encode_2_4(
  keys: usize,
  elements: usize,
  n: usize,
  index: u32,
  findings: usize,
  job: usize,
  to: usize,
  row: usize,
  shift: u32,
  mask: u32,
): void {
  read<u16, u32>(keys, elements, n, index, findings, job, to, row, shift, mask);
}
export function encode_4_4(
  keys: usize,
  elements: usize,
  n: usize,
  index: u32,
  findings: usize,
  job: usize,
  to: usize,
  row: usize,
  shift: u32,
  mask: u32,
): void {
  read<u32, u32>(keys, elements, n, index, findings, job, to, row, shift, mask);
}
export function encode_8_8(
  keys: usize,
  elements: usize,
  n: usize,
  index: u32,
  findings: usize,
  job: usize,
  to: usize,
  row: usize,
  shift: u32,
  mask: u32,
): void {
  read<u64, u64>(keys, elements, n, index, findings, job, to, row, shift, mask);
}
export function encode_1_8(
  keys: usize,
  elements: usize,
  n: usize,
  index: u32,
  findings: usize,
  job: usize,
  to: usize,
  row: usize,
  shift: u32,
  mask: u32,
): void {
  read<u8, u64>(keys, elements, n, index, findings, job, to, row, shift, mask);
}
export function encode_2_8(
  keys: usize,
  elements: usize,
  n: usize,
  index: u32,
  findings: usize,
  job: usize,
  to: usize,
  row: usize,
  shift: u32,
  mask: u32,
): void {
  read<u16, u64>(keys, elements, n, index, findings, job, to, row, shift, mask);
}
export function encode_4_8(
  keys: usize,
  elements: usize,
  n: usize,
  index: u32,
  findings: usize,
  job: usize,
  to: usize,
  row: usize,
  shift: u32,
  mask: u32,
): void {
  read<u32, u64>(keys, elements, n, index, findings, job, to, row, shift, mask);
}
export function encode_8_16(
  keys: usize,
  elements: usize,
  n: usize,
  index: u32,
  findings: usize,
  job: usize,
  to: usize,
  row: usize,
  shift: u32,
  mask: u32,
): void {
  read<u64, v128>(keys, elements, n, index, findings, job, to, row, shift, mask);
}
export function make_buckets(
  sample: usize,
  n: u32,
  bytes: usize,
  lowest: u32,
  digitBits: u32,
  most: u32,
  buckets: usize,
): void {
  makeBuckets(sample, n, bytes, lowest, digitBits, most, buckets);
}
export function total_bytes(
  row: usize,
  pieces: u32,
  stride: usize,
  digit: u32,
  last: u32,
  totals: usize,
): void {
  totalBytes(row, pieces, stride, digit, last, totals);
}
export function decode_1_4(elements: usize, keys: usize, n: usize, job: usize): void {
  decode<u8, u32>(elements, keys, n, job);
}
export function decode_2_4(elements: usize, keys: usize, n: usize, job: usize): void {
  decode<u16, u32>(elements, keys, n, job);
}
export function decode_4_4(elements: usize, keys: usize, n: usize, job: usize): void {
  decode<u32, u32>(elements, keys, n, job);
}
export function decode_8_8(elements: usize, keys: usize, n: usize, job: usize): void {
  decode<u64, u64>(elements, keys, n, job);
}
export function extract_8(pairs: usize, indices: usize, n: usize): void {
  extract<u64>(pairs, indices, n);
}
export function extract_16(pairs: usize, indices: usize, n: usize): void {
  extract<v128>(pairs, indices, n);
}
export function count_4(from: usize, n: usize, table: usize, shift: u32, mask: u32): void {
  count<u32>(from, n, table, shift, mask);
}
export function scatter_4(from: usize, n: usize, table: usize, shift: u32, mask: u32): void {
  scatter<u32>(from, n, table, shift, mask);
}
export function sort_4(
  from: usize,
  other: usize,
  ends: usize,
  digit: u32,
  last: u32,
  end: u32,
  toOther: bool,
  findings: usize,
  job: usize,
  tables: usize,
): void {
  sortParts<u32>(from, other, ends, digit, last, end, toOther, findings, job, tables);
}
export function count_8(from: usize, n: usize, table: usize, shift: u32, mask: u32): void {
  count<u64>(from, n, table, shift, mask);
}
export function scatter_8(from: usize, n: usize, table: usize, shift: u32, mask: u32): void {
  scatter<u64>(from, n, table, shift, mask);
}
export function sort_8(
  from: usize,
  other: usize,
  ends: usize,
  digit: u32,
  last: u32,
  end: u32,
  toOther: bool,
  findings: usize,
  job: usize,
  tables: usize,
): void {
  sortParts<u64>(from, other, ends, digit, last, end, toOther, findings, job, tables);
}
export function count_16(from: usize, n: usize, table: usize, shift: u32, mask: u32): void {
  count<v128>(from, n, table, shift, mask);
}
export function scatter_16(from: usize, n: usize, table: usize, shift: u32, mask: u32): void {
  scatter<v128>(from, n, table, shift, mask);
}
export function sort_16(
  from: usize,
  other: usize,
  ends: usize,
  digit: u32,
  last: u32,
  end: u32,
  toOther: bool,
  findings: usize,
  job: usize,
  tables: usize,
): void {
  sortParts<v128>(from, other, ends, digit, last, end, toOther, findings, job, tables);
}
export function count_firsts_1(keys: usize, n: usize, before: usize, findings: usize, job: usize): void {
  countFirsts<u8>(keys, n, before, findings, job);
}
export function keep_firsts_1(keys: usize, n: usize, before: usize, findings: usize, job: usize): void {
  keepFirsts<u8>(keys, n, before, findings, job);
}
export function count_firsts_2(keys: usize, n: usize, before: usize, findings: usize, job: usize): void {
  countFirsts<u16>(keys, n, before, findings, job);
}
export function keep_firsts_2(keys: usize, n: usize, before: usize, findings: usize, job: usize): void {
  keepFirsts<u16>(keys, n, before, findings, job);
}
export function count_firsts_4(keys: usize, n: usize, before: usize, findings: usize, job: usize): void {
  countFirsts<u32>(keys, n, before, findings, job);
}
export function keep_firsts_4(keys: usize, n: usize, before: usize, findings: usize, job: usize): void {
  keepFirsts<u32>(keys, n, before, findings, job);
}
export function count_firsts_8(keys: usize, n: usize, before: usize, findings: usize, job: usize): void {
  countFirsts<u64>(keys, n, before, findings, job);
}
export function keep_firsts_8(keys: usize, n: usize, before: usize, findings: usize, job: usize): void {
  keepFirsts<u64>(keys, n, before, findings, job);
}
export function keep_before_1(keys: usize, n: usize, bound: usize, findings: usize, job: usize): void {
  keepBefore<u8>(keys, n, bound, findings, job);
}
export function keep_before_2(keys: usize, n: usize, bound: usize, findings: usize, job: usize): void {
  keepBefore<u16>(keys, n, bound, findings, job);
}
export function keep_before_4(keys: usize, n: usize, bound: usize, findings: usize, job: usize): void {
  keepBefore<u32>(keys, n, bound, findings, job);
}
export function keep_before_8(keys: usize, n: usize, bound: usize, findings: usize, job: usize): void {
  keepBefore<u64>(keys, n, bound, findings, job);
}
export function collect_4(row: usize, pieces: u32, stride: usize, digit: u32, to: usize): void {
  collect<u32>(row, pieces, stride, digit, to);
}
export function sort_spread_4(
  row: usize,
  pieces: u32,
  stride: usize,
  digit: u32,
  last: u32,
  to: usize,
  end: u32,
  findings: usize,
  job: usize,
  tables: usize,
): void {
  sortSpread<u32>(row, pieces, stride, digit, last, to, end, findings, job, tables);
}
export function collect_8(row: usize, pieces: u32, stride: usize, digit: u32, to: usize): void {
  collect<u64>(row, pieces, stride, digit, to);
}
export function sort_spread_8(
  row: usize,
  pieces: u32,
  stride: usize,
  digit: u32,
  last: u32,
  to: usize,
  end: u32,
  findings: usize,
  job: usize,
  tables: usize,
): void {
  sortSpread<u64>(row, pieces, stride, digit, last, to, end, findings, job, tables);
}
export function collect_16(row: usize, pieces: u32, stride: usize, digit: u32, to: usize): void {
  collect<v128>(row, pieces, stride, digit, to);
}
export function sort_spread_16(
  row: usize,
  pieces: u32,
  stride: usize,
  digit: u32,
  last: u32,
  to: usize,
  end: u32,
  findings: usize,
  job: usize,
  tables: usize,
): void {
  sortSpread<v128>(row, pieces, stride, digit, last, to, end, findings, job, tables);
}
export function sort_few_4(
  elements: usize,
  other: usize,
  n: usize,
  findings: usize,
  job: usize,
  tables: usize,
): void {
  sortFewKeys<u32>(elements, other, n, findings, job, tables);
}
export function sort_few_8(
  elements: usize,
  other: usize,
  n: usize,
  findings: usize,
  job: usize,
  tables: usize,
): void {
  sortFewKeys<u64>(elements, other, n, findings, job, tables);
}
export function sort_few_16(
  elements: usize,
  other: usize,
  n: usize,
  findings: usize,
  job: usize,
  tables: usize,
): void {
  sortFewKeys<v128>(elements, other, n, findings, job, tables);
}
