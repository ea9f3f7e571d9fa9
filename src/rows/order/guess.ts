import { InputError } from "../../core/errors.js";
import { quote, quoteBytes } from "../../core/quote.js";
import type { Report } from "../report.js";
import { comparisons, keysOf } from "./order_words.js";
import type { RowKey, RowOrder } from "./row_order.js";
import {
  type InvalidKey,
  type KeyTally,
  type Misfit,
  misfitOf,
  type RowPlace,
  type TalliedText,
} from "./tally.js";

/**
 * Says what an order with guessed keys becomes, because a value shows that the guess of a key is wrong. Each
 * key stays where it is: another comparison of it is guessed, or none fits but that of bytes. The kernels that
 * read the keys anyway report such values, so a right guess costs nothing.
 *
 * A wrong one is found late: then rows in memory are sorted again, files are read again, a stream from what was
 * kept of it. Runs could be sorted again in place, but not where rows were left out, as duplicates or beyond
 * the first ones.
 */
export type Widen = (misfit: Misfit) => RowOrder;

/** Whether some keys of an order were guessed. */
export const isGuess = ({ keys }: RowOrder) => keys.some(({ guessed }) => guessed);

/**
 * Looks at what the keys of all rows hold.
 *
 * @throws InputError if a guess has held, and a row has no value in a column where that is an error.
 */
export function requireGuessedValues(order: RowOrder, tallies: readonly KeyTally[]): void {
  for (const [key, { missing }] of tallies.entries()) {
    const { guessed, invalid } = order.keys[key]!;
    if (missing && guessed && invalid === "error") throw wrongKey(missing, { key, isMissing: false }, order);
  }
}

/** Thrown where rows cannot be read again: all is to begin anew, with another order. */
export class WrongGuess extends Error {
  readonly order: RowOrder;

  constructor(order: RowOrder) {
    super("a guessed key holds other values");
    this.order = order;
  }
}

/**
 * Decides what a reported row shows: that a guess is wrong, or an error of the input.
 *
 * @returns the order to begin anew with, as the row shows that a guess is wrong.
 * @throws InputError if it is an error of the input.
 */
export function widened(
  invalid: InvalidKey,
  reports: readonly Report[],
  text: TalliedText,
  order: RowOrder,
  widen: Widen | undefined,
): RowOrder {
  const misfit = misfitOf(invalid, reports, text);
  if (misfit && widen && order.keys[invalid.key]?.guessed) return widen(misfit);
  throw wrongKey(text.placeOf(invalid.row), invalid, order, misfit?.value);
}

/** The error of a row whose key is no number or date but must be one, or that has no such field. */
function wrongKey(
  { input, row }: RowPlace,
  { key, isMissing }: Omit<InvalidKey, "row">,
  order: RowOrder,
  value?: Uint8Array,
): InputError {
  const rowKey = keysOf(order)[key];
  const column = order.quotes && rowKey ? `, column ${columnOf(rowKey)}` : "";
  if (isMissing) {
    const missing = `it has no field for its key ${key + 1}${column}`;
    return new InputError(`${input}: row ${row + 1} is too short: ${missing}`, {
      hint: "add the missing separators; or put rows without a value first or last",
      options: ["by", "invalid"],
    });
  }
  const what = rowKey ? comparisons[rowKey.compare].holds : "number";
  const isLine = !order.quotes && rowKey?.begin.field === 0 && rowKey.begin.offset === 0 && !rowKey.end;
  if (isLine) {
    const found = value ? `is no ${what}: ${quoteBytes(value)}` : `is blank, and no ${what}`;
    return new InputError(`${input}: line ${row + 1} ${found}`, {
      hint: "name the format lines, which sorts lines as text",
      options: ["format"],
    });
  }
  return new InputError(`${input}: row ${row + 1} has no ${what} as its key ${key + 1}${column}`, {
    hint: "put such rows first or last, or compare the key as text",
    options: ["invalid"],
  });
}

/** A column in an error: by its name if it has one, else by its number, from 1. */
const columnOf = ({ name, begin }: RowKey) => (name ? quote(name) : `${begin.field + 1}`);
