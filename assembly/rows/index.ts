// The kernels that sort rows of text. Each call has the address of the thread's tables as a last argument, which
// most kernels leave out.

import { count, scatter, sortParts } from "../radix";
import { compareNeighbours } from "./check";
import { checkKeys, makeElements, markAllEqual, nextElements } from "./elements";
import { checkQuotes, countRows, findRows } from "./find";
import { hashRows, measureRows, moveRows } from "./move";
import { refine } from "./refine";

export function count_rows(from: usize, end: usize, found: usize, order: usize): void {
  countRows(from, end, found, order);
}
export function find_rows(
  from: usize,
  end: usize,
  isInside: bool,
  starts: usize,
  text: usize,
  order: usize,
): void {
  findRows(from, end, isInside, starts, text, order);
}
export function check_quotes(row: u32, n: usize, found: usize, order: usize): void {
  checkQuotes(row, n, found, order);
}
export function make_elements(
  elements: usize,
  row: u32,
  n: usize,
  found: usize,
  report: usize,
  order: usize,
  job: usize,
): void {
  makeElements(elements, row, n, found, report, order, job);
}
export function check_keys(row: u32, n: usize, report: usize, order: usize): void {
  checkKeys(row, n, report, order);
}
export function next_elements(
  elements: usize,
  n: usize,
  number: u32,
  stage: u32,
  found: usize,
  report: usize,
  order: usize,
  job: usize,
): void {
  nextElements(elements, n, number, stage, found, report, order, job);
}
export function mark_all_equal(elements: usize, n: usize): void {
  markAllEqual(elements, n);
}
export function refine_elements(
  elements: usize,
  n: usize,
  number: u32,
  stage: u32,
  more: bool,
  scratch: usize,
  found: usize,
  order: usize,
  job: usize,
  tables: usize,
): void {
  refine(elements, n, number, stage, more, scratch, found, order, job, tables);
}
export function hash_rows(row: u32, n: usize, found: usize, order: usize): void {
  hashRows(row, n, found, order);
}
export function measure_rows(elements: usize, n: usize, found: usize, order: usize): void {
  measureRows(elements, n, found, order);
}
export function move_rows(
  elements: usize,
  n: usize,
  out: usize,
  outEnd: usize,
  before: usize,
  found: usize,
  order: usize,
): void {
  moveRows(elements, n, out, outEnd, before, found, order);
}
export function compare_neighbours(row: u32, n: usize, found: usize, order: usize): void {
  compareNeighbours(row, n, found, order);
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
  found: usize,
  job: usize,
  tables: usize,
): void {
  sortParts<v128>(from, other, ends, digit, last, end, toOther, found, job, tables);
}
