import { foldedRanges } from "./case_folding.js";

/** The layout of assembly/rows/folded.ts. */
const PAGES = 2048;
const PAGE = 64;

let table: Uint8Array | undefined;

/**
 * How far each character lies from the one that Unicode's simple case folding maps it to: for each page of 64 code
 * points the number of its distances, then these, as 32-bit integers. Pages without any share the first ones.
 */
export function foldTable(): Uint8Array {
  if (table) return table;
  const pages = new Map<number, Int32Array>();
  for (const [first, last, step, distance] of foldedRanges) {
    for (let code = first; code <= last; code += step) {
      const number = Math.floor(code / PAGE);
      const page = pages.get(number) ?? new Int32Array(PAGE);
      pages.set(number, page);
      page[code % PAGE] = distance;
    }
  }
  table = new Uint8Array(PAGES + 4 * PAGE * (pages.size + 1));
  for (const [i, [number, page]] of [...pages].entries()) {
    table[number] = i + 1;
    table.set(new Uint8Array(page.buffer), PAGES + 4 * PAGE * (i + 1));
  }
  return table;
}
