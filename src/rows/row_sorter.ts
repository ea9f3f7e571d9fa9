import { type Findings, FindingsLog } from "../core/cpu/findings.js";
import type { KernelCall } from "../core/cpu/kernels.js";
import { radixSort } from "../core/cpu/sort/radix_sort.js";
import { writeJob } from "../core/cpu/sort/work.js";
import { CALLS_PER_THREAD } from "../core/cpu/tuning.js";
import { elementForm } from "../core/cpu/workspace.js";
import { elementType } from "../core/elements.js";
import type { PhaseClock } from "../core/streams/phase_clock.js";
import { sortFault } from "./errors.js";
import { CODED, type KeyCoding } from "./order/key_coding.js";
import { isFoundAnew, keysOf } from "./order/order_words.js";
import type { KernelOrder } from "./order/row_order.js";
import { sampledCoding } from "./order/sampled_coding.js";
import { type NextPlace, placeAfter, type WordPlace, wordsBefore } from "./order/word_place.js";
import type { Report, ReportingCall } from "./report.js";
import { LEAST_SHARED, type RowBatch, type RowPiece } from "./row_batch.js";
import type { RowKernel } from "./row_kernels.js";
import { ELEMENT_BYTES, EQUAL, PENDING_BYTES, type RowWorkspace } from "./workspace.js";

/**
 * The most bytes of a row that are read again to find the next words of its key. Beyond that, rows are
 * compared.
 */
const MOST_BYTES_ANEW = 2 ** 14;

/** The rows of a sample whose words say which rows are among the first of an order. */
const SAMPLE_ROWS = 2 ** 13;

/** The first rows of an order. */
export interface HeadSelection {
  /** How many of them. Default: all. */
  readonly head?: number | undefined;
  /** Rows whose first word is above it are left out, whatever their number. */
  readonly bound?: bigint | undefined;
}

/** Sorts the rows of a batch by one order. */
export class RowSorter {
  readonly #batch: RowBatch;
  readonly #space: RowWorkspace<KernelOrder>;
  readonly #clock: PhaseClock;
  readonly #signal: AbortSignal | undefined;
  #coding: KeyCoding | undefined;
  /** What `readKeys` leaves to `sort`: how far keys were read, and what the words of all rows are like. */
  #place: WordPlace = { key: 0, stage: 0, more: false };
  #findings: Findings | undefined;

