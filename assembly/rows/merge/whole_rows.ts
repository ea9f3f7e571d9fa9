// Merges runs of rows that are compared byte by byte, as wholes. A row alone tells where its key goes on after
// its word. So it takes three loops in turns, each of which does many rows without waiting for one: the words
// of the next rows of a run are read; the next rows of all runs are chosen, by their words; those are copied.

import { compareBytes } from "../compare";
import { hashOf } from "../move";
import { NONE, Order } from "../order";
import { MORE_BYTES, plainWord, WORD_BYTES } from "../string_words";
import { RUN_BYTES } from "./cuts";
import { copyChecked, inversionsAtEnd, Part, reportNeighbours, reportWritten, writeRowNumber } from "./part";

// A leaf of the tree: the number of the next row of a run, the one after its last row, the address of the next
// row's word, the end of the words that were read, then these.
const ROW: usize = 0;
const END: usize = 4;
const AT: usize = 8;
const WORDS_END: usize = 12;
const WORDS: usize = 16;

/** The words of a run that are read at once. */
const MOST_WORDS: u32 = 32;
const LEAF_BYTES: usize = WORDS + 8 * <usize>MOST_WORDS;

// A node of the tree: the word of the loser, and the number of its run.
const NODE_BYTES: usize = 16;
const RUN: usize = 8;

// A row that was chosen: its word, and its number.
const CHOICE_BYTES: usize = 16;
const CHOSEN: usize = 8;
const MOST_CHOICES: u32 = 64;

/** The run with the least of the next rows in the tree, and that row's word. */
let winner: u32 = 0;
let winnerWord: u64 = 0;

/** The word of a run that has ended, though it may be that of a row too. */
const LARGEST: u64 = -1;

function hasEnded(leaf: usize): bool {
  return load<u32>(leaf, ROW) === load<u32>(leaf, END);
}

/** Reads the words of a leaf's next rows. @returns the address of the first one. */
function readWords(leaf: usize, order: Order): usize {
  const row = load<u32>(leaf, ROW);
  const count = min<u32>(MOST_WORDS, load<u32>(leaf, END) - row);
  const words = leaf + WORDS;
  const flip = order.keyAt(0).flip;
  const text = order.text;
  const starts = order.starts + ((<usize>row) << 2);
  let begin = text + load<u32>(starts);
  store<u64>(words, LARGEST);
  for (let i: usize = 0; i < count; i++) {
    const next = text + load<u32>(starts + (i << 2), 4);
    store<u64>(words + (i << 3), plainWord(begin, next - 1) ^ flip);
    begin = next;
  }
  store<u32>(leaf, <u32>words, AT);
  store<u32>(leaf, <u32>words + (count << 3), WORDS_END);
  return words;
}

/** Compares two rows with the same word. */
function compareTied(order: Order, word: u64, a: u32, b: u32): i32 {
  const flip = order.keyAt(0).flip;
  if (((word ^ flip) & 0xff) !== MORE_BYTES) return 0;
  const compared = compareBytes(
    order.rowBegin(a) + WORD_BYTES,
    order.nextRow(a) - 1,
    order.rowBegin(b) + WORD_BYTES,
    order.nextRow(b) - 1,
  );
  return flip !== 0 ? -compared : compared;
}

/** Whether the next row of run `a` comes before that of run `b`, which has the same word. */
function isTiedBefore(order: Order, leaves: usize, word: u64, a: u32, b: u32): bool {
  const left = leaves + <usize>a * LEAF_BYTES;
  const right = leaves + <usize>b * LEAF_BYTES;
  if (hasEnded(left)) return false;
  if (hasEnded(right)) return true;
  const compared = compareTied(order, word, load<u32>(left, ROW), load<u32>(right, ROW));
  return compared < 0 || (compared === 0 && a < b);
}

/** Fills the tree. */
function fillTree(order: Order, leaves: usize, nodes: usize, n: u32): void {
  for (let i: u32 = 0; i < n; i++) store<u32>(nodes + <usize>i * NODE_BYTES, NONE, RUN);
  for (let i: u32 = 0; i < n; i++) {
    let run = i;
    let word = load<u64>(load<u32>(leaves + <usize>i * LEAF_BYTES, AT));
    for (let place = (i + n) >> 1; place > 0; place >>= 1) {
      const node = nodes + <usize>place * NODE_BYTES;
      const loser = load<u32>(node, RUN);
      const other = load<u64>(node);
      const isFree = loser === NONE;
      if (!isFree && (other === word ? !isTiedBefore(order, leaves, word, loser, run) : other > word))
        continue;
      store<u64>(node, word);
      store<u32>(node, run, RUN);
      if (isFree) {
        run = NONE;
        break;
      }
      word = other;
      run = loser;
    }
    if (run === NONE) continue;
    winner = run;
    winnerWord = word;
  }
}

