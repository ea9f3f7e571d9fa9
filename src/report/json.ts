import { printableLines } from "../core/printable.js";

/** The text of a JSON document. It has no character that a terminal would act on, except line breaks. */
export function jsonText(value: unknown): string {
  return `${printableLines(JSON.stringify(value, null, 2))}\n`;
}
