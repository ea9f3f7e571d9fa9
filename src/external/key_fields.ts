import { type ElementType, elementType, type KeyArray } from "../core/elements.js";
import type { RecordItem, RecordKey } from "../core/items/item.js";

/** A part of a record's key that is sorted as a number. The first field decides, then the second, … */
export interface KeyField {
  readonly type: ElementType;
  /** Copies the fields of the records to `keys`: that of record `order[i]` (default: i) to key i. */
  extract(records: Uint8Array, order: Uint32Array | undefined, keys: KeyArray): void;
}

const WORD = 4;
const PAIR = 8;

/**
 * Splits the keys of a record into fields. A key of a number type is one field. A key of bytes becomes one
 * field per 8 bytes, read as a big-endian number, which compares as the bytes do.
 */
export function keyFields(item: RecordItem): KeyField[] {
  return item.keys.flatMap((key) =>
    "type" in key ? [numberField(key, item.bytes, item.byteOrder === "little")] : byteFields(key, item.bytes),
  );
}

function byteFields(
  { offset, bytes }: Extract<RecordKey, { bytes: number }>,
  recordBytes: number,
): KeyField[] {
  const fields: KeyField[] = [];
  for (let at = 0; at < bytes; at += PAIR) {
    const length = Math.min(PAIR, bytes - at);
    fields.push(
      length <= WORD
        ? wordField(offset + at, length, recordBytes)
        : pairField(offset + at, length, recordBytes),
    );
  }
  return fields;
}

function wordField(offset: number, length: number, recordBytes: number): KeyField {
  return {
    type: elementType("u32"),
    extract(records, order, keys) {
      for (let i = 0; i < keys.length; i++) {
        keys[i] = bigEndian(records, (order ? order[i]! : i) * recordBytes + offset, length);
      }
    },
  };
}

function pairField(offset: number, length: number, recordBytes: number): KeyField {
  return {
    type: elementType("u64"),
    extract(records, order, keys) {
      const words = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
      for (let i = 0; i < keys.length; i++) {
        const at = (order ? order[i]! : i) * recordBytes + offset;
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
  return {
    type,
    extract(records, order, keys) {
      const bytes = new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);
      const last = type.bytes - 1;
      for (let i = 0; i < keys.length; i++) {
        const at = (order ? order[i]! : i) * recordBytes + offset;
        for (let j = 0; j <= last; j++) bytes[i * type.bytes + j] = records[at + (little ? j : last - j)]!;
      }
    },
  };
}
