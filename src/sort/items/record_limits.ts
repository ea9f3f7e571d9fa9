import { MAX_MEMORY_BYTES } from "../../core/cpu/memory.js";
import { InputError } from "../../core/errors.js";
import type { RecordItem } from "../../core/items/item.js";
import type { ItemInput } from "../../formats/format.js";
import { LONGEST_TEXT, rowMemoryBytes } from "../../rows/workspace.js";
import type { SorterLimits } from "./item_sorter.js";

/** The longest record that can be sorted, in bytes. */
const LONGEST_RECORD = LONGEST_TEXT;

/** How many records are sorted at a time, and the memory that they take, on any machine. */
export function recordLimits({ bytes }: RecordItem): SorterLimits {
  const perRecord = rowMemoryBytes(bytes);
  const memoryPerItemByte = perRecord / bytes;
  return {
    capacity: Math.floor(Math.min(LONGEST_RECORD / bytes, (MAX_MEMORY_BYTES - OTHER_BYTES) / perRecord)),
    memoryPerItemByte,
    hostMemoryPerItemByte: memoryPerItemByte,
    inPlace: true, // records are copied before they are sorted
  };
}

/** More than the memory of kernels that does not depend on the records. */
const OTHER_BYTES = 64 << 20;

/**
 * Checks that a record can be read at all. An input without records passes.
 *
 * @throws InputError if its records are longer than the memory of a sort.
 */
export function requireReadable({ item, itemCount }: Pick<ItemInput, "item" | "itemCount">): void {
  if (item.bytes > LONGEST_RECORD && itemCount !== 0) throw recordTooLong(item.bytes);
}

/** The error for records that no sort can hold. */
export function recordTooLong(itemBytes: number): InputError {
  return new InputError(`records of ${itemBytes} bytes are too long: the limit is ${LONGEST_RECORD} bytes`, {
    hint: "give the length of one record in bytes",
    options: ["recordBytes"],
  });
}
