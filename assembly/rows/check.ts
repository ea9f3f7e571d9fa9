// The order of the rows of a text as it is.

import { compareAfterWord } from "./compare";
import { readByDigits } from "./numbers";
import { Order } from "./order";
import { tallyKey } from "./tally";
import { firstWordAt, hasMore } from "./words";

// What is reported, besides what tally.ts reports.
const FIRST: usize = 0; // u32, the number of the first row in the wrong order, which is at least 1; 0 if there is none
const INVERSIONS: usize = 12; // u32
const EQUAL: usize = 16; // u32, neighbours with equal keys
const FIRST_EQUAL: usize = 20; // u32, the first row that is equal to the one before it; 0 if there is none
const COMPARED: usize = 24; // u32

/**
 * Compares each of `n` rows from number `row` on with the one before it, and counts what their first keys hold.
 *
 * @param row at least 1.
 * @param before whether the row before the first one is counted, too.
 */
export function compareNeighbours(row: u32, n: usize, before: bool, findings: usize, order: Order): void {
  readByDigits(true);
  const key = order.keyAt(0);
  const checked = key.isRequired || key.invalid !== 0;
  let first: u32 = 0;
  let inversions: u32 = 0;
  let equal: u32 = 0;
  let last = order.rowBegin(row - 1);
  let lastEnd = order.contentEnd(last, order.nextRow(row - 1));
  let lastWord = firstWordAt(order, key, last, lastEnd);
  let lastMore = hasMore;
  if (checked && before) tallyKey(findings, order, key, 0, row - 1);
  for (let own = row; own < row + <u32>n; own++) {
    const begin = order.rowBegin(own);
    const end = order.contentEnd(begin, order.nextRow(own));
    const word = firstWordAt(order, key, begin, end);
    const more = hasMore;
    if (checked) tallyKey(findings, order, key, 0, own);
    let compared: i32 = lastWord < word ? -1 : 1;
    if (lastWord === word) {
      compared = compareAfterWord(order, word, more || lastMore, last, lastEnd, begin, end);
    }
    if (compared > 0) {
      inversions++;
      if (first === 0) first = own;
    } else if (compared === 0) {
      if (equal === 0) store<u32>(findings, own, FIRST_EQUAL);
      equal++;
    }
    last = begin;
    lastEnd = end;
    lastWord = word;
    lastMore = more;
  }
  readByDigits(false);
  store<u32>(findings, first, FIRST);
  store<u32>(findings, inversions, INVERSIONS);
  store<u32>(findings, equal, EQUAL);
  store<u32>(findings, n, COMPARED);
}
