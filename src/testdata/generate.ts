import { elementType } from "../core/elements.js";
import type { Item } from "../core/items/item.js";
import type { Distribution } from "./distributions.js";
import { stream } from "./random.js";

export interface GenerateOptions {
  readonly distribution: Distribution;
  /** 0 … 2^32 - 1. */
  readonly seed: number;
  /** The number of all items. One call may make only a part of them. */
  readonly total: number;
}

/** The type of the numbers that the keys of records are made from. */
export const recordKeyType = elementType("u64");

/**
 * Fills `into` with the items from index `offset` on: keys of the distribution, or records like those of
 * gensort.
 *
 * @throws InputError if the distribution has no keys of the type, which is {@link recordKeyType} for records.
 */
export function generate(into: Uint8Array, item: Item, offset: number, options: GenerateOptions): void {
  const { distribution, total, seed } = options;
  const count = into.length / item.bytes;
  if (item.kind === "key") {
    const keys = new item.type.array(into.buffer, into.byteOffset, count);
    distribution.fill(keys, item.type, offset, total, seed);
    return;
  }
  const keys = new recordKeyType.array(count);
  distribution.fill(keys, recordKeyType, offset, total, seed);
  const words = new Uint32Array(keys.buffer);
  const rest = stream(seed, 5);
  const key = new DataView(new ArrayBuffer(KEY_BYTES));
  for (let i = 0; i < count; i++) {
    const [low, high] = [words[2 * i]!, words[2 * i + 1]!];
    key.setUint32(0, high);
    key.setUint32(4, low);
    // The last two bytes are a hash of the others, not of the record's number, so that equal keys stay equal.
    key.setUint16(8, rest(high * 2 ** 21 + (low >>> 11)) & 0xffff);
    fillRecord(into.subarray(i * item.bytes, (i + 1) * item.bytes), key, offset + i);
  }
}

const KEY_BYTES = 10;

/** Writes a record: its key of ten bytes, its number in hexadecimal, and letters made from its number. */
function fillRecord(record: Uint8Array, key: DataView, index: number): void {
  for (let at = 0; at < Math.min(KEY_BYTES, record.length); at++) record[at] = key.getUint8(at);
  const number = index.toString(16).toUpperCase().padStart(16, "0");
  for (let at = KEY_BYTES; at < record.length; at++) {
    const inNumber = at - KEY_BYTES;
    record[at] = inNumber < 16 ? number.charCodeAt(inNumber) : 65 + ((index + at) % 26);
  }
}
