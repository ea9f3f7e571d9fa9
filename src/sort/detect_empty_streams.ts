import type { ItemInput } from "../formats/format.js";
import type { OpenedInputs } from "./inputs.js";

/**
 * Finds out whether streams of records have any, so that a sort of none needs no memory, however long a
 * record is.
 *
 * @returns the input; if it is a stream of records that ends at once, an input of known length.
 */
export async function knownEmpty({ items, each, files }: OpenedInputs): Promise<ItemInput> {
  if (items.item.kind !== "record" || items.itemCount !== undefined) return items;
  for (const [i, { itemCount }] of each.entries()) {
    if (itemCount === undefined ? (await files[i]!.peek(1)).length > 0 : itemCount > 0) return items;
  }
  return { ...items, itemCount: 0, source: { read: async () => {} } };
}