  constructor(batch: RowBatch, clock: PhaseClock, signal?: AbortSignal) {
    this.#batch = batch;
    this.#space = batch.space;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Reads the first word of the keys of each row. @returns what kernels report of the keys. */
  async readKeys({ head = Number.POSITIVE_INFINITY, bound }: HeadSelection = {}): Promise<Report[]> {
    const { order, job } = this.#space.at;
    const { elements } = this.#batch.places;
    const { rows } = this.#batch;
    return this.#clock.time("extract", 0, async () => {
      this.#writeJob();
      // Words are compared with a bound that comes from other rows, or with each other in a sample.
      const mayCode = rows >= LEAST_SHARED && head >= rows && bound === undefined;
      this.#coding = mayCode ? await sampledCoding(this.#space, this.#batch.places, rows) : undefined;
      const coded = Number(this.#coding !== undefined);
      const make = ({ from, count }: RowPiece, at: number, row: number, report: number) => {
        return [at, from, count, coded, row, report, order, job];
      };
      const { reports, findings } = await this.#inspect("make_elements", elements, rows, make);
      reports.push(...(await this.#batch.checkMoreKeys()));
      const more = reports.some(([word]) => word === 1);
      this.#place = { key: 0, stage: this.#coding ? CODED : 0, more };
      this.#findings = findings;
      return reports;
    });
  }

  /**
   * Sorts the rows whose keys were read: the elements of the first `head` of them, or of all, are in order
   * afterwards. Rows are left out before the sort whose words are above that of a row behind the first ones, by
   * a sample of the words.
   *
   * @returns the number of elements that are left, which are in order.
   */
  async sort(selection: HeadSelection = {}): Promise<number> {
    const { head = Number.POSITIVE_INFINITY, bound } = selection;
    const { elements } = this.#batch.places;
    let place = this.#place;
    let findings = this.#findings!;
    let count = this.#batch.rows;
    if (bound !== undefined) {
      count = await this.#keepUpTo(bound, count, () => true);
      if (count < this.#batch.rows) findings = await this.#inspectFirst(count);
    }
    // Rows that begin alike are told apart by further words, before some are selected.
    while (head < count && findings.varying.end === 0) {
      const next = this.#after(place, new BigUint64Array(this.#space.memory.buffer, elements, 1)[0]!);
      if (!next || this.#prefersComparisons(next)) break;
      ({ place, findings } = await this.#readNext(0, count, next));
    }
    const ordered = await this.#clock.time("sort", 0, async () => {
      const kept = head < count ? await this.#select(count, head) : count;
      await this.#sortRange(0, kept, kept < count ? await this.#inspectFirst(kept) : findings);
      await this.#refine(0, kept, place);
      return kept;
    });
    if (ordered === count || !this.#space.unique || this.#distinct(ordered) >= head) return ordered;
    // Too few of the selected rows differ, so others are among the first.
    await this.readKeys({ bound });
    return this.sort({ bound });
  }

  /**
   * Keeps elements that hold the first `head` of all in their order, and few others.
   *
   * @returns how many these are; all, if it would not pay.
   */
  async #select(count: number, head: number): Promise<number> {
    const { elements } = this.#batch.places;
    const words = new BigUint64Array(this.#space.memory.buffer, elements, 2 * count);
    const stride = Math.ceil(count / SAMPLE_ROWS);
    const sample = BigUint64Array.from(
      { length: Math.floor(count / stride) },
      (_, i) => words[2 * stride * i]!,
    );
    sample.sort();
    const expected = (head / count) * sample.length;
    const rank = Math.ceil(expected + 4 * Math.sqrt(expected) + 8);
    if (rank >= sample.length / 2) return count;
    // It does not if the sample misled, or if many words are equal.
    const pays = (kept: number) => kept >= head && kept <= count / 2;
    return this.#keepUpTo(sample[rank]!, count, pays);
  }

  /**
   * Keeps the elements whose words are not above a bound, if that many of them pay.
   *
   * @returns how many of the first elements are left.
   */
  async #keepUpTo(bound: bigint, count: number, pays: (kept: number) => boolean): Promise<number> {
    const { elements, scratch } = this.#batch.places;
    const pieces = this.#batch.share(count);
    const reports = await this.#batch.run(
      "select_elements",
      pieces.map(({ from, count: some }) => (report) => [
        elements + from * ELEMENT_BYTES,
        some,
        Number(bound >> 32n),
        Number(bound & 0xffff_ffffn),
        scratch + from * ELEMENT_BYTES,
        report,
      ]),
    );
    const kept = reports.reduce((sum, [some]) => sum + some!, 0);
    if (!pays(kept)) return count;
    let to = elements;
    for (const [i, { from }] of pieces.entries()) {
      const bytes = reports[i]![0]! * ELEMENT_BYTES;
      this.#space.bytes(to, bytes).set(this.#space.bytes(scratch + from * ELEMENT_BYTES, bytes));
      to += bytes;
    }
    return kept;
  }

  async #inspectFirst(first: number): Promise<Findings> {
    const { job } = this.#space.at;
    const { elements } = this.#batch.places;
    const call = ({ count }: RowPiece, at: number, row: number) => [at, count, row, job];
    return (await this.#inspect("inspect_elements", elements, first, call)).findings;
  }

  /** How many of the first elements are not marked as equal to the one before. */
  #distinct(count: number): number {
    const words = this.#space.words(this.#batch.places.elements, 4 * count);
    let distinct = 0;
    for (let place = 0; place < count; place++) distinct += Number(words[4 * place + 3] !== EQUAL);
    return distinct;
  }

  /** Sorts elements by their words. */
  async #sortRange(from: number, count: number, before: Findings): Promise<void> {
    if (before.inversions === 0) return;
    const { at, memory, threads } = this.#space;
    const places = this.#batch.places;
    const form = elementForm(8, true);
    const elements = places.elements + from * ELEMENT_BYTES;
    const scratch = places.scratch + from * ELEMENT_BYTES;
    const job = { type: elementType("u64"), keyCount: count, descending: false, verify: true };
    const logged = this.#logged();
    const steps = radixSort(
      {
        job,
        form,
        ordering: logged.ordering,
        memory,
        threads,
        at: { ...at, bytes: places.end, elements, scratch, keys: elements },
      },
      before,
    );
    for (;;) {
      const { done, value } = steps.next();
      if (!done) {
        await this.#run(value.kernel as RowKernel, value.calls); // the module has those of 16 bytes
        continue;
      }
      const isSame = value.sums.every((each, i) => each === before.sums[i]);
      if (value.inversions > 0 || !isSame) throw sortFault("the words of their keys are not in order");
      break;
    }
    this.#writeJob(); // the sort has written its own
  }

