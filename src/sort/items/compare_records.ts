import type { RecordItem, RecordKey } from "../../core/items/item.js";
import { itemOrder } from "../../core/items/order.js";
import type { Pause } from "../../core/streams/yield_to_event_loop.js";
import { type KeyPart, skipBytes } from "./key_fields.js";

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
    const compared = { records, recordBytes: item.bytes, offset: key.offset, bytes };
    const common = await commonBytes(compared, indices, pause);
    if (common < bytes) return "type" in key ? rest : skipBytes(rest, common);
    rest = skipBytes(rest, common);
  }
}

/** Bytes at the same place of all records. */
interface ComparedBytes {
  readonly records: Uint8Array;
  readonly recordBytes: number;
  /** The first of them in each record, and how many there are. */
  readonly offset: number;
  readonly bytes: number;
}

/** @returns how many bytes from the first on are the same in all records. */
async function commonBytes(
  { records, recordBytes, offset, bytes }: ComparedBytes,
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
