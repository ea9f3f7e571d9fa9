import { minValue, number, pipe, safeInteger } from "valibot";

/** Schemas of numbers of items or bytes in JSON files. */
export const wholeNumber = pipe(number(), safeInteger(), minValue(0));
export const positiveNumber = pipe(number(), safeInteger(), minValue(1));
