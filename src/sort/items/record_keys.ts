import { type ElementType, elementType, type KeyArray } from "../../core/elements.js";
import type { RecordItem, RecordKey } from "../../core/items/item.js";
import { itemOrder } from "../../core/items/order.js";
import type { Pause } from "../../core/streams/yield_to_event_loop.js";

/** A part of a record's key that is sorted as a number. The first field decides, then the second, … */
export interface KeyField {
  readonly type: ElementType;
  /** Copies the fields of the records to `keys`: that of record `order[i]` to key i. */
  extract(records: Uint8Array, order: Uint32Array, keys: KeyArray): void;
}

const WORD = 4;
const PAIR = 8;

/** The part of a record's key that still has to be compared: the first key decides, then the second, … */
export type KeyPart = readonly RecordKey[];

/**
 * Splits the first field off a part of a key. A key of a number type is one field. A key of bytes becomes one
 * field per 8 bytes, read as a big-endian number, which compares as the bytes do.
 *
 * @param part not empty.
 */
export function splitField(
  item: RecordItem,
  part: KeyPart,
): { field: KeyField; key: RecordKey; rest: KeyPart } {
  const [first, ...others] = part as readonly [RecordKey, ...RecordKey[]];
  if ("type" in first) {
    return { field: numberField(first, item.bytes, item.byteOrder === "little"), key: first, rest: others };
  }
  const { offset } = first;
  const bytes = Math.min(PAIR, first.bytes);
  const field = (bytes <= WORD ? wordField : pairField)({ recordBytes: item.bytes, offset, bytes });
  return { field, key: { offset, bytes }, rest: skipBytes(part, bytes) };
}

/** Leaves out the first bytes of a part of a key. A key of a number type is left out as a whole. */
function skipBytes([first, ...others]: KeyPart, count: number): KeyPart {
  if (!first || "type" in first || count >= first.bytes) return others;
  return [{ offset: first.offset + count, bytes: first.bytes - count }, ...others];
}

/** The types that the fields of a record's keys may have. */
export function fieldTypes({ keys }: RecordItem): ElementType[] {
  const types = keys.flatMap((key) => {
    if ("type" in key) return [key.type];
    return key.bytes > WORD ? [elementType("u64"), elementType("u32")] : [elementType("u32")];
  });
  return [...new Set(types)];
}

function wordField(part: RecordPart): KeyField {
  const { recordBytes, offset, bytes: length } = part;
  return {
    type: elementType("u32"),
    extract(records, order, keys) {
      for (let i = 0; i < keys.length; i++) {
        prefetch(records, part, order, i);
        keys[i] = bigEndian(records, order[i]! * recordBytes + offset, length);
      }
    },
  };
}

function pairField(part: RecordPart): KeyField {
  const { recordBytes, offset, bytes: length } = part;
  return {
    type: elementType("u64"),
    extract(records, order, keys) {
      const words = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
      for (let i = 0; i < keys.length; i++) {
        prefetch(records, part, order, i);
        const at = order[i]! * recordBytes + offset;
        words[2 * i + 1] = bigEndian(records, at, WORD);
        words[2 * i] = bigEndian(records, at + WORD, length - WORD);
      }
    },
  };
}

/** Reads `length` bytes (at most 4) as the most significant bytes of a word. The other bytes are 0. */
function bigEndian(bytes: Uint8Array, at: number, length: number): number {
  let word = 0;
  for (let i = 0; i < WORD; i++) word = (word << 8) | (i < length ? bytes[at + i]! : 0);
  return word >>> 0;
}

function numberField(
  { offset, type }: Extract<RecordKey, { type: ElementType }>,
  recordBytes: number,
  little: boolean,
): KeyField {
  const part = { recordBytes, offset, bytes: type.bytes };
  return {
    type,
    extract(records, order, keys) {
      const bytes = new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);
      const last = type.bytes - 1;
      for (let i = 0; i < keys.length; i++) {
        prefetch(records, part, order, i);
        const at = order[i]! * recordBytes + offset;
        for (let j = 0; j <= last; j++) bytes[i * type.bytes + j] = records[at + (little ? j : last - j)]!;
      }
    },
  };
}

/** Records that are prefetched together. */
const PREFETCHED = 32;
const CACHE_LINE = 64;

