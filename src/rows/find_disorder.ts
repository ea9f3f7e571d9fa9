import type { ByteInput } from "../core/streams/byte_stream.js";
import { type AdjacentCheckOptions, checkAdjacentRows } from "./adjacent_check.js";
import { isGuess } from "./order/guess.js";
import type { KeyTally, RowPlace } from "./order/tally.js";
import type { RowRunner } from "./row_kernels.js";

/** A row that does not come after the one before it. Both are without their terminators. */
export interface RowDisorder extends RowPlace {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/**
 * Finds the first row of the inputs that is not in order.
 *
 * @param unique whether a row with keys equal to those of the row before it is not in order either.
 * @returns undefined if all rows are in order.
 * @throws InputError as `RowText.next`, or if a key is no number but must be one.
 */
export async function firstRowDisorder(
  runner: RowRunner,
  inputs: readonly ByteInput[],
  { unique, ...options }: AdjacentCheckOptions & { readonly unique: boolean },
): Promise<RowDisorder | undefined> {
  let disorder: RowDisorder | undefined;
  let tallies: readonly KeyTally[] = [];
  for await (const part of checkAdjacentRows(runner, inputs, options)) {
    const { text, carried, firstRow, firstInversion = Number.POSITIVE_INFINITY } = part;
    if (part.isFirst) disorder = undefined;
    tallies = part.tallies;
    const first = Math.min(firstInversion, (unique ? part.firstEqual : undefined) ?? firstInversion);
    if (disorder || first === Number.POSITIVE_INFINITY) continue;
    disorder = {
      ...text.placeOf(firstRow + first - carried),
      before: part.rowContent(first - 1),
      after: part.rowContent(first),
    };
    // A value behind it may show that a guess is wrong, or that a key has a value at all.
    const isSettled = !isGuess(options.order) && tallies.every((one) => one.hasValue || one.misfits === 0);
    if (isSettled) return disorder;
  }
  options.onTallied?.(tallies, true);
  return disorder;
}
