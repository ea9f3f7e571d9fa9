import { allEnded } from "../all_ended.js";
import type { Gpu } from "../device/gpu.js";
import { type Staging, stagingBytes } from "../device/staging.js";
import { elementType } from "../elements.js";
import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { checkRowsPlan, readFirstWrong } from "../rows/check.js";
import { DISTINCT_WORDS, distinctRowsPlan, keepDistinctPlan, readDistinctTotals } from "../rows/distinct.js";
import { countRowsPlan, findRowsPlan, type TextShape } from "../rows/find.js";
import {
  checkDistinct,
  checkRowTotals,
  inspectRowsPlan,
  type RowSums,
  type RowTotals,
  readRowTotals,
  TOTALS_WORDS,
} from "../rows/inspect.js";
import { moveRowsPlan } from "../rows/move.js";
import { type RowReading, rowReading } from "../rows/reading.js";
import { combinedOrderPlan, countTiesPlan, groupKeysPlan, moveTiesPlan } from "../rows/ties.js";
import {
  FOUND_WORDS,
  keyWordsPlan,
  prefixPlan,
  type ReadRows,
  readPrefix,
  readWordFindings,
} from "../rows/words.js";
import { radixTuning } from "../sort/best_tuning.js";
import { fits } from "../sort/choice.js";
import type { KeyBits, SortPlan } from "../sort/key.js";
import { radixPlan } from "../sort/radix.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import { PhaseClock } from "../streams/phase_clock.js";
import { DeviceSteps } from "./device_steps.js";
import { ReadbackCheck } from "./readback_check.js";
import type { DeviceRows, DeviceRowsResult } from "./row_job.js";
import { Transfers } from "./transfers.js";

/** Each round sorts tied rows by one more word of a key. More rounds take longer than the CPU. */
const MOST_ROUNDS = 64;

/** An invocation walks through a row to check it, so a longer one would take too long. */
const LONGEST_ROW = 1 << 20;

/** Bytes of a string in a word: see wgsl/shared/row_words.wgsl. */
const WORD_BYTES = 7;

/** Bytes of a row, as a guess before they are counted. */
export const GUESSED_ROW = 40;

const U64 = elementType("u64");

const UNKNOWN = "their numbers have too many digits in common";

/** Why a sort cannot go on here. */
export class GivesUp extends Error {}

/** What is left to sort. */
interface Ties {
  readonly count: number;
  readonly groups: number;
  /** Whether the key goes on in which they are equal. */
  readonly more: boolean;
}

/** A place in the keys: how many bytes of a string, or words of a number, were sorted by. */
interface Place {
  readonly key: number;
  readonly passed: number;
}

/** What a round has left, and the place of the words that it sorted by. */
interface Refined {
  readonly ties: Ties;
  readonly place: Place;
}

/** How many rows there are, and how many bytes they have. */
interface Extent {
  readonly rows: number;
  readonly bytes: number;
}

/** Rows that are wanted, and what an inspection must find in them, if there is one. */
interface Wanted extends Extent {
  readonly totals: RowSums | undefined;
}

/** Rows at the beginning of the buffer "output", and what an inspection found in it, if there was one. */
interface Moved {
  readonly written: Extent;
  readonly totals: RowTotals | undefined;
}

/** What is known of the first words of all rows. */
interface FirstWords {
  readonly varying: KeyBits;
  readonly more: boolean;
  readonly passed: number;
}

/** One sort: see `GpuRows`. */
export class RowRun {
  readonly #gpu: Gpu;
  readonly #device: string;
  readonly #traits: DeviceTraits;
  readonly #job: DeviceRows;
  readonly #steps: DeviceSteps;
  readonly #clock = new PhaseClock();
  readonly #staging: Staging;
  readonly #transfers: Transfers;
  readonly #text: TextShape;
  readonly #reading: RowReading;
  #rows = 0;
  /** Whether the sink may have got something. */
  writes = false;

  constructor(gpu: Gpu, device: string, traits: DeviceTraits, staging: Staging, job: DeviceRows) {
    this.#gpu = gpu;
    this.#device = device;
    this.#traits = traits;
    this.#job = job;
    const { bytes, terminator, separator, memoryBytes = Number.POSITIVE_INFINITY } = job;
    this.#steps = new DeviceSteps(gpu, memoryBytes - stagingBytes(bytes));
    this.#staging = staging;
    this.#transfers = new Transfers(staging, this.#clock);
    this.#text = { bytes, terminator, separator };
    this.#reading = rowReading(job.keys, separator !== undefined);
  }

