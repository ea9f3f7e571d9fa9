import { InputError } from "./errors.js";

const AS_LINES =
  "or sort lines, where quotes are characters like others: by the format lines, or by keys as in -t, -k2,2";
const options = ["by", "format"] as const;

/** The error of an input in which text follows the closing quote of a field. @param row from 1. */
export function textAfterQuote(name: string, row: number): InputError {
  return new InputError(`${name}: row ${row} has text after the closing quote of a field`, {
    hint: `double the quotes within; ${AS_LINES}`,
    options,
  });
}

/** The error of an input that ends within quotes. @param row where they begin, from 1, if that is known. */
export function unclosedQuote(name: string, row?: number): InputError {
  const what =
    row === undefined
      ? `${name} ends within quotes: a quote is not closed`
      : `${name}: a quote in row ${row} is not closed`;
  return new InputError(what, { hint: `close it; ${AS_LINES}`, options });
}
