import { type ItemSource, sequential } from "../core/streams/item_stream.js";
import type { ItemInput } from "./format.js";

/**
 * Some adjacent items of an input that can be read in any order.
 *
 * @param first the index of the first item. `first + count` must not exceed the number of items.
 */
export function sliceItems(input: ItemInput, first: number, count: number): ItemInput {
  const { source, item } = input;
  if (!source) throw new TypeError(`${input.name} cannot be read in any order`);
  const start = first * item.bytes;
  const slice: ItemSource = { read: (into, offset) => source.read(into, start + offset) };
  return {
    ...input,
    itemCount: count,
    source: slice,
    next: sequential(slice, count * item.bytes),
    firstLine: undefined,
  };
}