  /** Sorts groups of equal words further. The elements are in the order of the words at `place`. */
  async #refine(from: number, count: number, place: WordPlace): Promise<void> {
    const { threads } = this.#space;
    const { elements } = this.#batch.places;
    const share = Math.max(LEAST_SHARED, Math.ceil(count / (CALLS_PER_THREAD * threads)));
    const large: [from: number, end: number][] = [];
    const pieces: RowPiece[] = [];
    const words = new BigUint64Array(this.#space.memory.buffer, elements, 2 * (from + count));
    for (let begin = from; begin < from + count; ) {
      const nominal = Math.min(begin + share, from + count);
      const group = groupAround(words, nominal, begin, from + count);
      let end = nominal;
      if (group.end - group.begin > 2 * share && threads > 1) {
        large.push([group.begin, group.end]);
        end = group.begin;
      } else end = group.end;
      if (end > begin) pieces.push({ from: begin, count: end - begin });
      begin = Math.max(end, large.at(-1)?.[1] ?? 0);
    }
    await this.#refinePieces(pieces, place);
    for (const [begin, end] of large) await this.#refineTogether(begin, end - begin, place);
  }

  /** Sorts groups of equal words further, each piece by one thread. */
  async #refinePieces(pieces: readonly RowPiece[], place: WordPlace): Promise<void> {
    const { at } = this.#space;
    const { elements, scratch } = this.#batch.places;
    for (let first = 0; first < pieces.length; first += at.findingsRows) {
      const some = pieces.slice(first, first + at.findingsRows);
      this.#space.bytes(at.pending, some.length * PENDING_BYTES).fill(0);
      let calls = some.map(({ from, count }, i): ReportingCall => {
        const [offset, pending] = [from * ELEMENT_BYTES, at.pending + i * PENDING_BYTES];
        return (report, row) => [
          elements + offset,
          count,
          place.key,
          place.stage,
          Number(place.more),
          scratch + offset,
          row,
          pending,
          report,
          at.order,
          at.job,
        ];
      });
      // A call ends early rather than take long.
      while (calls.length > 0) {
        const reports = await this.#batch.run("refine_elements", calls);
        calls = calls.filter((_, i) => reports[i]![0] === 1);
      }
    }
  }

  /** Sorts many elements with equal words on all threads. */
  async #refineTogether(from: number, count: number, equal: WordPlace): Promise<void> {
    const elements = this.#batch.places.elements + from * ELEMENT_BYTES;
    let place = equal;
    for (;;) {
      const word = new BigUint64Array(this.#space.memory.buffer, elements, 1)[0]!;
      const next = this.#after(place, word);
      if (!next) return this.#space.unique ? this.#run("mark_all_equal", [[elements, count]]) : undefined;
      if (this.#prefersComparisons(next)) return this.#refinePieces([{ from, count }], place);
      const read = await this.#readNext(from, count, next);
      place = read.place;
      const { findings } = read;
      if (findings.varying.end === 0) continue;
      await this.#sortRange(from, count, findings);
      return this.#refine(from, count, place);
    }
  }

  /** Gives elements their words at a place. */
  async #readNext(from: number, some: number, { key, stage }: NextPlace) {
    const { order, job } = this.#space.at;
    const elements = this.#batch.places.elements + from * ELEMENT_BYTES;
    const call = ({ count }: RowPiece, at: number, row: number, report: number) => {
      return [at, count, key, stage, row, report, order, job];
    };
    const { reports, findings } = await this.#inspect("next_elements", elements, some, call);
    const place: WordPlace = { key, stage, more: reports.some(([more]) => more === 1) };
    return { place, findings };
  }

  #after(place: WordPlace, word: bigint): NextPlace | undefined {
    return placeAfter(place, word, this.#space.order, this.#coding);
  }

  /** Whether rows are to be compared rather than sorted by further words of a key. */
  #prefersComparisons({ key, stage }: NextPlace): boolean {
    if (stage === 0 || !isFoundAnew(keysOf(this.#space.order)[key]!, this.#space.order)) return false;
    return wordsBefore(stage) * (this.#batch.textBytes / this.#batch.rows) > MOST_BYTES_ANEW;
  }

  #logged() {
    const { memory, at } = this.#space;
    return { memory, at, ordering: { bytes: ELEMENT_BYTES, bits: { begin: 0, end: 64 }, pairs: true } };
  }

  #writeJob(): void {
    const { memory, at } = this.#space;
    const { elements } = this.#batch.places;
    const job = { type: elementType("u64"), descending: false };
    const form = elementForm(8, true);
    const { ordering } = this.#logged();
    writeJob({ job, form, ordering, memory, at: { job: at.job, elements, keys: elements } }, 0);
  }

  /**
   * Runs a kernel that inspects elements, and may report, in pieces.
   *
   * @param call the arguments for a piece, of its address, and the addresses of its findings and of its report.
   */
  async #inspect(
    kernel: RowKernel,
    elements: number,
    count: number,
    call: (piece: RowPiece, at: number, row: number, report: number) => KernelCall,
  ): Promise<{ reports: Report[]; findings: Findings }> {
    const log = new FindingsLog(this.#logged());
    const pieces = this.#batch.share(count);
    const rows = log.rows(pieces.length);
    const reports = await this.#batch.run(
      kernel,
      pieces.map(
        (piece, i) => (report) => call(piece, elements + piece.from * ELEMENT_BYTES, rows[i]!, report),
      ),
    );
    log.keep(pieces.map(({ from }) => from));
    return { reports, findings: log.combined() };
  }

  #run(kernel: RowKernel, calls: readonly KernelCall[]): Promise<void> {
    const { runner, threads } = this.#space;
    return runner.run(kernel, calls, threads, { signal: this.#signal });
  }
}

/**
 * The places of elements whose words are equal to those on both sides of a cut; none if the cut divides two
 * words.
 *
 * @param words the word of each element, each followed by something else.
 * @param least where the search ends; `end` after the last element.
 */
function groupAround(words: BigUint64Array, cut: number, least: number, end: number) {
  if (cut >= end || words[2 * cut] !== words[2 * (cut - 1)]) return { begin: cut, end: cut };
  const word = words[2 * cut]!;
  const isEqual = (place: number) => words[2 * place] === word;
  return {
    begin: cut - lastTrue(cut - least, (back) => isEqual(cut - back)),
    end: cut + lastTrue(end - 1 - cut, (on) => isEqual(cut + on)) + 1,
  };
}

/**
 * The largest number up to `most` for which `holds`; it holds for 0, and for no number after the first
 * failure.
 */
function lastTrue(most: number, holds: (n: number) => boolean): number {
  let step = 1;
  while (step <= most && holds(step)) step *= 2;
  let [low, high] = [Math.floor(step / 2), Math.min(step - 1, most)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