/** What `prefetch` has read: without a use, a compiler would leave the reads out. */
const prefetched = { bits: 0 };

/** Bytes at the same place of all records. */
interface RecordPart {
  readonly recordBytes: number;
  /** The first of them in each record, and how many there are. */
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Reads one byte in 64 of a part of the next 32 records of an order, and the last one, so that the processor
 * fetches these from memory at the same time. To be called for each place of the order: it reads at every 32nd.
 */
export function prefetch(records: Uint8Array, part: RecordPart, order: Uint32Array, place: number): void {
  if (place % PREFETCHED !== 0) return;
  const end = Math.min(order.length, place + PREFETCHED);
  let bits = 0;
  for (let next = place; next < end; next++) {
    const start = order[next]! * part.recordBytes + part.offset;
    for (let at = start; at < start + part.bytes; at += CACHE_LINE) bits ^= records[at]!;
    bits ^= records[start + part.bytes - 1]!;
  }
  prefetched.bits = bits;
}

/** Compares two records by their indices. */
export type CompareRecords = (a: number, b: number) => number;

/** Longer keys are compared by the system's memory comparison: its call costs more, but a byte costs less. */
const SHORT_KEY = 32;

/** Bytes that are compared without a pause. */
const BYTES_PER_TURN = 4 << 20;

/** Compares records in the ascending order of a part of their key. */
export function recordComparator(records: Uint8Array, item: RecordItem, part: KeyPart): CompareRecords {
  const compares = part.map((key) => keyComparator(records, item, key));
  const [first] = compares;
  if (first && compares.length === 1) return first;
  return (a, b) => {
    for (const compare of compares) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}

function keyComparator(records: Uint8Array, item: RecordItem, key: RecordKey): CompareRecords {
  if ("type" in key || key.bytes <= SHORT_KEY) {
    const order = itemOrder({ ...item, keys: [key] }, false);
    const view = order.view(records);
    return (a, b) => order.compare(view, a, view, b);
  }
  const compareBytes = bytesComparator(records);
  const { offset, bytes } = key;
  return (a, b) => {
    const [x, y] = [a * item.bytes + offset, b * item.bytes + offset];
    return records[x]! - records[y]! || compareBytes(x, y, bytes);
  };
}

function bytesComparator(records: Uint8Array): (x: number, y: number, bytes: number) => number {
  const buffer = Buffer.from(records.buffer, records.byteOffset, records.byteLength);
  return (x, y, bytes) => buffer.compare(buffer, y, y + bytes, x, x + bytes);
}

/**
 * Leaves out the beginning of a key in which all given records agree, bit by bit. It reads little more than
 * that beginning.
 *
 * @param indices of the records, at least one.
 * @returns the rest; an empty part if the records agree in the whole key.
 */
export async function withoutCommonPrefix(
  records: Uint8Array,
  item: RecordItem,
  part: KeyPart,
  indices: Uint32Array,
  pause: Pause,
): Promise<KeyPart> {
  for (let rest = part; ; ) {
    const [key] = rest;
    if (!key) return rest;
    const bytes = "type" in key ? key.type.bytes : key.bytes;
    const compared = { recordBytes: item.bytes, offset: key.offset, bytes };
    const common = await commonBytes(records, compared, indices, pause);
    if (common < bytes) return "type" in key ? rest : skipBytes(rest, common);
    rest = skipBytes(rest, common);
  }
}

/** @returns how many bytes from the first on are the same in all records. */
async function commonBytes(
  records: Uint8Array,
  { recordBytes, offset, bytes }: RecordPart,
  indices: Uint32Array,
  pause: Pause,
): Promise<number> {
  const compareBytes = bytesComparator(records);
  const first = indices[0]! * recordBytes + offset;
  let common = bytes;
  let compared = 0;
  for (let i = 1; i < indices.length && common > 0; i++) {
    const other = indices[i]! * recordBytes + offset;
    if (common <= SHORT_KEY || compareBytes(first, other, common) !== 0) {
      let same = 0;
      while (same < common && records[first + same]! === records[other + same]!) same++;
      common = same;
    }
    compared += common + SHORT_KEY;
    if (compared < BYTES_PER_TURN) continue;
    compared = 0;
    await pause();
  }
  return common;
}
