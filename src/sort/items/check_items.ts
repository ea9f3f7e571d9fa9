import type { CheckedPart } from "../../core/cpu/check.js";
import type { ItemOrder } from "../../core/items/order.js";
import {
  combine,
  compareItems,
  emptySummary,
  firstFault,
  type OrderSummary,
  type Summary,
} from "../../core/items/summary.js";
import type { ItemInput } from "../../formats/format.js";
import { readWindows } from "../runs/windows.js";
import { type CheckMethod, type CheckOptions, checkOf, ItemCheck } from "./item_check.js";
import { requireReadable } from "./record_limits.js";

/** What checks items, and which order is expected of them. */
interface OrderedCheckOptions extends CheckOptions {
  readonly descending: boolean;
}

/**
 * Summarizes the items of an input.
 *
 * @throws InputError if the input cannot be read, or if its records are too long; the signal's reason.
 */
export async function summarizeItems(
  input: ItemInput,
  { descending, ...options }: OrderedCheckOptions,
): Promise<Summary> {
  const method = checkOf(input.item, descending, true);
  const { order } = method;
  let summary = emptySummary;
  for await (const part of checkedParts([input], method, options)) {
    const own = { ...orderOfPart(part, order, summary), checksum: part.checksum };
    summary = combine(summary, own, order);
  }
  return summary;
}

/**
 * What is known of the order of a part.
 *
 * @param before what is known of the parts before it. If these have a fault, the first one is not in this part.
 */
export function orderOfPart(
  { items, inversions, duplicates }: CheckedPart,
  order: ItemOrder,
  before: OrderSummary,
): OrderSummary {
  const { itemBytes } = order;
  const isFirst = inversions > 0 && before.inversions === 0;
  return {
    count: items.length / itemBytes,
    inversions,
    firstInversion: isFirst ? firstFault(items, order, false) : undefined,
    duplicates,
    first: items.slice(0, itemBytes),
    last: items.slice(-itemBytes),
  };
}

/** An item that must not follow the one before it. */
export interface Disorder {
  readonly input: ItemInput;
  /** The item's place in its input. */
  readonly index: number;
  readonly before: Uint8Array;
  readonly item: Uint8Array;
}

/**
 * Finds the first item that must not follow its predecessor, in inputs that follow each other. It reads
 * little more than what comes before that item.
 *
 * @param distinct whether equal items must not follow each other either.
 * @throws InputError if an input cannot be read, or if its records are too long; the signal's reason.
 */
export async function findDisorder(
  inputs: readonly ItemInput[],
  distinct: boolean,
  { descending, ...options }: OrderedCheckOptions,
): Promise<Disorder | undefined> {
  const [{ item }] = inputs as [ItemInput];
  const method = checkOf(item, descending, false);
  const { order } = method;
  let last: Uint8Array | undefined;
  for await (const { input, index, items, inversions, duplicates } of checkedParts(inputs, method, options)) {
    const first = items.subarray(0, item.bytes);
    const seam = last ? compareItems(last, first, order) : -1;
    if (seam > 0 || (distinct && seam === 0)) return { input, index, before: last!, item: first.slice() };
    if (inversions > 0 || (distinct && duplicates > 0)) {
      const at = firstFault(items, order, distinct)!;
      const itemAt = (i: number) => items.slice(i * item.bytes, (i + 1) * item.bytes);
      return { input, index: index + at + 1, before: itemAt(at), item: itemAt(at + 1) };
    }
    last = items.slice(-item.bytes);
  }
  return undefined;
}

interface PlacedPart extends CheckedPart {
  readonly input: ItemInput;
  /** The place of the part's first item in its input. */
  readonly index: number;
}

/**
 * Reads and checks inputs.
 * @returns what was found in adjacent parts, whose items are valid until the next.
 */
export async function* checkedParts(
  inputs: readonly ItemInput[],
  method: CheckMethod,
  options: CheckOptions,
): AsyncGenerator<PlacedPart, void> {
  let check: ItemCheck | undefined;
  try {
    for (const input of inputs) {
      const { item, itemCount } = input;
      requireReadable(input);
      if (itemCount === 0) continue;
      check ??= new ItemCheck(method, options);
      let done = 0;
      for await (const items of readWindows(input, check)) {
        const expected = itemCount === undefined ? done + items.length : itemCount * item.bytes;
        for (const part of await check.check(items, expected)) {
          yield { ...part, input, index: done / item.bytes };
          done += part.items.length;
        }
      }
    }
  } finally {
    check?.close();
  }
}
