import type { CheckedPart } from "../core/cpu/check.js";
import { itemOrder } from "../core/items/order.js";
import { compareItems, firstFault } from "../core/items/scan.js";
import { combine, emptySummary, type Summary } from "../core/items/summary.js";
import type { ItemInput } from "../formats/format.js";
import { type CheckOptions, ItemCheck } from "./item_check.js";
import { requireReadable } from "./record_length.js";
import { readWindows } from "./windows.js";

/**
 * Summarizes the items of an input.
 *
 * @throws InputError if the input cannot be read, or if its records are too long; the signal's reason.
 */
export async function summarizeItems(input: ItemInput, options: CheckOptions): Promise<Summary> {
  const { bytes } = input.item;
  const order = itemOrder(input.item, options.descending);
  let summary = emptySummary;
  for await (const { items, inversions, duplicates, checksum } of checkedParts([input], true, options)) {
    const isFirst = inversions > 0 && summary.inversions === 0;
    const part: Summary = {
      count: items.length / bytes,
      inversions,
      firstInversion: isFirst ? firstFault(items, order, false) : undefined,
      duplicates,
      checksum,
      first: items.slice(0, bytes),
      last: items.slice(-bytes),
    };
    summary = combine(summary, part, order);
  }
  return summary;
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
 * Finds the first item that must not follow its predecessor, in inputs that follow each other. It reads little
 * more than what comes before that item.
 *
 * @param distinct whether equal items must not follow each other either.
 * @throws InputError if an input cannot be read, or if its records are too long; the signal's reason.
 */
export async function findDisorder(
  inputs: readonly ItemInput[],
  distinct: boolean,
  options: CheckOptions,
): Promise<Disorder | undefined> {
  const [{ item }] = inputs as [ItemInput];
  const order = itemOrder(item, options.descending);
  let last: Uint8Array | undefined;
  for await (const { input, index, items, inversions, duplicates } of checkedParts(inputs, false, options)) {
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

/** Reads and checks inputs. @returns what was found in adjacent parts, whose items are valid until the next. */
async function* checkedParts(
  inputs: readonly ItemInput[],
  sumsUp: boolean,
  options: CheckOptions,
): AsyncGenerator<PlacedPart, void> {
  let check: ItemCheck | undefined;
  try {
    for (const input of inputs) {
      const { item, itemCount } = input;
      requireReadable(input);
      if (itemCount === 0) continue;
      check ??= new ItemCheck(item, sumsUp, options);
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
