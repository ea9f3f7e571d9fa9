import { type ElementType, elementType, type KeyArray } from "../../core/elements.js";
import type { RecordItem, RecordKey } from "../../core/items/item.js";

/** A part of a record's key that is sorted as a number. The first field decides, then the second, … */
export interface KeyField {
  readonly type: ElementType;
  /** Copies the fields of the records to `keys`: that of record `order[i]` (default: i) to key i. */
  extract(records: Uint8Array, order: Uint32Array | undefined, keys: KeyArray): void;
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
  const field = (bytes <= WORD ? wordField : pairField)(offset, bytes, item.bytes);
  return { field, key: { offset, bytes }, rest: skipBytes(part, bytes) };
}

/** Leaves out the first bytes of a part of a key. A key of a number type is left out as a whole. */
export function skipBytes([first, ...others]: KeyPart, count: number): KeyPart {
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