/** Chooses the next rows of two runs. @returns how many. */
function chooseOfTwo(order: Order, left: usize, right: usize, choices: usize): u32 {
  let a: usize = load<u32>(left, AT);
  let b: usize = load<u32>(right, AT);
  let aEnd: usize = load<u32>(left, WORDS_END);
  let bEnd: usize = load<u32>(right, WORDS_END);
  let aRow = load<u32>(left, ROW);
  let bRow = load<u32>(right, ROW);
  let count: u32 = 0;
  let to = choices;
  for (; count < MOST_CHOICES; count++) {
    if (a === aEnd) {
      store<u32>(left, aRow, ROW);
      a = readWords(left, order);
      aEnd = load<u32>(left, WORDS_END);
    }
    if (b === bEnd) {
      store<u32>(right, bRow, ROW);
      b = readWords(right, order);
      bEnd = load<u32>(right, WORDS_END);
    }
    const word = load<u64>(a);
    const other = load<u64>(b);
    let isRight = other < word;
    if (other === word) {
      const isLast = a === aEnd; // only at the end of a run no words follow
      if (isLast && b === bEnd) break;
      isRight = isLast || (b !== bEnd && compareTied(order, word, aRow, bRow) > 0);
    }
    // Without a branch, as nobody can predict which of two runs goes on.
    store<u64>(to, select<u64>(other, word, isRight));
    store<u32>(to, select<u32>(bRow, aRow, isRight), CHOSEN);
    to += CHOICE_BYTES;
    bRow += <u32>isRight;
    aRow += <u32>!isRight;
    b += (<usize>isRight) << 3;
    a += (<usize>!isRight) << 3;
  }
  store<u32>(left, <u32>a, AT);
  store<u32>(left, aRow, ROW);
  store<u32>(right, <u32>b, AT);
  store<u32>(right, bRow, ROW);
  return count;
}

/** Chooses the next rows of the runs in the tree. @returns how many. */
function chooseOfMany(order: Order, leaves: usize, nodes: usize, n: u32, choices: usize): u32 {
  let run = winner;
  let word = winnerWord;
  let count: u32 = 0;
  let to = choices;
  for (; count < MOST_CHOICES; count++) {
    const leaf = leaves + <usize>run * LEAF_BYTES;
    const row = load<u32>(leaf, ROW);
    if (word === LARGEST && hasEnded(leaf)) break;
    store<u64>(to, word);
    store<u32>(to, row, CHOSEN);
    to += CHOICE_BYTES;
    let at: usize = load<u32>(leaf, AT) + 8;
    store<u32>(leaf, row + 1, ROW);
    store<u32>(leaf, <u32>at, AT);
    if (at === load<u32>(leaf, WORDS_END)) at = readWords(leaf, order);
    word = load<u64>(at);
    for (let place = (run + n) >> 1; place > 0; place >>= 1) {
      const node = nodes + <usize>place * NODE_BYTES;
      const other = load<u64>(node);
      const loser = load<u32>(node, RUN);
      let loses = other < word;
      if (other === word) loses = isTiedBefore(order, leaves, word, loser, run);
      store<u64>(node, select<u64>(word, other, loses));
      store<u32>(node, select<u32>(run, loser, loses), RUN);
      run = select<u32>(loser, run, loses);
      word = select<u64>(other, word, loses);
    }
  }
  winner = run;
  winnerWord = word;
  return count;
}

/** As `mergeRuns` of merge.ts, of rows that are compared byte by byte, as wholes. */
export function mergeWholeRows(
  runs: usize,
  n: u32,
  cuts: usize,
  part: Part,
  state: usize,
  most: u32,
  report: usize,
  order: Order,
): void {
  const out = part.out;
  const outEnd = part.outEnd;
  const numbers = part.numbers;
  const hashed = part.hashesRows;
  const unique = order.marksEqual;
  const text = order.text;
  const starts = order.starts;
  const leaves = state;
  const nodes = state + <usize>n * LEAF_BYTES;
  const choices = nodes + <usize>n * NODE_BYTES;
  for (let i: u32 = 0; i < n; i++) {
    const first = load<u32>(runs + <usize>i * RUN_BYTES);
    const leaf = leaves + <usize>i * LEAF_BYTES;
    store<u32>(leaf, first + load<u32>(cuts + (i << 2)), ROW);
    store<u32>(leaf, first + load<u32>(cuts + ((i + n) << 2)), END);
    readWords(leaf, order);
  }
  let previous = part.before;
  let previousWord: u64 = 0;
  if (previous !== NONE) {
    const begin = order.rowBegin(previous);
    previousWord = plainWord(begin, order.nextRow(previous) - 1) ^ order.keyAt(0).flip;
  }
  let written: u32 = 0;
  let inversions: u32 = 0;
  let equalRows: u32 = 0;
  let equalBytes: u32 = 0;
  let changed: u32 = 0;
  let hashes: u64 = 0;
  let to = out;
  if (n !== 2) fillTree(order, leaves, nodes, n);
  while (written < most) {
    const count =
      n === 2
        ? chooseOfTwo(order, leaves, leaves + LEAF_BYTES, choices)
        : chooseOfMany(order, leaves, nodes, n, choices);
    if (count === 0) break;
    const end = choices + <usize>count * CHOICE_BYTES;
    for (let choice = choices; choice < end && written < most; choice += CHOICE_BYTES) {
      const word = load<u64>(choice);
      const row = load<u32>(choice, CHOSEN);
      const start = starts + ((<usize>row) << 2);
      const begin = text + load<u32>(start);
      const length = text + load<u32>(start, 4) - begin;
      const outLength = numbers === 0 ? length : 4;
      if (hashed) hashes += hashOf(begin, begin + length);
      if (word <= previousWord && previous !== NONE) {
        const compared = word < previousWord ? 1 : compareTied(order, word, previous, row);
        inversions += <u32>(compared > 0);
        if (unique && compared === 0) {
          equalRows++;
          equalBytes += <u32>outLength;
          continue;
        }
      }
      changed += <u32>(
        !(numbers === 0 ? copyChecked(to, begin, length, outEnd) : writeRowNumber(to, numbers, row))
      );
      to += outLength;
      written++;
      previousWord = word;
      previous = row;
    }
  }
  inversions += inversionsAtEnd(part, previous, written < most, order);
  reportWritten(report, written, to - out, changed, hashes);
  reportNeighbours(report, inversions, equalRows, equalBytes);
}
