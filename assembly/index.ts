// The kernels of the CPU's radix sort, by the bytes of a key and of an element. Each call has the address of the
// thread's tables as a last argument, which most kernels leave out.

import { decode, encode, extract } from "./convert";
import { count, scatter, sortRange } from "./radix";

export function encode_1_4(
  keys: usize,
  elements: usize,
  n: usize,
  order: u32,
  descending: bool,
  index: u32,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  encode<u8, u32>(keys, elements, n, order, descending, index, begin, end, found);
}
export function encode_2_4(
  keys: usize,
  elements: usize,
  n: usize,
  order: u32,
  descending: bool,
  index: u32,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  encode<u16, u32>(keys, elements, n, order, descending, index, begin, end, found);
}
export function encode_4_4(
  keys: usize,
  elements: usize,
  n: usize,
  order: u32,
  descending: bool,
  index: u32,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  encode<u32, u32>(keys, elements, n, order, descending, index, begin, end, found);
}
export function encode_8_8(
  keys: usize,
  elements: usize,
  n: usize,
  order: u32,
  descending: bool,
  index: u32,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  encode<u64, u64>(keys, elements, n, order, descending, index, begin, end, found);
}
export function encode_1_8(
  keys: usize,
  elements: usize,
  n: usize,
  order: u32,
  descending: bool,
  index: u32,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  encode<u8, u64>(keys, elements, n, order, descending, index, begin, end, found);
}
export function encode_2_8(
  keys: usize,
  elements: usize,
  n: usize,
  order: u32,
  descending: bool,
  index: u32,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  encode<u16, u64>(keys, elements, n, order, descending, index, begin, end, found);
}
export function encode_4_8(
  keys: usize,
  elements: usize,
  n: usize,
  order: u32,
  descending: bool,
  index: u32,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  encode<u32, u64>(keys, elements, n, order, descending, index, begin, end, found);
}
export function encode_8_16(
  keys: usize,
  elements: usize,
  n: usize,
  order: u32,
  descending: bool,
  index: u32,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  encode<u64, v128>(keys, elements, n, order, descending, index, begin, end, found);
}
export function decode_1_4(
  elements: usize,
  keys: usize,
  n: usize,
  order: u32,
  descending: bool,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  decode<u8, u32>(elements, keys, n, order, descending, begin, end, found);
}
export function decode_2_4(
  elements: usize,
  keys: usize,
  n: usize,
  order: u32,
  descending: bool,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  decode<u16, u32>(elements, keys, n, order, descending, begin, end, found);
}
export function decode_4_4(
  elements: usize,
  keys: usize,
  n: usize,
  order: u32,
  descending: bool,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  decode<u32, u32>(elements, keys, n, order, descending, begin, end, found);
}
export function decode_8_8(
  elements: usize,
  keys: usize,
  n: usize,
  order: u32,
  descending: bool,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  decode<u64, u64>(elements, keys, n, order, descending, begin, end, found);
}
export function extract_8(
  pairs: usize,
  indices: usize,
  n: usize,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  extract<u64>(pairs, indices, n, begin, end, found);
}
export function extract_16(
  pairs: usize,
  indices: usize,
  n: usize,
  begin: u32,
  end: u32,
  found: usize,
  _tables: usize,
): void {
  extract<v128>(pairs, indices, n, begin, end, found);
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
  n: usize,
  begin: u32,
  end: u32,
  toOther: bool,
  tables: usize,
): void {
  sortRange<u32>(from, other, n, begin, end, toOther, tables);
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
  n: usize,
  begin: u32,
  end: u32,
  toOther: bool,
  tables: usize,
): void {
  sortRange<u64>(from, other, n, begin, end, toOther, tables);
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
  n: usize,
  begin: u32,
  end: u32,
  toOther: bool,
  tables: usize,
): void {
  sortRange<v128>(from, other, n, begin, end, toOther, tables);
}
