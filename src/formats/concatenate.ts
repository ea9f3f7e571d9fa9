import type { KeySource } from "../engines/engine.js";
import { InputError } from "../errors.js";
import type { Item, ItemInput } from "./format.js";

/**
 * Several inputs as one, the first one's items first.
 *
 * @throws InputError if they do not hold the same kind of items.
 */
export function concatenate(inputs: readonly ItemInput[]): ItemInput {
  const [first, ...others] = inputs;
  if (!first) throw new TypeError("there is no input to concatenate");
  for (const other of others) {
    if (describeItem(other.item) === describeItem(first.item)) continue;
    throw new InputError(
      `${first.name} holds ${describeItem(first.item)} and ${other.name} ${describeItem(other.item)}`,
      { hint: "sort them one by one, or name the type of both with --type" },
    );
  }
  if (others.length === 0) return first;
  const known = inputs.every(({ itemCount }) => itemCount !== undefined);
  const source = inputs.every((input) => input.source) ? joined(inputs) : undefined;
  let current = 0;
  return {
    ...first,
    name: `${first.name} and ${others.length} more`,
    itemCount: known ? inputs.reduce((sum, { itemCount }) => sum + itemCount!, 0) : undefined,
    ...(source && { source }),
    async next(into) {
      const fits = into.length - (into.length % first.item.bytes);
      let filled = 0;
      while (filled < fits && current < inputs.length) {
        filled += await inputs[current]!.next(into.subarray(filled, fits));
        if (filled < fits) current++;
      }
      return filled;
    },
  };
}

function joined(inputs: readonly ItemInput[]): KeySource {
  return {
    async read(into, offset) {
      const reads: Promise<void>[] = [];
      let start = 0;
      for (const { source, itemCount, item } of inputs) {
        const end = start + itemCount! * item.bytes;
        const from = Math.max(offset, start);
        const to = Math.min(offset + into.length, end);
        if (from < to) reads.push(source!.read(into.subarray(from - offset, to - offset), from - start));
        start = end;
      }
      const outcomes = await Promise.allSettled(reads);
      for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    },
  };
}

/** "u32 keys", "records of 100 bytes". */
export function describeItem(item: Item): string {
  return item.kind === "key" ? `${item.type.name} keys` : `records of ${item.bytes} bytes`;
}
