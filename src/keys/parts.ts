import { type ElementType, elementType, type KeyArray } from "../elements.js";
import type { RecordItem, RecordKey } from "../formats/format.js";

/** A part of a record's key that is one key of a type: records are in order by their parts, the first deciding first. */
export interface KeyPart {
  readonly type: ElementType;
  /** Takes the part out of records end to end: out of record `order[i]` for key i, or out of record i. */
  take(records: Uint8Array, order: Uint32Array | undefined, keys: KeyArray): void;
}

const WORD = 4;
const PAIR = 8;

/** Bytes are cut into words and pairs of words, which compare as the bytes do if the first is the most significant. */
export function keyParts(item: RecordItem): KeyPart[] {
  return item.keys.flatMap((key) =>
    "type" in key ? [typedPart(key, item.bytes, item.byteOrder === "little")] : byteParts(key, item.bytes),
  );
}

function byteParts({ offset, bytes }: Extract<RecordKey, { bytes: number }>, recordBytes: number): KeyPart[] {
  const parts: KeyPart[] = [];
  for (let at = 0; at < bytes; at += PAIR) {
    const length = Math.min(PAIR, bytes - at);
    parts.push(
      length <= WORD
        ? wordPart(offset + at, length, recordBytes)
        : pairPart(offset + at, length, recordBytes),
    );
  }
  return parts;
}

function wordPart(offset: number, length: number, recordBytes: number): KeyPart {
  return {
    type: elementType("u32"),
    take(records, order, keys) {
      for (let i = 0; i < keys.length; i++) {
        keys[i] = bigEndian(records, (order ? order[i]! : i) * recordBytes + offset, length);
      }
    },
  };
}

function pairPart(offset: number, length: number, recordBytes: number): KeyPart {
  return {
    type: elementType("u64"),
    take(records, order, keys) {
      const words = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
      for (let i = 0; i < keys.length; i++) {
        const at = (order ? order[i]! : i) * recordBytes + offset;
        words[2 * i + 1] = bigEndian(records, at, WORD);
        words[2 * i] = bigEndian(records, at + WORD, length - WORD);
      }
    },
  };
}

/** So many bytes, at most 4, as the most significant ones of a word. */
function bigEndian(bytes: Uint8Array, at: number, length: number): number {
  let word = 0;
  for (let i = 0; i < WORD; i++) word = (word << 8) | (i < length ? bytes[at + i]! : 0);
  return word >>> 0;
}

function typedPart(
  { offset, type }: Extract<RecordKey, { type: ElementType }>,
  recordBytes: number,
  little: boolean,
): KeyPart {
  return {
    type,
    take(records, order, keys) {
      const bytes = new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);
      const last = type.bytes - 1;
      for (let i = 0; i < keys.length; i++) {
        const at = (order ? order[i]! : i) * recordBytes + offset;
        for (let j = 0; j <= last; j++) bytes[i * type.bytes + j] = records[at + (little ? j : last - j)]!;
      }
    },
  };
}
