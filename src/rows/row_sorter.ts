import { type Findings, FindingsLog } from "../core/cpu/findings.js";
import type { KernelCall } from "../core/cpu/kernels.js";
import { radixSort } from "../core/cpu/radix_sort.js";
import { CALLS_PER_THREAD } from "../core/cpu/tuning.js";
import { piecesOf, writeJob } from "../core/cpu/work.js";
import { elementForm } from "../core/cpu/workspace.js";
import { elementType } from "../core/elements.js";
import type { PhaseClock } from "../core/streams/phase_clock.js";
import { sortFault } from "./errors.js";
import { CODED, goesOnAfter, isBetween, type KeyCoding } from "./order/key_coding.js";
import { isMisfitStage, stageAfterFirst, wordsBefore } from "./order/misfit_words.js";
import { isFoundAnew, isString, keysOf, MORE_BYTES } from "./order/order_words.js";
import type { RowOrder } from "./order/row_order.js";
import { sampledCoding } from "./order/sampled_coding.js";
import { talliesMoreKeys } from "./order/tally.js";
import { doubleWord, type Report, type ReportingCall, runReporting, sumOf } from "./report.js";
import { countRows, findRows, RowScan } from "./row_finder.js";
import type { RowKernel } from "./row_kernels.js";
import { ELEMENT_BYTES, EQUAL, PENDING_BYTES, type RowPlaces, type RowWorkspace } from "./workspace.js";

/** The fewest rows that threads share. Fewer are sorted by one thread from the second word of their keys on. */
const LEAST_SHARED = 2 ** 14;

/** The bytes of long rows that a call works on, about. */
const PIECE_BYTES = 2 ** 24;

/**
 * The most bytes of a row that are read again to find the next words of its key. Beyond that, rows are compared.
 */
const MOST_BYTES_ANEW = 2 ** 14;

/** The rows of a sample whose words say which rows are among the first of an order. */
const SAMPLE_ROWS = 2 ** 13;

/** Rows that follow each other in a batch. */
export interface RowPiece {
  readonly from: number;
  readonly count: number;
}

/** The first rows of an order. */
export interface HeadSelection {
  /** How many of them. Default: all. */
  readonly head?: number | undefined;
  /** Rows whose first word is above it are left out, whatever their number. */
  readonly bound?: bigint | undefined;
}

/** How far the keys of some rows were compared: up to a word in which they are equal. */
interface Place {
  /** The number of the key. */
  readonly key: number;
  /** How many words of it came before, or that its coded word came first. */
  readonly stage: number;
  /** Whether a key goes on after a word that does not say so itself. */
  readonly more: boolean;
}

/** Sorts a batch, the rows of one text in memory. `count` counts them as the text comes in, `sort` orders them. */
export class RowSorter {
  readonly #space: RowWorkspace;
  readonly #clock: PhaseClock;
  readonly #signal: AbortSignal | undefined;
  readonly #scan = new RowScan(0);
  #ordered = 0;
  #coding: KeyCoding | undefined;
  /** What `readKeys` leaves to `sort`: how far keys were read, and what the words of all rows are like. */
  #place: Place = { key: 0, stage: 0, more: false };
  #findings: Findings | undefined;
  #places: RowPlaces | undefined;

