import { InputError } from "../core/errors.js";
import { describeItem } from "../core/items/item.js";
import { namesOfAll } from "../core/names.js";
import { quoteBytes } from "../core/quote.js";
import { settleAll } from "../core/settle_all.js";
import type { ItemSource } from "../core/streams/item_stream.js";
import type { ItemInput } from "./format.js";

/**
 * Makes one input of several: the items of the first, then those of the second, …
 *
 * @throws InputError if an input holds another kind of items than the first, or has another header line.
 */
export function concatenate(inputs: readonly ItemInput[]): ItemInput {
  const [first, ...others] = inputs;
  if (!first) throw new TypeError("there is no input to concatenate");
  for (const other of others) {
    if (describeItem(other.item) === describeItem(first.item)) continue;
    const [own, others] = [first, other].map(({ item }) => describeItem(item));
    const hasType = [first, other].some(({ style }) => style.format === "npy");
    throw new InputError(`${first.name} holds ${own}, but ${other.name} holds ${others}`, {
      hint: `sort them one by one${hasType ? "" : ", or name one type for all"}`,
      options: hasType ? [] : ["type"],
    });
  }
  requireOneHeader(inputs);
  if (others.length === 0) return first;
  const known = inputs.every(({ itemCount }) => itemCount !== undefined);
  // All inputs are a source together, or none is: that of the first would end before them.
  const { source: _, ...rest } = first;
  const source = inputs.every((input) => input.source) ? joined(inputs) : undefined;
  let current = 0;
  return {
    ...rest,
    name: namesOfAll(inputs.map(({ name }) => name)),
    firstLine: undefined,
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

function requireOneHeader([first, ...others]: readonly ItemInput[]): void {
  const header = first?.style.header;
  for (const { name, style } of others) {
    if (!header || !style.header || Buffer.compare(header, style.header) === 0) continue;
    const [a, b] = [quoteBytes(header), quoteBytes(style.header)];
    throw new InputError(`${first.name} has the header line ${a}, but ${name} has ${b}`, {
      hint: "sort them one by one, or remove the header lines",
      options: ["header"],
    });
  }
}

function joined(inputs: readonly ItemInput[]): ItemSource {
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
      await settleAll(reads);
    },
  };
}
