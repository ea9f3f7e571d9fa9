import { quoteBytes } from "../core/quote.js";
import type { RowKey, RowOrder } from "../rows/order/row_order.js";
import type { Misfits } from "../sort/rows/misfits.js";
import { formatCount } from "./units.js";

/**
 * The order of lines in words: "lines by field 2 as a decimal number, descending, then by field 1; fields are
 * separated by ','; lines with equal keys keep their order".
 */
export function rowOrderText(order: RowOrder): string {
  const { keys, separator, terminator, quotes } = order;
  const lines = terminator === 0 ? "lines that end with a byte 0" : "lines";
  const between = separator === undefined ? "blanks" : quoteBytes(Uint8Array.of(separator));
  const hasFields = keys.some(({ begin, end }) => begin.field > 0 || end !== undefined);
  const quoted = quotes ? ", and may be quoted" : "";
  return [
    `${lines} by ${keysText(order)}`,
    ...(hasFields ? [`fields are separated by ${between}${quoted}`] : []),
    "lines with equal keys keep their order",
  ].join("; ");
}

/** "field 2 as a decimal number, descending, then by field 1". */
export function keysText({ keys }: RowOrder): string {
  return keys.length === 0 ? "all their bytes" : keys.map(keyText).join(", then by ");
}

/** The part of a line that is a key, and how it is compared. */
function keyText(key: RowKey): string {
  const { descending, invalid, foldCase, ignore } = key;
  const ignored = {
    punctuation: "letters, digits and blanks alone",
    nonprinting: "printable characters alone",
  };
  return [
    `${partText(key)}${comparisonTexts[key.compare]}`,
    ...(ignore ? [ignored[ignore]] : []),
    ...(foldCase ? ["without regard to case"] : []),
    ...(descending ? ["descending"] : []),
    ...(invalid ? [`with what is no number ${invalid}`] : []),
  ].join(", ");
}

const comparisonTexts: Readonly<Record<RowKey["compare"], string>> = {
  bytes: "",
  number: " as a number",
  decimal: " as a decimal number",
  human: " as a number with a unit",
  float: " as a floating-point number",
  month: " as a month",
  date: " as a date",
  natural: " in natural order",
  nocase: " as text without regard to case",
};

function partText({ begin, end }: RowKey): string {
  const first = `field ${begin.field + 1}`;
  const isWhole = begin.field === 0 && begin.offset === 0;
  const skips = begin.skipBlanks ? " without its leading blanks" : "";
  const from = begin.offset === 0 ? `${first}${skips}` : `${first}${skips} from byte ${begin.offset + 1}`;
  if (end === undefined) return isWhole ? `the whole line${skips}` : `${from} to the end of the line`;
  const last = `${end.field === begin.field ? "" : `field ${end.field + 1}`}`;
  if (end.bytes === undefined) return last === "" ? from : `${from} to ${last}`;
  const skipsLast = end.skipBlanks ? " after its leading blanks" : "";
  return `${from} to byte ${end.bytes}${last === "" ? "" : ` of ${last}`}${skipsLast}`;
}

/** Values that do not fit: "3 values of a are no numbers, the first is 'x' in row 2 of a.csv; they go last". */
export function misfitsText({ column, what, count, place, first }: Misfits): string {
  const kind = what.replace(/^an? /, "");
  const shown = quoteBytes(Buffer.from(first.value));
  const where = `${shown} in row ${first.row} of ${first.input}`;
  if (count === 1) return `one value of ${column} is no ${kind}: ${where}; it goes ${place}`;
  return `${formatCount(count)} values of ${column} are no ${kind}s, the first is ${where}; they go ${place}`;
}
