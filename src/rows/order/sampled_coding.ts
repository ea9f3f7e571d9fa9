import { QUOTE } from "../../core/rows/reading.js";
import type { RowPlaces, RowWorkspace } from "../workspace.js";
import { codingFor, goesOnAfter, type KeyCoding, MOST_POSITIONS, writeCoding } from "./key_coding.js";
import { mapOf } from "./key_tables.js";
import { keysOf, MORE_BYTES } from "./order_words.js";
import type { KernelOrder } from "./row_order.js";

/** The rows of a sample, which say what the keys of all look like. */
const SAMPLE_ROWS = 2 ** 11;

/**
 * A coding is worth its time if a row has at least this number of others with its first word, on average, and
 * if the coding leaves at most one in `LEAST_GAIN` of these pairs equal.
 */
const LEAST_EQUAL = 0.5;
const LEAST_GAIN = 2;

/**
 * Looks at a sample of the first keys of rows, and gives the kernels a coding if that tells more of them apart
 * than first words of bytes do. Merges compare words of several texts, and first rows are selected by a bound,
 * so both take words of bytes.
 */
export async function sampledCoding(
  space: RowWorkspace<KernelOrder>,
  places: RowPlaces,
  rows: number,
): Promise<KeyCoding | undefined> {
  const { at, memory, order, runner } = space;
  const key = keysOf(order)[0]!;
  if (key.compare !== "bytes" || key.ignore) return undefined;
  const count = Math.min(SAMPLE_ROWS, rows);
  const stride = Math.floor(rows / count);
  const wordsAt = places.scratch;
  const seenAt = wordsAt + 8 * count;
  const bytes = space.bytes(seenAt, 256 * MOST_POSITIONS).fill(0);
  const lengths = space.bytes(seenAt + bytes.length, MOST_POSITIONS + 1).fill(0);
  await runner.run("sample_keys", [[stride, count, wordsAt, seenAt, at.order]], 1);
  const words = new BigUint64Array(memory.buffer, wordsAt, count);
  const equal = equalPairs(words, (word) => (word & 0xffn) === MORE_BYTES);
  if ((2 * equal * rows) / count ** 2 < LEAST_EQUAL) return undefined;

  const map = mapOf(key)?.subarray(0, 256) ?? Uint8Array.from({ length: 256 }, (_, byte) => byte);
  // Two quotes in a field in quotes stand for one.
  const coding = codingFor({ bytes, lengths }, map, order.quotes ? QUOTE : undefined);
  writeCoding(memory, coding, at.coding);
  await runner.run("code_keys", [[stride, count, wordsAt, at.order]], 1);
  return equalPairs(words, (word) => goesOnAfter(coding, word)) * LEAST_GAIN < equal ? coding : undefined;
}

/** How many pairs of words are equal, and do not tell whether their keys are. */
function equalPairs(words: BigUint64Array, isOpen: (word: bigint) => boolean): number {
  const sorted = words.slice().sort();
  let pairs = 0;
  for (let i = 1, before = 0; i < sorted.length; i++) {
    before = sorted[i] === sorted[i - 1] ? before + 1 : 0;
    if (before > 0 && isOpen(sorted[i]!)) pairs += before;
  }
  return pairs;
}
