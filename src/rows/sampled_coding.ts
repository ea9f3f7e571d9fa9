import { QUOTE } from "../core/rows/quote.js";
import { type KeyCoding, learnCoding, MOST_CODED, type SampleKey, writeCoding } from "./key_coding.js";
import { keysOf, mapOf } from "./order_words.js";
import type { RowPlaces, RowWorkspace } from "./workspace.js";

/** So many rows say what the keys of all look like. */
const SAMPLE_ROWS = 2 ** 11;

/** Bytes of a key of a sample, and the mark of one in quotes: see assembly/rows/coding.ts. */
const KEY_BYTES = 16;
const MARK = 0x8000_0000;

/**
 * Looks at a sample of the first keys of rows, and makes a coding for the kernels if that tells more of them apart
 * than first words of bytes do.
 */
export async function sampledCoding(
  space: RowWorkspace,
  places: RowPlaces,
  rows: number,
): Promise<KeyCoding | undefined> {
  const { at, memory, order, runner } = space;
  const key = keysOf(order)[0]!;
  if (key.compare !== "bytes" || key.ignore) return undefined;
  const count = Math.min(SAMPLE_ROWS, rows);
  await runner.run("sample_keys", [[Math.floor(rows / count), count, places.scratch, at.order]], 1);
  const words = new BigUint64Array(memory.buffer, places.scratch, (KEY_BYTES / 8) * count);
  const ranges = space.words(places.scratch, (KEY_BYTES / 4) * count);
  const sample = Array.from({ length: count }, (_, i): SampleKey => {
    const [begin, end] = [ranges[4 * i + 2]! & ~MARK, ranges[4 * i + 3]!];
    return { word: words[2 * i]!, bytes: space.bytes(at.text + begin, Math.min(end - begin, MOST_CODED)) };
  });
  const map = mapOf(key)?.subarray(0, 256) ?? Uint8Array.from({ length: 256 }, (_, byte) => byte);
  // Two quotes in a field in quotes stand for one.
  const coding = learnCoding(sample, rows, map, order.quotes ? QUOTE : undefined);
  if (coding) writeCoding(memory, coding, at.coding);
  return coding;
}
