import { InputError } from "../core/errors.js";
import type { InvalidKey } from "./batch.js";
import type { RowPlace } from "./text.js";

/** The error of a row whose key is no number but must be one, or that has no such field. */
export function wrongKey({ input, row }: RowPlace, { key, isMissing }: Omit<InvalidKey, "row">): InputError {
  if (isMissing) {
    return new InputError(`${input}: row ${row + 1} is too short: it has no field for its key ${key + 1}`, {
      hint: "add the missing separators; or put rows without a value first or last, which takes it for empty",
      options: ["by", "invalid"],
    });
  }
  return new InputError(`${input}: row ${row + 1} has no number as its key ${key + 1}`, {
    hint: "put such rows first or last, or compare the key as text",
    options: ["invalid"],
  });
}
