import { type Findings, FindingsLog } from "../findings.js";
import type { KernelCall } from "../kernels.js";
import {
  CALLS_PER_ROUND,
  CALLS_PER_THREAD,
  DIGIT_BITS,
  largestPart,
  PART_BITS,
  roundBytes,
} from "../tuning.js";
import { COUNT_TABLE_BYTES } from "../workspace.js";
import { type Group, type GroupCalls, grouped, roundsOf, sortGroups, sortRounds } from "./groups.js";
import type { Spread } from "./spread.js";
import { type PlannedWork, piecesOf, type Steps, writeJob } from "./work.js";

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
 * Sorts elements by the bits that decide their order. Elements that are equal in these bits keep their order.
 * Then inspects them, and turns them back into keys unless they are pairs.
 *
 * All threads together divide large ranges by a digit, from the most significant one down; a thread counts
 * and moves a contiguous piece of the range. Then each sorts parts by itself (assembly/radix.ts).
 *
 * @param before the findings in the elements.
 * @param spread how they were divided already, if they were.
 * @returns the findings in the sorted elements.
 */
export function* radixSort(work: PlannedWork, before: Findings, spread?: Spread): Steps<Findings> {
  const { varying } = before;
  const { begin, end } = work.ordering.bits;
  const lowest = Math.max(begin, varying.begin);
  writeJob(work, lowest, spread?.buckets);
  const log = new FindingsLog(work);
  const all = { from: 0, count: work.job.keyCount, end: Math.max(lowest, Math.min(end, varying.end)) };
  const large: Range[] = spread?.decides(before)
    ? yield* sortSpread(work, spread, log)
    : [{ ...all, moved: spread !== undefined }];
  for (let range = large.pop(); range; range = large.pop()) {
    const most = largestPart(work.job.keyCount, work.threads);
    if (range.end <= lowest) {
      // All elements are equal in what decides, so any parts will do.
      const pieces = Math.max(CALLS_PER_THREAD * work.threads, Math.ceil(range.count / most));
      const counts = piecesOf(range.count, pieces).map(({ count }) => count);
      yield* sortParts(work, range, counts, log);
    } else if (range.count > most) large.push(...(yield* divide(work, range, lowest, log)));
    else yield* sortParts(work, range, [range.count], log);
  }
  return log.combined();
}

/**
 * Divides a range by its most significant digit, and sorts the smaller ones of its parts.
 *
 * @returns the parts that are to be divided again.
 */
function* divide(work: PlannedWork, range: Range, lowest: number, log: FindingsLog): Steps<Range[]> {
  const { form, memory, at, threads } = work;
  const width = Math.min(
    Math.max(Math.ceil(Math.log2(range.count)) - PART_BITS, 6),
    DIGIT_BITS,
    range.end - lowest,
  );
  const shift = range.end - width;
  const digits = 2 ** width;
  const { own, other } = placesOf(work, range);
  const calls = piecesOf(range.count, threads).map(({ from, count }, thread): KernelCall => {
    const table = at.countTables + thread * COUNT_TABLE_BYTES;
    return [own + (range.from + from) * form.bytes, count, table, shift, digits - 1];
  });
  yield { phase: "sort", kernel: `count_${form.bytes}`, calls };

  const tables = calls.map(([, , table]) => new Uint32Array(memory.buffer, table, digits));
  const counts = new Uint32Array(digits);
  for (const table of tables) for (let digit = 0; digit < digits; digit++) counts[digit]! += table[digit]!;
  if (counts.includes(range.count)) return [{ ...range, end: shift }];

  let address = other + range.from * form.bytes;
  for (let digit = 0; digit < digits; digit++) {
    for (const table of tables) {
      const counted = table[digit]!;
      table[digit] = address;
      address += counted * form.bytes;
    }
  }
  yield { phase: "sort", kernel: `scatter_${form.bytes}`, calls };
  return yield* sortParts(work, { ...range, end: shift, moved: !range.moved }, counts, log);
}

/** To divide a part that is a little too large for one thread takes longer than to wait for that thread. */
const SLACK = 1.5;

/**
 * Sorts elements that were divided while they were read: each call collects the elements of some digits, and
 * sorts them.
 *
 * @returns the digits whose elements are too many for one thread. They are collected.
 */
