import { minValue, number, pipe, safeInteger } from "valibot";

/** A number of items or bytes in a JSON file. */
export const count = pipe(number(), safeInteger(), minValue(0));
