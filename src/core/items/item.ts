import type { ElementType } from "../elements.js";

/** Whether the first byte of a number is its least significant one ("little") or its most significant one. */
export type ByteOrder = "little" | "big";

/**
 * A field of a record that it is sorted by: bytes, compared as unsigned numbers from first to last; or a
 * number.
 */
export type RecordKey =
  | { readonly offset: number; readonly bytes: number }
  | { readonly offset: number; readonly type: ElementType };

export interface KeyItem {
  readonly kind: "key";
  readonly bytes: number;
  readonly type: ElementType;
}

export interface RecordItem {
  readonly kind: "record";
  readonly bytes: number;
  /** In order of precedence: each key decides between records that are equal in the keys before it. */
  readonly keys: readonly RecordKey[];
  /** The byte order of keys that are numbers. */
  readonly byteOrder: ByteOrder;
}

/** What is sorted: a key alone, or a whole record. */
export type Item = KeyItem | RecordItem;

export const keyItem = (type: ElementType): KeyItem => ({ kind: "key", bytes: type.bytes, type });

/** @returns the plural of the item for messages, such as "u32 keys" or "records of 100 bytes". */
export function describeItem(item: Item): string {
  return item.kind === "key" ? `${item.type.name} keys` : `records of ${item.bytes} bytes`;
}
