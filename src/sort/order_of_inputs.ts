import { quoteBytes } from "../core/quote.js";
import { type CsvSample, looksLikeHeader } from "../formats/csv.js";
import type { ReadColumn } from "../formats/csv_order.js";
import type { NumberForm, RowOrder } from "../rows/order/row_order.js";
import type { Misfit } from "../rows/order/tally.js";

/** The order that inputs of rows are sorted by, or expected to be in. */
export interface OrderOfInputs {
  readonly order: RowOrder;
  /** Whether the first row of each input is a header. Default: as the options say. */
  readonly header?: boolean;
  /**
   * The order in words, if that is not known from the order itself: how columns are read, and what was guessed.
   */
  readonly by?: string;
  /** What the user should read about the inputs. */
  readonly notice?: string;
  /** The columns that the keys of the order are, in their order. */
  readonly columns?: readonly ReadColumn[];
  /**
   * What the order becomes when a value of a guessed key is not what was guessed. All keys that are `guessed`
   * need it. The keys stay where they are: `misfit.key` is the number of the one that has the value.
   */
  readonly widen?: (misfit: Misfit) => OrderOfInputs;
}

/** What to read if the first line of an input may be a header that is sorted among the others. */
export function headerNotice(input: string, line: Uint8Array): string {
  return `the first line of ${input}, ${quoteBytes(line)}, looks like a header, but is sorted like the others, as no option says that it is one`;
}

/** The same of the first row of CSV without a header. @param form how numbers are written. */
export function csvHeaderNotice(sample: CsvSample, form?: NumberForm): string | undefined {
  if (!looksLikeHeader(sample, form)) return undefined;
  const row = sample.records[0]!.fields.join(String.fromCharCode(sample.separator));
  return headerNotice(sample.name, Buffer.from(row));
}
