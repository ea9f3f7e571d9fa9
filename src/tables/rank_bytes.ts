import type { ColumnOf } from "./column.js";
import type { Argsort, Codes } from "./key_codes.js";

type Bytes = Pick<ColumnOf<"bytes">, "offsets" | "values" | "valid" | "length">;

/**
 * Ranks byte strings: equal ones get the same rank, and ranks ascend with the strings. The rank of a null row
 * means nothing. Few distinct strings are found by a hash table and compared; many are sorted by seven bytes
 * at a time, as keys of numbers, and only those that are still equal are looked at further.
 */
export async function rankBytes(column: Bytes, argsort: Argsort): Promise<Codes> {
  const low = rankFew(column) ?? (await rankMany(column, argsort));
  return { bits: 32, low };
}

/** A hash table pays up to so many distinct strings, which fit in the caches. */
const FEW = 1 << 15;
/** Rows that are looked at to guess whether there are few distinct strings. */
const SAMPLE = 1 << 12;
const EMPTY = 0xffff_ffff;

/** @returns undefined if there are many distinct strings. */
function rankFew({ offsets, values, valid, length }: Bytes): Uint32Array | undefined {
  const slots = 4 * FEW;
  const firstRows = new Uint32Array(slots).fill(EMPTY);
  const slotOf = new Uint32Array(length);
  const used: number[] = [];
  let steps = 0;
  for (let row = 0; row < length; row++) {
    if (valid && valid[row] === 0) continue;
    const [start, end] = [offsets[row]!, offsets[row + 1]!];
    let hash = 0x811c_9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ values[at]!, 0x0100_0193);
    let slot = (hash ^ (hash >>> 15)) & (slots - 1);
    for (;;) {
      const other = firstRows[slot]!;
      if (other === EMPTY) {
        firstRows[slot] = row;
        used.push(slot);
        break;
      }
      if (isEqual(offsets, values, other, start, end)) break;
      // Strings that were made to collide must not take quadratic time.
      if (++steps > 4 * (row + SAMPLE)) return undefined;
      slot = (slot + 1) & (slots - 1);
    }
    slotOf[row] = slot;
    if (used.length > FEW || (row === SAMPLE && used.length > SAMPLE / 2)) return undefined;
  }
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const compare = (a: number, b: number) => {
    const [x, y] = [firstRows[a]!, firstRows[b]!];
    return bytes.compare(bytes, offsets[y]!, offsets[y + 1]!, offsets[x]!, offsets[x + 1]!);
  };
  used.sort(compare);
  const ranks = new Uint32Array(slots);
  used.forEach((slot, rank) => {
    ranks[slot] = rank;
  });
  for (let row = 0; row < length; row++) slotOf[row] = ranks[slotOf[row]!]!;
  return slotOf;
}

function isEqual(
  offsets: Uint32Array,
  values: Uint8Array,
  other: number,
  start: number,
  end: number,
): boolean {
  const from = offsets[other]!;
  if (offsets[other + 1]! - from !== end - start) return false;
  for (let i = 0; i < end - start; i++) if (values[from + i] !== values[start + i]) return false;
  return true;
}

/** Bytes of a string in one key. The key's last byte says how many of them there are. */
const KEY_BYTES = 7;
/** What the last byte says if the string goes on. */
const GOES_ON = 8;
/** So few rows are sorted by comparisons. */
const FEW_ROWS = 1 << 11;

