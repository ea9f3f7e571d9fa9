import { InputError } from "../core/errors.js";
import type { RowPlace } from "./text.js";

/** The error of a row whose key must be a number and is none. @param key the number of the key, from 0. */
export function noNumber(place: RowPlace, key: number): InputError {
  return new InputError(`${place.input}: row ${place.row + 1} has no number as its key ${key + 1}`, {
    hint: "put such rows first or last, or compare the key as text",
    options: ["invalid"],
  });
}
