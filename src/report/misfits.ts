import { quoteBytes } from "../formats/quote.js";
import type { Misfits } from "../sort/rows/misfits.js";
import { formatCount } from "./units.js";

/** Values that do not fit: "3 values of price are no numbers, the first is 'x' in row 12 of a.csv; they go last". */
export function misfitsText({ column, what, count, place, first }: Misfits): string {
  const kind = what.replace(/^an? /, "");
  const shown = quoteBytes(Buffer.from(first.value));
  const where = `${shown} in row ${first.row} of ${first.input}`;
  if (count === 1) return `one value of ${column} is no ${kind}: ${where}; it goes ${place}`;
  return `${formatCount(count)} values of ${column} are no ${kind}s, the first is ${where}; they go ${place}`;
}
