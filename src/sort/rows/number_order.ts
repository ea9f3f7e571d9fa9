import { quoteBytes } from "../../formats/quote.js";
import type { RowKey, RowOrder } from "../../rows/order/row_order.js";
import type { OrderOfInputs } from "../order_of_inputs.js";

const begin = { field: 0, offset: 0 } as const;

/**
 * The order of lines that seem to be numbers, of any form and length. They are compared as numbers if all of
 * them are, but for blank lines, which go last; if a line is none, all are compared byte by byte. The lines are
 * moved as they are.
 *
 * @param isGuessed whether that was seen in the first lines. Otherwise a line that is no number is an error.
 */
export function orderOfNumbers(descending: boolean, isGuessed: boolean): OrderOfInputs {
  const number: RowKey = {
    begin,
    compare: "number",
    invalid: isGuessed ? "last" : "error",
    ...(isGuessed && { guessed: true }),
    ...(descending && { descending }),
  };
  return {
    order: ofLines([number]),
    by: `the number on each line${isGuessed ? " (guessed)" : ""}`,
    widen: ({ input, row, value }) => ({
      order: ofLines(descending ? [{ begin, compare: "bytes", descending }] : []),
      by: asText(input, row + 1, value),
    }),
  };
}

/** The order of lines in words if one of them, counted from 1, is no number. */
export const asText = (input: string, line: number, value: Uint8Array): string =>
  `whole lines as text, as line ${line} of ${input} is no number: ${quoteBytes(value)}`;

const ofLines = (keys: readonly RowKey[]): RowOrder => ({
  terminator: 10,
  separator: undefined,
  quotes: false,
  keys,
});
