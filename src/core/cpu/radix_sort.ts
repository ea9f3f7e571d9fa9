import type { KeyBits } from "../sort/key.js";
import type { KernelCall } from "./kernels.js";
import type { KernelRunner } from "./runner.js";

/** Elements in memory, to be sorted in place. */
export interface Elements {
  readonly memory: WebAssembly.Memory;
  /** Bytes of an element: 4, 8 or 16. */
  readonly bytes: 4 | 8 | 16;
  readonly count: number;
  /** The address of the elements. */
  readonly at: number;
  /** The address of scratch of the same length. */
  readonly scratch: number;
  /** The address of tables for all threads: `countTablesBytes`. */
  readonly countTables: number;
  readonly threads: number;
  readonly signal: AbortSignal | undefined;
}

/** The widest digit by which all threads together divide a range. */
const DIGIT_BITS = 11;
const TABLE_BYTES = 4 << DIGIT_BITS;

/** A range is divided into parts of about 2^13 elements, which fit a core's cache. */
const PART_BITS = 13;

/** Bytes for the tables by which `threads` threads count. */
export const countTablesBytes = (threads: number): number => threads * TABLE_BYTES;

/** A part of the elements, all of them equal above bit `end`. */
interface Range {
  /** The first element's position. */
  readonly from: number;
  readonly count: number;
  readonly end: number;
  /** Whether the elements are in the scratch. */
  readonly moved: boolean;
}

/**
 * Sorts elements by some bits of their first word. Elements that are equal in these bits keep their order.
 *
 * All threads together divide large ranges by a digit, from the most significant one down. Each then sorts
 * parts by itself (assembly/radix.ts). A thread counts and moves a contiguous piece of the range.
 */
export async function radixSort(runner: KernelRunner, elements: Elements, bits: KeyBits): Promise<void> {
  const largest = largestPart(elements.count, elements.threads);
  const large: Range[] = [];
  const parts: Range[] = [];
  const add = (range: Range) => (range.count > largest && range.end > bits.begin ? large : parts).push(range);
  add({ from: 0, count: elements.count, end: bits.end, moved: false });
  for (let range = large.pop(); range; range = large.pop()) {
    for (const part of await divide(runner, elements, range, bits.begin)) add(part);
  }
  const calls = parts.map((part) => sortCall(elements, part, bits.begin));
  await runner.run(`sort_${elements.bytes}`, calls, elements.threads, elements.signal);
}

/**
 * The most elements that one thread sorts by itself. A thread alone divides only what it would be busy with
 * for long.
 */
function largestPart(count: number, threads: number): number {
  return threads === 1 ? 2 ** 22 : Math.max(2 ** 14, Math.ceil(count / (4 * threads)));
}

function sortCall(
  { at, scratch, bytes }: Elements,
  { from, count, end, moved }: Range,
  begin: number,
): KernelCall {
  const [own, other] = moved ? [scratch, at] : [at, scratch];
  return [own + from * bytes, other + from * bytes, count, begin, Math.max(begin, end), moved ? 1 : 0];
}

/** Divides a range by its most significant digit. */
async function divide(
  runner: KernelRunner,
  elements: Elements,
  range: Range,
  begin: number,
): Promise<Range[]> {
  const { memory, at, scratch, bytes, countTables, threads, signal } = elements;
  const width = Math.min(
    Math.max(Math.ceil(Math.log2(range.count)) - PART_BITS, 6),
    DIGIT_BITS,
    range.end - begin,
  );
  const shift = range.end - width;
  const digits = 2 ** width;
  const [own, other] = range.moved ? [scratch, at] : [at, scratch];
  const pieces = Array.from({ length: threads }, (_, i) => {
    const from = Math.floor((range.count * i) / threads);
    const until = Math.floor((range.count * (i + 1)) / threads);
    return { from, count: until - from, table: countTables + i * TABLE_BYTES };
  });
  const calls = pieces.map(({ from, count, table }) => [
    own + (range.from + from) * bytes,
    count,
    table,
    shift,
    digits - 1,
  ]);
  await runner.run(`count_${bytes}`, calls, threads, signal);

  const tables = pieces.map(({ table }) => new Uint32Array(memory.buffer, table, digits));
  const counts = new Uint32Array(digits);
  for (const table of tables) for (let digit = 0; digit < digits; digit++) counts[digit]! += table[digit]!;
  if (counts.includes(range.count)) return [{ ...range, end: shift }];

  const parts: Range[] = [];
  let from = range.from;
  for (let digit = 0; digit < digits; digit++) {
    let address = other + from * bytes;
    for (const table of tables) {
      const counted = table[digit]!;
      table[digit] = address;
      address += counted * bytes;
    }
    const count = counts[digit]!;
    if (count > 0) parts.push({ from, count, end: shift, moved: !range.moved });
    from += count;
  }
  await runner.run(`scatter_${bytes}`, calls, threads, signal);
  return parts;
}
