import { InputError } from "../../core/errors.js";
import type { ItemInput } from "../../formats/format.js";

/** The longest record that a buffer can hold, in bytes. */
export const LONGEST_RECORD = 2 ** 32;

/**
 * Checks that a record can be read at all. An input without records passes.
 *
 * @throws InputError if its records are longer than any buffer.
 */
export function requireReadable({ item, itemCount }: Pick<ItemInput, "item" | "itemCount">): void {
  if (item.bytes > LONGEST_RECORD && itemCount !== 0) throw recordTooLong(item.bytes);
}

/** The error for records that no buffer can hold. */
export function recordTooLong(itemBytes: number): InputError {
  return new InputError(`records of ${itemBytes} bytes are too long: the limit is ${LONGEST_RECORD} bytes`, {
    hint: "give the length of one record in bytes",
    options: ["recordBytes"],
  });
}
