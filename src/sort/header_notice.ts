import { quoteBytes } from "../formats/quote.js";

/** What to read if the first line of an input may be a header that is sorted among the others. */
export function headerNotice(input: string, line: Uint8Array): string {
  return `the first line of ${input}, ${quoteBytes(line)}, looks like a header, but is sorted like the others, as no option says that it is one`;
}