  constructor(space: RowWorkspace, clock: PhaseClock, signal?: AbortSignal) {
    this.#space = space;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Whole rows so far. */
  get rows(): number {
    return this.#scan.rows;
  }

  /** Bytes of text that were counted, whole rows or not. */
  get textBytes(): number {
    return this.#scan.end;
  }

  get places(): RowPlaces {
    return this.#places!;
  }

  /** The first row in which text follows the closing quote of a field. */
  get misquoted(): number | undefined {
    return this.#scan.misquoted;
  }

  /** Counts the rows of the next `bytes` of text, which have arrived. */
  async count(bytes: number): Promise<void> {
    this.#space.writeOrder(0);
    await countRows(this.#space, [{ scan: this.#scan, bytes }], this.#signal);
  }

  /** Leaves the last piece out that was counted, unless it is the only one. @returns whether it did. */
  dropLast(): boolean {
    return this.#scan.dropLast();
  }

  /** Finds where rows begin. @returns the bytes of whole rows; what follows is the begin of another one. */
  async find(): Promise<number> {
    const places = this.#space.placesFor(this.textBytes, this.rows);
    this.#space.reserve(places.end);
    this.#places = places;
    this.#space.writeOrder(places.starts);
    this.#space.words(places.starts, 1)[0] = 0;
    await findRows(this.#space, [{ scan: this.#scan, to: places.starts + 4 }], this.#signal);
    return this.start(this.rows);
  }

  /** The position at which a row begins. That of the row after the last one is the end of the last one. */
  start(row: number): number {
    return this.#space.words(this.places.starts + 4 * row, 1)[0]!;
  }

  /** A copy of a row, with its terminator. */
  rowBytes(row: number): Uint8Array {
    const begin = this.start(row);
    return this.#space.bytes(this.places.text + begin, this.start(row + 1) - begin).slice();
  }

  /** Takes another order for the same rows. */
  reorder(order: RowOrder): void {
    this.#space.order = order;
    this.#space.writeOrder(this.places.starts);
  }

  /** Adds up hashes of all rows from number `from` on. @returns their sum, modulo 2^64. */
  async hash(from: number): Promise<bigint> {
    const pieces = this.#share(this.rows - from).map((piece) => ({ ...piece, from: from + piece.from }));
    return sumOf(await this.hashesOf(pieces));
  }

  /** Adds up hashes of the rows of each piece, modulo 2^64. */
  async hashesOf(pieces: readonly RowPiece[]): Promise<bigint[]> {
    const { order } = this.#space.at;
    const calls = pieces.map(({ from, count }) => (report: number) => [from, count, report, order]);
    return (await this.#runAll("hash_rows", calls)).map((words) => doubleWord(words, 4));
  }

  /** The first places of the order that hold their rows after `sort`. */
  get ordered(): number {
    return this.#ordered;
  }

  /** Reads the first word of the keys of each row. @returns what kernels report of the keys. */
  async readKeys({ head = Number.POSITIVE_INFINITY, bound }: HeadSelection = {}): Promise<Report[]> {
    const { at } = this.#space;
    const { elements } = this.places;
    const { rows } = this;
    return this.#clock.time("extract", 0, async () => {
      this.#writeJob(0);
      // Words are compared with a bound that comes from other rows, or with each other in a sample.
      const mayCode = rows >= LEAST_SHARED && head >= rows && bound === undefined;
      this.#coding = mayCode ? await sampledCoding(this.#space, this.places, rows) : undefined;
      const coded = Number(this.#coding !== undefined);
      const log = new FindingsLog(this.#logged());
      const reports = await this.#inspect(log, "make_elements", this.#share(rows), (piece, row, report) => [
        elements + piece.from * ELEMENT_BYTES,
        piece.from,
        piece.count,
        coded,
        row,
        report,
        at.order,
        at.job,
      ]);
      reports.push(...(await this.checkMoreKeys()));
      const more = reports.some(([word]) => word === 1);
      this.#place = { key: 0, stage: this.#coding ? CODED : 0, more };
      this.#findings = log.combined();
      return reports;
    });
  }

  /**
   * Sorts the rows whose keys were read: the elements of the first `head` of them, or of all, are in order
   * afterwards. Rows are left out before the sort whose words are above that of a row behind the first ones, by a
   * sample of the words.
   */
  async sort(selection: HeadSelection = {}): Promise<void> {
    const { head = Number.POSITIVE_INFINITY, bound } = selection;
    const { elements } = this.places;
    let place = this.#place;
    let findings = this.#findings!;
    let count = this.rows;
    if (bound !== undefined) {
      count = await this.#keepUpTo(bound, count, () => true);
      if (count < this.rows) findings = await this.#inspectFirst(count);
    }
    // Rows that begin alike are told apart by further words, before some are selected.
    while (head < count && findings.varying.end === 0) {
      const next = this.#after(place, new BigUint64Array(this.#space.memory.buffer, elements, 1)[0]!);
      if (!next || this.#isDear(next)) break;
      ({ place, findings } = await this.#readNext(0, count, next));
    }
    this.#ordered = count;
    const isComplete = await this.#clock.time("sort", 0, async () => {
      const kept = head < count ? await this.#select(count, head) : count;
      await this.#sortRange(0, kept, kept < count ? await this.#inspectFirst(kept) : findings);
      await this.#refine(0, kept, place);
      this.#ordered = kept;
      return kept === count || !this.#space.unique || this.#distinct(kept) >= head;
    });
    if (isComplete) return;
    // Too few of the selected rows differ, so others are among the first.
    await this.readKeys({ bound });
    await this.sort({ bound });
  }

  /** Counts what the keys after the first one hold, if that matters. @returns what kernels report. */
  async checkMoreKeys(): Promise<readonly Report[]> {
    return talliesMoreKeys(this.#space.order) ? this.checkKeys(1) : [];
  }

  /** Counts what the keys from number `first` on hold. @returns what kernels report. */
  checkKeys(first: number): Promise<readonly Report[]> {
    const { at } = this.#space;
    const pieces = this.#share(this.rows);
    return this.#runAll(
      "check_keys",
      pieces.map(({ from, count }) => (report) => [from, count, first, report, at.order]),
    );
  }

  /** A copy of the text between two positions. */
  textBetween(from: number, to: number): Uint8Array {
    return this.#space.bytes(this.places.text + from, to - from).slice();
  }

  /**
   * Keeps elements that hold the first `head` of all in their order, and few others.
   *
   * @returns how many these are; all, if it would not pay.
   */
  async #select(count: number, head: number): Promise<number> {
    const { elements } = this.places;
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
    const { elements, scratch } = this.places;
    const pieces = this.#share(count);
    const reports = await this.#runAll(
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

  /** The first word of a row's first key. */
  async firstWord(row: number): Promise<bigint> {
    const { at } = this.#space;
    const { scratch } = this.places;
    const call = (report: number) => [scratch, row, 1, 0, 0, report, at.order, at.job];
    await this.#runAll("make_elements", [call]);
    return new BigUint64Array(this.#space.memory.buffer, scratch, 1)[0]!;
  }

  async #inspectFirst(count: number): Promise<Findings> {
    const { at } = this.#space;
    const { elements } = this.places;
    const log = new FindingsLog(this.#logged());
    await this.#inspect(log, "inspect_elements", this.#share(count), ({ from, count: some }, row) => [
      elements + from * ELEMENT_BYTES,
      some,
      row,
      at.job,
    ]);
    return log.combined();
  }

  /** How many of the first elements are not marked as equal to the one before. */
  #distinct(count: number): number {
    const words = this.#space.words(this.places.elements, 4 * count);
    let distinct = 0;
    for (let place = 0; place < count; place++) distinct += Number(words[4 * place + 3] !== EQUAL);
    return distinct;
  }

