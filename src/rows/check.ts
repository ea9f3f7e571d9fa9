import type { Checksum } from "../core/items/checksum.js";
import type { Summary } from "../core/items/summary.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { type AdjacentCheckOptions, checkAdjacentRows } from "./adjacent_check.js";
import { isGuess } from "./order/guess.js";
import type { RowOrder } from "./order/row_order.js";
import type { KeyTally, RowPlace } from "./order/tally.js";
import type { RowRunner } from "./row_kernels.js";

/**
 * Summarizes the rows of inputs. The first and the last row are without their terminators. The checksum is
 * the sum of a hash of 64 bits of each row with its terminator, modulo 2^64, as its high and its low word:
 * equal multisets of rows have equal sums, whatever their order.
 *
 * @throws InputError as `RowText.next`.
 */
export async function rowSummary(
  runner: RowRunner,
  inputs: readonly ByteInput[],
  options: AdjacentCheckOptions,
): Promise<Summary> {
  let [count, inversions, duplicates, sum] = [0, 0, 0, 0n];
  let firstInversion: number | undefined;
  let first: Uint8Array | undefined;
  let last: Uint8Array | undefined;
  let tallies: readonly KeyTally[] = [];
  for await (const part of checkAdjacentRows(runner, inputs, options)) {
    if (part.isFirst) {
      [count, inversions, duplicates, sum] = [0, 0, 0, 0n];
      [firstInversion, first, last] = [undefined, undefined, undefined];
    }
    tallies = part.tallies;
    const { batch, carried, firstRow } = part;
    if (batch.rows === carried) continue;
    if (part.firstInversion !== undefined) firstInversion ??= firstRow + part.firstInversion - carried - 1;
    count += batch.rows - carried;
    inversions += part.inversions;
    duplicates += part.equal;
    sum += await batch.hash(carried);
    first ??= part.rowContent(0);
    last = part.rowContent(batch.rows - 1);
  }
  options.onTallied?.(tallies, true);
  const checksum = wordsOf(sum);
  return { count, inversions, firstInversion, duplicates, checksum, first, last };
}

/**
 * Combines the summaries of two adjacent parts, `a` before `b`.
 *
 * @throws InputError as `RowText.next`.
 */
export async function joinRowSummaries(
  runner: RowRunner,
  a: Summary,
  b: Summary,
  options: AdjacentCheckOptions,
): Promise<Summary> {
  if (a.count === 0) return b;
  if (b.count === 0) return a;
  // After a header, no row is looked at for a byte order mark.
  const rows = rowsInput([new Uint8Array(0), a.last!, b.first!], options.order);
  const seam = await rowSummary(runner, [rows], { ...options, header: true });
  const firstInB = b.firstInversion === undefined ? undefined : a.count + b.firstInversion;
  return {
    count: a.count + b.count,
    inversions: a.inversions + b.inversions + seam.inversions,
    firstInversion: a.firstInversion ?? (seam.inversions > 0 ? a.count - 1 : firstInB),
    duplicates: a.duplicates + b.duplicates + seam.duplicates,
    checksum: wordsOf(sumOf(a.checksum) + sumOf(b.checksum)),
    first: a.first,
    last: b.last,
  };
}

const sumOf = ([high, low]: Checksum) => (BigInt(high) << 32n) | BigInt(low);

const wordsOf = (sum: bigint): Checksum => [Number((sum >> 32n) & 0xffff_ffffn), Number(sum & 0xffff_ffffn)];

/** An input of some rows in memory. */
function rowsInput(rows: readonly Uint8Array[], { terminator }: RowOrder): ByteInput {
  const text = Buffer.concat(rows.flatMap((row) => [row, Uint8Array.of(terminator)]));
  let next = 0;
  return {
    name: "the summaries",
    byteLength: text.length,
    peek: async (count) => text.subarray(0, count),
    next: async (into) => {
      const bytes = text.copy(into, 0, next);
      next += bytes;
      return bytes;
    },
  };
}

/** A row that does not come after the one before it. Both are without their terminators. */
export interface RowDisorder extends RowPlace {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  /** Whether it has the keys of the row before it. */
  readonly isDuplicate: boolean;
}

/**
 * Finds the first row of the inputs that is not in order.
 *
 * @param unique whether a row with keys equal to those of the row before it is not in order either.
 * @returns undefined if all rows are in order.
 * @throws InputError as `RowText.next`, or if a key is no number but must be one.
 */
export async function firstRowDisorder(
  runner: RowRunner,
  inputs: readonly ByteInput[],
  { unique, ...options }: AdjacentCheckOptions & { readonly unique: boolean },
): Promise<RowDisorder | undefined> {
  let disorder: RowDisorder | undefined;
  let tallies: readonly KeyTally[] = [];
  for await (const part of checkAdjacentRows(runner, inputs, options)) {
    const { text, carried, firstRow, firstInversion = Number.POSITIVE_INFINITY } = part;
    if (part.isFirst) disorder = undefined;
    tallies = part.tallies;
    const first = Math.min(firstInversion, (unique ? part.firstEqual : undefined) ?? firstInversion);
    if (disorder || first === Number.POSITIVE_INFINITY) continue;
    disorder = {
      ...text.placeOf(firstRow + first - carried),
      before: part.rowContent(first - 1),
      after: part.rowContent(first),
      isDuplicate: first < firstInversion,
    };
    // A value behind it may show that a guess is wrong, or that a key has a value at all.
    const isSettled = !isGuess(options.order) && tallies.every((one) => one.hasValue || one.misfits === 0);
    if (isSettled) return disorder;
  }
  options.onTallied?.(tallies, true);
  return disorder;
}