  async sort(source: ItemSource, sink: ItemSink): Promise<DeviceRowsResult> {
    const { bytes, onSorted } = this.#job;
    const clock = this.#clock;
    await this.#upload(source);
    const expectReadback = clock.time("prepare", 0, () => this.#staging.expectReadback(bytes));
    await allEnded([clock.time("extract", 0, () => this.#find()), expectReadback]);
    const before = await clock.time("extract", 0, () => this.#firstWords());
    // No kernel may move rows that do not end where rows end.
    if (before.totals) checkRowTotals(this.#rows, before.totals, before.totals, this.#device);
    await clock.time("sort", 0, () => this.#sortRows(before));
    const { written, totals } = await clock.time("move", 0, () => this.#moveWanted(before.totals));
    this.#job.signal?.throwIfAborted();
    onSorted?.(this.#rows, written.bytes);
    this.writes = true;
    const arrival = totals && ReadbackCheck.ofWords(totals.wordSum);
    const rows: ItemSink = {
      write: async (window, offset) => {
        this.#job.signal?.throwIfAborted();
        await sink.write(window, offset);
      },
      end: () => sink.end(),
    };
    await this.#transfers.download(this.#steps.buffer("output"), rows, written.bytes, arrival, this.#device);
    await rows.end();
    return { rows: this.#rows, written: written.rows, clock };
  }

  destroy(): void {
    this.#steps.destroy();
  }

  /**
   * Uploads the text and the order. Kernels are compiled meanwhile, for about as many rows as there may be.
   */
  async #upload(source: ItemSource): Promise<void> {
    const { bytes, order, terminator } = this.#job;
    const steps = this.#steps;
    const guessed = Math.max(1, Math.ceil(bytes / GUESSED_ROW));
    const plan = moveRowsPlan(bytes, guessed, this.#traits);
    const text = await this.#clock.time("prepare", 0, () => steps.make("text", plan.buffers.text!.bytes));
    // The first reads begin before this thread is busy with kernels.
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const read: ItemSource["read"] = async (into, offset) => {
      this.#job.signal?.throwIfAborted();
      const reading = source.read(into, offset);
      begin();
      await reading;
      // The kernels rely on it that nothing follows the last row.
      const isLast = offset + into.length === bytes;
      if (isLast && into.at(-1) !== terminator) throw new GivesUp("the last one has no end");
    };
    const uploading = this.#transfers.upload(text, { read }, bytes);
    const prepare = async () => {
      await Promise.race([begun, uploading]);
      const words = await steps.make("order", order.byteLength);
      this.#gpu.device.queue.writeBuffer(words, 0, order);
      const plans = this.#plans(guessed);
      await steps.compile(this.#job.keys.length > 1 ? [...plans, ...this.#tiePlans(guessed)] : plans);
      await steps.make("output", plan.buffers.output!.bytes);
    };
    await allEnded([uploading, this.#clock.time("prepare", 0, prepare)]);
    this.#job.signal?.throwIfAborted();
  }

  /** The plans that most sorts run. */
  #plans(rows: number): Plan[] {
    const { bytes, keys, unique, verify } = this.#job;
    const read = this.#readRows("all", rows, 0);
    const sorted = { list: "all" as const, count: rows, descending: false };
    const word = { stage: 0, prefix: 0, into: "keys" };
    const names = { sorted: "indices", words: "keys" };
    return [
      countRowsPlan(this.#text, this.#traits),
      findRowsPlan(this.#text, rows, this.#traits),
      ...(this.#isChecked ? [this.#checking(rows)] : []),
      ...(keys[0]!.compare === "bytes" ? [prefixPlan(read, 0, this.#traits)] : []),
      keyWordsPlan(read, word, this.#traits),
      this.#sortPlan(rows, rows),
      countTiesPlan(sorted, names, this.#traits),
      moveRowsPlan(bytes, rows, this.#traits),
      ...(unique ? [this.#distinctPlan({ rows, bytes }), keepDistinctPlan(rows, this.#traits)] : []),
      ...(verify ? [this.#inspection("text", "starts", { rows, bytes })] : []),
    ];
  }

  /** The plans that sort rows whose first words are equal. */
  #tiePlans(rows: number): Plan[] {
    const { keys } = this.#job;
    const all = { list: "all" as const, count: rows, descending: false };
    const tied = { list: "tied" as const, count: rows, descending: false };
    const names = { sorted: "sorted", words: "words" };
    const room = { all: rows, next: rows };
    const read = this.#readRows("tied", rows, 0);
    return [
      moveTiesPlan(all, names, room, this.#traits),
      ...(keys.some(({ compare }) => compare === "bytes") ? [prefixPlan(read, 0, this.#traits)] : []),
      keyWordsPlan(read, { stage: 0, prefix: 0, into: "words" }, this.#traits),
      groupKeysPlan(rows, this.#traits),
      combinedOrderPlan(rows, "indices", this.#traits),
      countTiesPlan(tied, names, this.#traits),
      moveTiesPlan(tied, names, room, this.#traits),
    ];
  }

  #readRows(list: "all" | "tied", count: number, key: number): ReadRows {
    const { bytes, order } = this.#job;
    const rows = list === "all" ? count : this.#rows;
    return { bytes, rows, reading: this.#reading, orderWords: order.length, list, count, key };
  }

  #isBytes(key: number): boolean {
    return this.#job.keys[key]!.compare === "bytes";
  }

  get #all(): Extent {
    return { rows: this.#rows, bytes: this.#job.bytes };
  }

  get #isChecked(): boolean {
    return this.#job.keys.some(({ isChecked }) => isChecked);
  }

  #checking(rows = this.#rows): Plan {
    const { bytes, order } = this.#job;
    return checkRowsPlan({ bytes, rows, reading: this.#reading, orderWords: order.length }, this.#traits);
  }

  #inspection(text: string, starts: string, { rows, bytes }: Extent = this.#all): Plan {
    const { terminator, order, head } = this.#job;
    const keys = { terminator, reading: this.#reading, orderWords: order.length };
    const shape = { ...keys, bytes, rows, text, starts, firstRows: head };
    const totals = text === "text" ? "totals_before" : "totals_after";
    return inspectRowsPlan({ ...shape, isSorted: text === "output" }, totals, this.#traits);
  }

  /** Finds the distinct rows of the output. */
  #distinctPlan(extent: Extent): Plan {
    const shape = { ...extent, reading: this.#reading, orderWords: this.#job.order.length };
    return distinctRowsPlan(shape, this.#traits);
  }

  /** @param tuned the number of keys that the kernels are chosen for: the same ones sort all ties. */
  #sortPlan(count: number, tuned: number, varying?: KeyBits): SortPlan {
    const options = { descending: false, payload: "index", once: true, varying } as const;
    const tuning = radixTuning(tuned, U64, this.#traits, options);
    return this.#fitting(radixPlan(count, U64, options, this.#traits, tuning));
  }

  #fitting<P extends Plan>(plan: P): P {
    if (!fits(plan, this.#traits)) throw new GivesUp("the device cannot bind so many rows");
    return plan;
  }

  async #run(plan: Plan, around: Parameters<DeviceSteps["run"]>[1] = {}) {
    const words = await this.#steps.run(this.#fitting(plan), around);
    this.#job.signal?.throwIfAborted();
    return words;
  }

  /** Finds where rows begin, and whether one is in error. */
  async #find(): Promise<void> {
    const counting = countRowsPlan(this.#text, this.#traits);
    const { row_total, quote_total, misplaced_quotes } = await this.#run(counting, {
      clear: ["quote_total", "misplaced_quotes"],
      read: { row_total: 1, quote_total: 1, misplaced_quotes: 1 },
    });
    if (misplaced_quotes![0] !== 0) throw new GivesUp("a quote is where RFC 4180 has none");
    if (quote_total![0]! % 2 === 1) throw new GivesUp("a quote is not closed");
    this.#rows = row_total![0]!;
    if (this.#rows === 0) throw new GivesUp("there are none");
    const finding = findRowsPlan(this.#text, this.#rows, this.#traits);
    const { longest } = await this.#run(finding, { clear: ["longest"], read: { longest: 1 } });
    if (longest![0]! > LONGEST_ROW) throw new GivesUp("one of them is very long");
    if (this.#isChecked) {
      const { wrong } = await this.#run(this.#checking(), { clear: ["wrong"], read: { wrong: 1 } });
      const first = readFirstWrong(wrong!);
      if (first !== undefined)
        throw new GivesUp(`row ${first + 1}, not counting headers, is in error, which the CPU names`);
    }
    if (this.#job.verify) await this.#run(this.#inspection("text", "starts"), { clear: ["totals_before"] });
  }

  /** Reads the first words of all rows, and what was found when the rows were inspected. */
  async #firstWords() {
    const { verify } = this.#job;
    const all = this.#readRows("all", this.#rows, 0);
    const passed = (await this.#inCommon(all, 0)) ?? LONGEST_ROW;
    const found = await this.#words(all, passed, "keys", verify ? { totals_before: TOTALS_WORDS } : {});
    const totals = verify ? readRowTotals(found.read.totals_before!) : undefined;
    return { ...found, passed, totals };
  }

  /**
   * Reads words of a key.
   *
   * @param passed how many bytes of a string come before; of a number, how many words.
   */
  async #words(rows: ReadRows, passed: number, into: string, read: Readonly<Record<string, number>> = {}) {
    const place = this.#isBytes(rows.key) ? { stage: 0, prefix: passed } : { stage: passed, prefix: 0 };
    const plan = keyWordsPlan(rows, { ...place, into }, this.#traits);
    const words = await this.#run(plan, { clear: ["found"], read: { found: FOUND_WORDS, ...read } });
    const found = readWordFindings(words.found!);
    if (found.unread) throw new GivesUp("a key is a hexadecimal number");
    return { ...found, read: words };
  }

  /** How many more bytes tied strings have in common; undefined if no two of them differ. Of numbers, 0. */
  async #inCommon(rows: ReadRows, passed: number): Promise<number | undefined> {
    if (!this.#isBytes(rows.key)) return 0;
    const plan = prefixPlan(rows, passed, this.#traits);
    const { differing } = await this.#run(plan, { clear: ["differing"], read: { differing: 1 } });
    return readPrefix(differing!);
  }

  /** Sorts all rows by their first words, and those that are tied by further ones. */
  async #sortRows({ varying, more, passed }: FirstWords): Promise<void> {
    const steps = this.#steps;
    const plan = this.#sortPlan(this.#rows, this.#rows, varying);
    const isSettled = this.#job.keys.length === 1 && !more;
    await this.#run(plan);
    steps.name(steps.buffer(plan.values!), "first_order");
    steps.name(steps.buffer(plan.result), "first_words");
    const sorted = { list: "all" as const, count: this.#rows, sorted: "first_order", words: "first_words" };
    const first = isSettled ? undefined : await this.#countTies({ ...sorted, key: 0, more });
    let place: Place | undefined = first && this.#next({ key: 0, passed }, first);
    if (!first || !place) {
      steps.name(steps.buffer("first_order"), "permutation");
      return;
    }
    await steps.compile(this.#tiePlans(this.#rows)); // all at the same time
    await steps.make("permutation", Math.max(16, 4 * this.#rows)); // further sorts overwrite the order
    await this.#moveTies({ ...sorted, key: 0 }, first.count);
    let ties = first;
    for (let round = 0; place; round++) {
      if (round === MOST_ROUNDS) throw new GivesUp("their keys have very many words in common");
      const refined: Refined = await this.#refine(ties, place);
      ties = refined.ties;
      place = this.#next(refined.place, ties);
    }
  }

  /** The place in the keys after a word; undefined if no rows are tied, or after the last key. */
  #next({ key, passed }: Place, { count, more }: Ties): Place | undefined {
    if (count === 0) return undefined;
    if (more) return { key, passed: passed + (this.#isBytes(key) ? WORD_BYTES : 1) };
    return key + 1 < this.#job.keys.length ? { key: key + 1, passed: 0 } : undefined;
  }

  /** Sorts rows that are tied by one more word. What all groups have in common is left out. */
  async #refine(ties: Ties, { key, passed }: Place): Promise<Refined> {
    const { count, groups } = ties;
    const steps = this.#steps;
    const tied = this.#readRows("tied", count, key);
    const common = await this.#inCommon(tied, passed);
    if (common === undefined) return { ties: { ...ties, more: false }, place: { key, passed } };
    const place = { key, passed: passed + common };
    const read = await this.#words(tied, place.passed, "words");
    if (read.varying.end === 0) return { ties: { ...ties, more: read.more }, place };
    const byWords = this.#sortPlan(count, this.#rows, read.varying);
    await this.#run(byWords, { copy: [{ from: steps.buffer("words"), to: "keys", bytes: 8 * count }] });
    const order = { from: steps.buffer(byWords.values!), to: "by_words", bytes: 4 * count };
    await this.#run(groupKeysPlan(count, this.#traits), { copy: [order] }); // the next sort overwrites it
    const bits = { begin: 0, end: Math.ceil(Math.log2(groups + 1) / 8) * 8 };
    const byGroups = this.#sortPlan(count, this.#rows, bits);
    await this.#run(byGroups);
    await this.#run(combinedOrderPlan(count, byGroups.values!, this.#traits));
    const sorted = { list: "tied" as const, count, key, sorted: "sorted", words: "words" };
    const left = await this.#countTies({ ...sorted, more: read.more });
    await this.#moveTies(sorted, left.count);
    return { ties: left, place };
  }

  async #countTies(sorted: SortedPart & { more: boolean }): Promise<Ties> {
    const { descending } = this.#job.keys[sorted.key]!;
    const { list, count } = sorted;
    const plan = countTiesPlan({ list, count, descending }, sorted, this.#traits);
    const read = { tie_total: 2, goes_on: 1 };
    const { tie_total, goes_on } = await this.#run(plan, { clear: ["goes_on"], read });
    return {
      count: tie_total![0]!,
      groups: tie_total![1]!,
      more: this.#isBytes(sorted.key) ? goes_on![0] === 1 : sorted.more,
    };
  }

  async #moveTies(sorted: SortedPart, next: number): Promise<void> {
    const { descending } = this.#job.keys[sorted.key]!;
    const { list, count } = sorted;
    const room = { all: this.#rows, next };
    await this.#run(moveTiesPlan({ list, count, descending }, sorted, room, this.#traits));
    this.#steps.swap("ties", "next_ties");
  }

  /**
   * Moves the rows that are wanted to the beginning of the output. All are moved and inspected before some are
   * left out, so that the inspection tells whether that is right.
   */
  async #moveWanted(totals: RowSums | undefined): Promise<Moved> {
    const { head = Number.POSITIVE_INFINITY } = this.#job;
    let moved = await this.#move({ ...this.#all, totals });
    if (this.#job.unique) moved = await this.#moveDistinct(moved);
    if (head >= moved.written.rows) return moved;
    const bytes = await this.#steps.word("places", head);
    return { ...moved, written: { rows: head, bytes } };
  }

  /**
   * Moves the rows whose keys differ from those of the row before. The kernel that finds them also says what
   * their sums must be, so it alone could leave out a row unnoticed: the inspections before and after count them
   * too.
   */
  async #moveDistinct(moved: Moved): Promise<Moved> {
    const { rows } = moved.written;
    const wanted = await this.#distinct(moved.written);
    if (moved.totals) checkDistinct(wanted.rows, moved.totals, this.#device);
    if (wanted.rows === rows) return moved;
    await this.#run(keepDistinctPlan(rows, this.#traits));
    this.#steps.swap("permutation", "next_permutation");
    const distinct = await this.#move(wanted);
    if (distinct.totals) checkDistinct(wanted.rows, distinct.totals, this.#device);
    return distinct;
  }

  /** The rows of the output whose keys differ from those of the row before. */
  async #distinct(extent: Extent): Promise<Wanted> {
    const { distinct_total, distinct_sums } = await this.#run(this.#distinctPlan(extent), {
      clear: ["distinct_sums"],
      read: { distinct_total: 2, distinct_sums: DISTINCT_WORDS },
    });
    const { sums, unknown } = readDistinctTotals(distinct_sums!);
    if (unknown > 0) throw new GivesUp(UNKNOWN);
    const [rows = 0, bytes = 0] = distinct_total!;
    return { rows, bytes, totals: this.#job.verify ? { sums, seen: rows, malformed: 0 } : undefined };
  }

  /** Moves the first rows of the order to their places, and inspects them there. */
  async #move({ rows, bytes, totals }: Wanted): Promise<Moved> {
    const plan = moveRowsPlan(bytes, rows, this.#traits, this.#all);
    await this.#run(plan);
    const written = { rows, bytes };
    const after = totals && (await this.#inspectOutput(written));
    if (after) checkRowTotals(rows, totals, after, this.#device);
    return { written, totals: after };
  }

  async #inspectOutput(extent: Extent): Promise<RowTotals> {
    const inspecting = this.#inspection("output", "places", extent);
    const { totals_after } = await this.#run(inspecting, {
      clear: ["totals_after"],
      read: { totals_after: TOTALS_WORDS },
    });
    const totals = readRowTotals(totals_after!);
    if (totals.unknown > 0) throw new GivesUp(UNKNOWN);
    return totals;
  }
}

/** Rows that were sorted by a word, and the buffers that hold the order and the words. */
interface SortedPart {
  readonly list: "all" | "tied";
  readonly count: number;
  readonly key: number;
  readonly sorted: string;
  readonly words: string;
}