  /** The number of the row that is in a place of the order. */
  rowAt(place: number): number {
    return this.#space.words(this.places.elements + place * ELEMENT_BYTES + 8, 1)[0]!;
  }

  /** Sorts elements by their words. */
  async #sortRange(from: number, count: number, before: Findings): Promise<void> {
    if (before.inversions === 0) return;
    const { at, memory, threads } = this.#space;
    const places = this.places;
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
    this.#writeJob(0); // the sort has written its own
  }

  /** Sorts groups of equal words further. The elements are in the order of the words at `place`. */
  async #refine(from: number, count: number, place: Place): Promise<void> {
    const { threads } = this.#space;
    const { elements } = this.places;
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
  async #refinePieces(pieces: readonly RowPiece[], place: Place): Promise<void> {
    const { at } = this.#space;
    const { elements, scratch } = this.places;
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
        const reports = await this.#runAll("refine_elements", calls);
        calls = calls.filter((_, i) => reports[i]![0] === 1);
      }
    }
  }

  /** Sorts many elements with equal words on all threads. */
  async #refineTogether(from: number, count: number, equal: Place): Promise<void> {
    const elements = this.places.elements + from * ELEMENT_BYTES;
    let place = equal;
    for (;;) {
      const word = new BigUint64Array(this.#space.memory.buffer, elements, 1)[0]!;
      const next = this.#after(place, word);
      if (!next) return this.#space.unique ? this.#run("mark_all_equal", [[elements, count]]) : undefined;
      if (this.#isDear(next)) return this.#refinePieces([{ from, count }], place);
      const read = await this.#readNext(from, count, next);
      place = read.place;
      const { findings } = read;
      if (findings.varying.end === 0) continue;
      await this.#sortRange(from, count, findings);
      return this.#refine(from, count, place);
    }
  }

  /** Gives elements their words at a place. */
  async #readNext(from: number, count: number, next: Omit<Place, "more">) {
    const { at } = this.#space;
    const elements = this.places.elements + from * ELEMENT_BYTES;
    const log = new FindingsLog(this.#logged());
    const reports = await this.#inspect(log, "next_elements", this.#share(count), (piece, row, report) => [
      elements + piece.from * ELEMENT_BYTES,
      piece.count,
      next.key,
      next.stage,
      row,
      report,
      at.order,
      at.job,
    ]);
    const place: Place = { ...next, more: reports.some(([more]) => more === 1) };
    return { place, findings: log.combined() };
  }

  /** The place after a word; undefined if the keys end with it. As `advance` in assembly/rows/refine.ts. */
  #after({ key, stage, more }: Place, word: bigint): Omit<Place, "more"> | undefined {
    const keys = keysOf(this.#space.order);
    const { compare, descending } = keys[key]!;
    const own = descending ? BigInt.asUintN(64, ~word) : word;
    let goesOn = more;
    if (stage === CODED) {
      if (isBetween(own)) return { key, stage: 0 };
      goesOn = goesOnAfter(this.#coding!, own);
    } else if (isMisfitStage(stage)) goesOn = (word & 0xffn) === MORE_BYTES;
    else if (isString({ compare })) goesOn = (own & 0xffn) === MORE_BYTES;
    else if (stage === 0) {
      const next = stageAfterFirst(keys[key]!, word);
      goesOn = more && (isMisfitStage(next) || (compare !== "float" && compare !== "month"));
      if (goesOn) return { key, stage: next };
    }
    if (goesOn) return { key, stage: stage === CODED ? 1 : stage + 1 };
    return key + 1 < keys.length ? { key: key + 1, stage: 0 } : undefined;
  }

  /** Whether rows are to be compared rather than sorted by further words of a key. */
  #isDear({ key, stage }: Omit<Place, "more">): boolean {
    if (stage === 0 || !isFoundAnew(keysOf(this.#space.order)[key]!, this.#space.order)) return false;
    return wordsBefore(stage) * (this.textBytes / this.rows) > MOST_BYTES_ANEW;
  }

  /** Divides rows into pieces for all threads. */
  #share(count: number) {
    const pieces = Math.max(1, Math.ceil(count / LEAST_SHARED), Math.ceil(this.textBytes / PIECE_BYTES));
    return piecesOf(count, Math.min(pieces, Math.max(1, count), CALLS_PER_THREAD * this.#space.threads));
  }

  #logged() {
    const { memory, at } = this.#space;
    return { memory, at, ordering: { bytes: ELEMENT_BYTES, bits: { begin: 0, end: 64 }, pairs: true } };
  }

  #writeJob(lowest: number): void {
    const { memory, at } = this.#space;
    const { elements } = this.places;
    const job = { type: elementType("u64"), descending: false };
    const form = elementForm(8, true);
    const { ordering } = this.#logged();
    writeJob({ job, form, ordering, memory, at: { job: at.job, elements, keys: elements } }, lowest);
  }

  /** Runs a kernel that inspects elements and reports. @returns the words of the reports. */
  async #inspect(
    log: FindingsLog,
    kernel: RowKernel,
    pieces: readonly { from: number; count: number }[],
    call: (piece: { from: number; count: number }, row: number, report: number) => KernelCall,
  ): Promise<Report[]> {
    const rows = log.rows(pieces.length);
    const reports = await this.#runAll(
      kernel,
      pieces.map((piece, i) => (report) => call(piece, rows[i]!, report)),
    );
    log.keep(pieces.map(({ from }) => from));
    return reports;
  }

  /** Runs a kernel whose calls each report. @returns the words of the reports. */
  async #runAll(kernel: RowKernel, calls: readonly ReportingCall[]): Promise<Report[]> {
    return runReporting(this.#space, kernel, calls, this.#signal);
  }

  #run(kernel: RowKernel, calls: readonly KernelCall[]): Promise<void> {
    const { runner, threads } = this.#space;
    return runner.run(kernel, calls, threads, this.#signal);
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