function* sortSpread(work: PlannedWork, spread: Spread, log: FindingsLog): Steps<Range[]> {
  const { job, form, memory, at, threads } = work;
  const { stride, bufferBytes } = spread.places;
  const all = { from: 0, count: job.keyCount, end: spread.shift, moved: false };
  const endOf = ({ first }: Group) => spread.endOf(first);
  const most = Math.min(largestPart(job.keyCount, threads), Math.floor(bufferBytes / form.bytes));
  const { groups, large } = grouped(all, spread.counts, most, CALLS_PER_THREAD * threads);
  const placeOf = (from: number) => at.elements + from * form.bytes;
  const pieces = [spread.rowOf(0), spread.pieces, stride] as const;
  const callsFor = (up: number): GroupCalls => ({
    kernel: `sort_spread_${form.bytes}`,
    of: ({ from, first, last }, row) => [...pieces, first, last, placeOf(from - up), all.end, row, at.job],
  });
  const roundCount = Math.floor(roundBytes(threads) / form.bytes);
  if (work.parts && large.length === 0 && most <= roundCount && job.keyCount > 2 * roundCount) {
    const calls = Math.ceil((job.keyCount / roundCount) * CALLS_PER_ROUND * threads);
    const rounds = roundsOf(grouped(all, spread.counts, most, calls).groups, roundCount);
    yield* sortRounds(work, work.parts, rounds, log, callsFor);
    return [];
  }
  yield* sortGroups(groups, log, callsFor(0), { parts: work.parts });

  const perCall = Math.ceil(spread.pieces / threads);
  const collecting: KernelCall[] = [];
  for (const { from, first: digit } of large) {
    let to = placeOf(from);
    for (let piece = 0; piece < spread.pieces; piece += perCall) {
      const some = Math.min(perCall, spread.pieces - piece);
      collecting.push([spread.rowOf(piece), some, stride, digit, to]);
      for (let i = 0; i < some; i++) {
        const [begin, end] = new Uint32Array(memory.buffer, spread.rowOf(piece + i) + 4 * digit, 2);
        to += end! - begin!;
      }
    }
  }
  if (collecting.length > 0) yield { phase: "sort", kernel: `collect_${form.bytes}`, calls: collecting };
  const mostUndivided = SLACK * largestPart(job.keyCount, threads);
  const undivided = large.filter(({ count }) => count <= mostUndivided);
  yield* sortEach(work, undivided, all, log, endOf);
  const divided = large.filter(({ count }) => count > mostUndivided);
  return divided.map((group) => ({ ...all, from: group.from, count: group.count, end: endOf(group) }));
}

/**
 * Sorts parts of a range, each with a call of its own.
 *
 * @param endOf tells above which bit the elements of a part are equal.
 */
function* sortEach(
  work: PlannedWork,
  parts: readonly Group[],
  range: Range,
  log: FindingsLog,
  endOf: (part: Group) => number,
): Steps<void> {
  const { form, memory, at } = work;
  const { own, other } = placesOf(work, range);
  const ends = new Uint32Array(memory.buffer, at.countTables, parts.length);
  const groups = parts.map(({ from, count }, part): Group => {
    ends[part] = own + (from + count) * form.bytes;
    return { from, count, first: part, last: part };
  });
  const calls = {
    kernel: `sort_${form.bytes}`,
    of: ({ from, first, last }: Group, row: number) => {
      const start = from * form.bytes;
      const end = endOf(parts[first]!);
      return [own + start, other + start, at.countTables, first, last, end, 0, row, at.job];
    },
  } as const;
  yield* sortGroups(groups, log, calls);
}

/**
 * Sorts the parts of a range, some adjacent ones with each call.
 *
 * @param counts the elements of each part.
 * @returns the parts that are too large for one thread. They are left as they are.
 */
function* sortParts(
  work: PlannedWork,
  range: Range,
  counts: ArrayLike<number>,
  log: FindingsLog,
): Steps<Range[]> {
  const { job, form, memory, at, threads } = work;
  const { own, other } = placesOf(work, range);
  const ends = new Uint32Array(memory.buffer, at.countTables, counts.length);
  let end = own + range.from * form.bytes;
  for (let part = 0; part < counts.length; part++) {
    end += counts[part]! * form.bytes;
    ends[part] = end;
  }
  const most = counts.length === 1 ? range.count : largestPart(job.keyCount, threads);
  const { groups, large } = grouped(range, counts, most, CALLS_PER_THREAD * threads);
  const calls = {
    kernel: `sort_${form.bytes}`,
    of: ({ from, first, last }: Group, row: number) => {
      const start = from * form.bytes;
      const moved = Number(range.moved);
      return [own + start, other + start, at.countTables, first, last, range.end, moved, row, at.job];
    },
  } as const;
  yield* sortGroups(groups, log, calls);
  return large.map(({ from, count }) => ({ ...range, from, count }));
}

/** Where the elements of a range are, and where they are moved to: the addresses of position 0. */
function placesOf({ at }: PlannedWork, { moved }: Range): { own: number; other: number } {
  return moved ? { own: at.scratch, other: at.elements } : { own: at.elements, other: at.scratch };
}