async function rankMany(column: Bytes, argsort: Argsort): Promise<Uint32Array> {
  const { offsets, values, valid, length } = column;
  let count = length;
  if (valid) {
    count = 0;
    for (const bit of valid) count += bit;
  }
  /** The rows in order, and for each whether it differs from the one before it. */
  const order = new Uint32Array(count);
  const isNew = new Uint8Array(count);
  for (let row = 0, at = 0; row < length; row++) if (!valid || valid[row] === 1) order[at++] = row;
  if (count > 0) isNew[0] = 1;
  /** The places in the order whose rows are equal to a neighbour as far as they were looked at. */
  let places = Uint32Array.from(order.keys());
  for (let depth = commonPrefix(column, order); places.length > FEW_ROWS; depth += KEY_BYTES) {
    const keys = new Uint32Array(2 * places.length);
    const groups = new Uint32Array(places.length);
    let group = 0;
    for (let i = 0; i < places.length; i++) {
      const row = order[places[i]!]!;
      const start = offsets[row]! + depth;
      writeKey(values, start, offsets[row + 1]! - start, keys, i);
      group += isNew[places[i]!]!;
      groups[i] = group;
    }
    const byKey = await argsort(new BigUint64Array(keys.buffer));
    let sorted = byKey;
    if (group > 1) {
      const moved = new Uint32Array(groups.length);
      for (let i = 0; i < moved.length; i++) moved[i] = groups[byKey[i]!]!;
      const byGroup = await argsort(moved);
      sorted = byGroup.map((at) => byKey[at]!);
    }
    const rows = sorted.map((at) => order[places[at]!]!);
    const left = new Uint32Array(places.length);
    let leftCount = 0;
    let runStart = 0;
    const endRun = (end: number) => {
      const goesOn = (keys[2 * sorted[runStart]!]! & 0xff) === GOES_ON;
      if (end - runStart > 1 && goesOn) for (let i = runStart; i < end; i++) left[leftCount++] = places[i]!;
      runStart = end;
    };
    for (let i = 0; i < places.length; i++) {
      order[places[i]!] = rows[i]!;
      if (i === 0) continue;
      const [at, before] = [sorted[i]!, sorted[i - 1]!];
      const isSame =
        groups[at] === groups[before] &&
        keys[2 * at] === keys[2 * before] &&
        keys[2 * at + 1] === keys[2 * before + 1];
      if (isSame) continue;
      isNew[places[i]!] = 1;
      endRun(i);
    }
    endRun(places.length);
    places = left.subarray(0, leftCount);
  }
  compareRest(column, order, isNew, places);
  const ranks = new Uint32Array(length);
  let rank = -1;
  for (let at = 0; at < count; at++) {
    rank += isNew[at]!;
    ranks[order[at]!] = rank;
  }
  return ranks;
}

/** The number of bytes that all rows begin with. */
function commonPrefix({ offsets, values }: Bytes, rows: Uint32Array): number {
  if (rows.length === 0) return 0;
  const first = offsets[rows[0]!]!;
  let common = offsets[rows[0]! + 1]! - first;
  for (const row of rows) {
    const start = offsets[row]!;
    common = Math.min(common, offsets[row + 1]! - start);
    let same = 0;
    while (same < common && values[first + same] === values[start + same]) same++;
    common = same;
    if (common === 0) break;
  }
  return common;
}

/** Seven bytes, the first one most significant, and then how many there are. Missing bytes are 0. */
function writeKey(values: Uint8Array, start: number, left: number, keys: Uint32Array, i: number): void {
  const byte = (place: number) => (place < left ? values[start + place]! : 0);
  keys[2 * i + 1] = (byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3);
  const length = left > KEY_BYTES ? GOES_ON : left;
  keys[2 * i] = (byte(4) << 24) | (byte(5) << 16) | (byte(6) << 8) | length;
}

/** Sorts the rows of each group of equal places by comparing whole strings. */
function compareRest(
  { offsets, values }: Bytes,
  order: Uint32Array,
  isNew: Uint8Array,
  places: Uint32Array,
): void {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const compare = (a: number, b: number) =>
    bytes.compare(bytes, offsets[b]!, offsets[b + 1]!, offsets[a]!, offsets[a + 1]!);
  for (let start = 0; start < places.length; ) {
    let end = start + 1;
    while (end < places.length && isNew[places[end]!] === 0) end++;
    const first = places[start]!;
    const group = order.subarray(first, first + end - start);
    group.sort(compare);
    for (let i = 1; i < group.length; i++) isNew[first + i] = Number(compare(group[i - 1]!, group[i]!) !== 0);
    start = end;
  }
}
