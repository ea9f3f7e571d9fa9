import { InputError } from "../../core/errors.js";
import type { RowPlace } from "../row_place.js";
import { keysOf } from "./order_words.js";
import type { RowOrder } from "./row_order.js";
import type { InvalidKey } from "./tally.js";

/** The error of a row whose key is no number or date but must be one, or that has no such field. */
export function wrongKey(
  { input, row }: RowPlace,
  { key, isMissing }: Omit<InvalidKey, "row">,
  order: RowOrder,
): InputError {
  const found = keysOf(order)[key];
  const column = order.quotes && found ? `, column ${found.begin.field + 1}` : "";
  if (isMissing) {
    const missing = `it has no field for its key ${key + 1}${column}`;
    return new InputError(`${input}: row ${row + 1} is too short: ${missing}`, {
      hint: "add the missing separators; or put rows without a value first or last, which takes it for empty",
      options: ["by", "invalid"],
    });
  }
  const what = found?.compare === "date" ? "date" : "number";
  return new InputError(`${input}: row ${row + 1} has no ${what} as its key ${key + 1}${column}`, {
    hint: "put such rows first or last, or compare the key as text",
    options: ["invalid"],
  });
}
