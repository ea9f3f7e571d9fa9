import { allEnded } from "../all_ended.js";
import type { Gpu } from "../device/gpu.js";
import { Staging } from "../device/staging.js";
import { elementType } from "../elements.js";
import { DeviceError } from "../errors.js";
import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { countRowsPlan, findRowsPlan, type TextShape } from "../rows/find.js";
import { checkRowTotals, inspectRowsPlan, type RowTotals, readRowTotals } from "../rows/inspect.js";
import { library } from "../rows/kernels.js";
import { moveRowsPlan } from "../rows/move.js";
import { MOST_TEXT } from "../rows/shape.js";
import { combinedOrderPlan, countTiesPlan, groupKeysPlan, moveTiesPlan } from "../rows/ties.js";
import { keyWordsPlan, MOST_PREFIX, prefixPlan, type ReadRows, readWordFindings } from "../rows/words.js";
import { fits } from "../sort/algorithms.js";
import type { KeyBits, SortPlan } from "../sort/key.js";
import { radixPlan } from "../sort/radix.js";
import { radixTuning } from "../sort/radix_tuning.js";
import type { ItemSink, ItemSource } from "../streams/item_stream.js";
import { PhaseClock } from "../streams/phase_clock.js";
import { DeviceSteps } from "./device_steps.js";
import { ReadbackCheck } from "./readback_check.js";
import { Transfers } from "./transfers.js";

/** Each round sorts tied rows by one more word of a key. More rounds take longer than the CPU. */
const MOST_ROUNDS = 64;

/** An invocation walks through a row to check it, so a longer one would take too long. */
const LONGEST_ROW = 1 << 20;

/** Bytes of a row, as a guess before they are counted. */
const GUESSED_ROW = 40;

const U64 = elementType("u64");

/** A key of rows, as far as the steps depend on it. */
export interface DeviceKey {
  /** Whether it is compared byte by byte; else as a decimal number. */
  readonly isBytes: boolean;
  readonly descending: boolean;
  /** Whether it is an error if the key is no number. */
  readonly reportsInvalid: boolean;
}

/** Rows of a text to sort on a device. */
export interface DeviceRows {
  /** Bytes of the text. Its last row ends with the terminator. */
  readonly bytes: number;
  readonly terminator: number;
  /** A byte that no row may hold; undefined if any may occur. */
  readonly quote: number | undefined;
  /** The order as words: see src/rows/order_words.ts. */
  readonly order: Uint32Array<ArrayBuffer>;
  /** The keys of the order, at least one. */
  readonly keys: readonly DeviceKey[];
  readonly verify: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of rows when they are in order, before anything is written. */
  readonly onSorted?: ((rows: number) => void) | undefined;
}

/** What a sort of rows on a device did, or why it wrote nothing and the rows are to be sorted otherwise. */
export type DeviceRowsResult =
  | { readonly rows: number; readonly clock: PhaseClock }
  | { readonly gaveUp: string };

/** Why a sort cannot go on here. */
class GivesUp extends Error {}

/**
 * Sorts rows of text on a GPU. The text is uploaded while it is read. The device finds the rows, reads a word of 64
 * bits from each key, and sorts the words with the numbers of their rows. Rows whose words are equal are sorted
 * by further words, as often as needed. It moves the rows to their places and checks them there, and the text is
 * read back while it is written.
 *
 * It gives up, before it writes anything, what it cannot do or what would take long: quoted fields, very long
 * rows, and keys with very many equal words.
 */
export class GpuRows {
  /** The name of the device, for messages and reports. */
  readonly device: string;
  readonly #gpu: Gpu;
  readonly #traits: DeviceTraits;
  readonly #staging: Staging;

  constructor(gpu: Gpu, device: string, traits = gpu.traits) {
    gpu.kernels.add(library);
    this.#gpu = gpu;
    this.#traits = traits;
    this.#staging = new Staging(gpu);
    this.device = device;
  }

  /** Whether the device can hold a text of so many bytes in buffers that it can bind. */
  holds(bytes: number): boolean {
    if (bytes > MOST_TEXT) return false;
    return fits(moveRowsPlan(bytes, Math.ceil(bytes / GUESSED_ROW), this.#traits), this.#traits);
  }

  /** Bytes of device memory for a text of so many bytes: twice the text, and about 60 for each row. */
  memoryFor(bytes: number): number {
    return Math.ceil(bytes * (2 + 60 / GUESSED_ROW));
  }

  /**
   * Sorts the rows of a source, unless it gives up.
   *
   * @param source is read once, in any order.
   * @param sink gets the rows in order, and is ended.
   * @throws DeviceError if the device fails; VerifyError if the result is wrong; the errors of the source and the
   *   sink.
   */
  async sort(job: DeviceRows, source: ItemSource, sink: ItemSink): Promise<DeviceRowsResult> {
    const run = new RowRun(this.#gpu, this.device, this.#traits, this.#staging, job);
    try {
      return await run.sort(source, sink);
    } catch (error) {
      if (error instanceof GivesUp) return { gaveUp: error.message };
      const isFull = error instanceof DeviceError && error.outOfMemory && !run.writes;
      if (isFull) return { gaveUp: "the device has too little memory for them" };
      throw error;
    } finally {
      run.destroy();
    }
  }

  close(): void {
    this.#staging.destroy();
    this.#gpu.destroy();
  }
}

/** What is left to sort. */
interface Ties {
  readonly count: number;
  readonly groups: number;
  /** Whether the key goes on in which they are equal. */
  readonly more: boolean;
}

/** One sort. */
class RowRun {
  readonly #gpu: Gpu;
  readonly #device: string;
  readonly #traits: DeviceTraits;
  readonly #job: DeviceRows;
  readonly #steps: DeviceSteps;
  readonly #clock = new PhaseClock();
  readonly #transfers: Transfers;
  readonly #text: TextShape;
  #rows = 0;
  /** Whether the sink may have got something. */
  writes = false;

  constructor(gpu: Gpu, device: string, traits: DeviceTraits, staging: Staging, job: DeviceRows) {
    this.#gpu = gpu;
    this.#device = device;
    this.#traits = traits;
    this.#job = job;
    this.#steps = new DeviceSteps(gpu);
    this.#transfers = new Transfers(staging, this.#clock);
    const { bytes, terminator, quote } = job;
    this.#text = { bytes, terminator, quote };
  }

  async sort(source: ItemSource, sink: ItemSink): Promise<DeviceRowsResult> {
    const { bytes, onSorted, verify } = this.#job;
    const clock = this.#clock;
    await this.#upload(source);
    await clock.time("extract", 0, () => this.#find());
    const before = await clock.time("extract", 0, () => this.#firstWords());
    await clock.time("sort", 0, () => this.#sortRows(before.varying, before.more));
    const { totals, sum } = await clock.time("move", 0, () => this.#move());
    if (verify) {
      if (totals!.unknown > 0) throw new GivesUp("their numbers have too many digits in common");
      checkRowTotals(this.#rows, before.totals!, totals!, this.#device);
    }
    this.#job.signal?.throwIfAborted();
    onSorted?.(this.#rows);
    this.writes = true;
    const arrival = verify ? ReadbackCheck.ofWords(sum) : undefined;
    await this.#transfers.download(this.#steps.buffer("output"), sink, bytes, arrival, this.#device);
    await sink.end();
    return { rows: this.#rows, clock };
  }

  destroy(): void {
    this.#steps.destroy();
  }

  /** Uploads the text and the order. Kernels are compiled meanwhile, for about as many rows as there may be. */
  async #upload(source: ItemSource): Promise<void> {
    const { bytes, order } = this.#job;
    const steps = this.#steps;
    const guessed = Math.max(1, Math.ceil(bytes / GUESSED_ROW));
    const plan = moveRowsPlan(bytes, guessed, this.#traits);
    const text = await this.#clock.time("prepare", 0, () => steps.make("text", plan.buffers.text!.bytes));
    const prepare = async () => {
      const words = await steps.make("order", order.byteLength);
      this.#gpu.device.queue.writeBuffer(words, 0, order);
      await steps.make("output", plan.buffers.output!.bytes);
      await steps.compile(this.#plans(guessed));
    };
    const preparing = this.#clock.time("prepare", 0, prepare);
    await allEnded([this.#transfers.upload(text, source, bytes), preparing]);
    this.#job.signal?.throwIfAborted();
  }

  /** The plans that most sorts run. */
  #plans(rows: number): Plan[] {
    const { keys, verify } = this.#job;
    const read = this.#readRows("all", rows, 0);
    const sorted = { list: "all" as const, count: rows, descending: false };
    const word = { stage: 0, prefix: 0, into: "keys" };
    const names = { sorted: "indices", words: "keys" };
    return [
      countRowsPlan(this.#text, this.#traits),
      findRowsPlan(this.#text, rows, this.#traits),
      ...(keys[0]!.isBytes ? [prefixPlan(read, this.#traits)] : []),
      keyWordsPlan(read, word, this.#traits),
      this.#sortPlan(rows, rows),
      countTiesPlan(sorted, names, this.#traits),
      moveRowsPlan(this.#job.bytes, rows, this.#traits),
      ...(verify ? [this.#inspection("text", "starts", rows)] : []),
    ];
  }

  #readRows(list: "all" | "tied", count: number, key: number): ReadRows {
    const { bytes, order } = this.#job;
    return { bytes, rows: list === "all" ? count : this.#rows, orderWords: order.length, list, count, key };
  }

  #inspection(text: string, starts: string, rows = this.#rows): Plan {
    const { bytes, terminator, order } = this.#job;
    const shape = { bytes, rows, terminator, orderWords: order.length, text, starts };
    const totals = text === "text" ? "totals_before" : "totals_after";
    return inspectRowsPlan({ ...shape, isSorted: text === "output" }, totals, this.#traits);
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

  /** Finds where rows begin. */
  async #find(): Promise<void> {
    const counting = countRowsPlan(this.#text, this.#traits);
    const counted = await this.#run(counting, { read: { row_total: 1, quotes: 1 } });
    if (counted.quotes![0] !== 0) throw new GivesUp("they have fields in quotes");
    this.#rows = counted.row_total![0]!;
    if (this.#rows === 0) throw new GivesUp("there are none");
    await this.#run(findRowsPlan(this.#text, this.#rows, this.#traits));
    if (this.#job.verify) await this.#run(this.#inspection("text", "starts"), { clear: ["totals_before"] });
  }

  /** Reads the first words of all rows, and what was found when the rows were inspected. */
  async #firstWords() {
    const { verify } = this.#job;
    const found = await this.#words(this.#readRows("all", this.#rows, 0), 0, "keys", {
      ...(verify ? { totals_before: 6 } : {}),
    });
    const totals = verify ? readRowTotals(found.read.totals_before!) : undefined;
    if (found.longest > LONGEST_ROW) throw new GivesUp("one of them is very long");
    return { ...found, totals };
  }

  /** How many bytes of the current key all rows have in common whose words are read. */
  #prefix = 0;

  /** Reads words of a key. */
  async #words(rows: ReadRows, stage: number, into: string, read: Readonly<Record<string, number>> = {}) {
    const { isBytes, reportsInvalid } = this.#job.keys[rows.key]!;
    if (stage === 0) this.#prefix = isBytes ? await this.#findPrefix(rows) : 0;
    const plan = keyWordsPlan(rows, { stage, prefix: this.#prefix, into }, this.#traits);
    const words = await this.#run(plan, { clear: ["found"], read: { found: 7, ...read } });
    const found = readWordFindings(words.found!);
    if (found.invalid && reportsInvalid) throw new GivesUp("a key is no number, and must be named");
    return { ...found, read: words };
  }

  async #findPrefix(rows: ReadRows): Promise<number> {
    const plan = prefixPlan(rows, this.#traits);
    const { differing } = await this.#run(plan, { clear: ["differing"], read: { differing: 1 } });
    return MOST_PREFIX - differing![0]!;
  }

  /** Sorts all rows by their first words, and those that are tied by further ones. */
  async #sortRows(varying: KeyBits, more: boolean): Promise<void> {
    const { keys } = this.#job;
    const steps = this.#steps;
    const plan = this.#sortPlan(this.#rows, this.#rows, varying);
    await this.#run(plan);
    steps.name(steps.buffer(plan.values!), "first_order");
    steps.name(steps.buffer(plan.result), "first_words");
    if (keys.length === 1 && !more) {
      steps.name(steps.buffer("first_order"), "permutation");
      return;
    }
    const names = { sorted: "first_order", words: "first_words" };
    let place = { key: 0, stage: 0 };
    let ties = await this.#countTies({ list: "all", count: this.#rows, ...place, ...names, more });
    if (ties.count === 0 || !this.#next(place, ties.more)) {
      steps.name(steps.buffer("first_order"), "permutation");
      return;
    }
    await steps.make("permutation", Math.max(16, 4 * this.#rows)); // what was sorted is overwritten
    await this.#moveTies({ list: "all", count: this.#rows, ...place, ...names }, ties.count);
    for (let round = 0; ties.count > 0; round++) {
      const next = this.#next(place, ties.more);
      if (!next) return;
      if (round === MOST_ROUNDS) throw new GivesUp("their keys have very many bytes in common");
      place = next;
      ties = await this.#refine(ties, place);
    }
  }

  /** The place in the keys after a word; undefined after the last one. */
  #next({ key, stage }: { key: number; stage: number }, more: boolean) {
    if (more) return { key, stage: stage + 1 };
    return key + 1 < this.#job.keys.length ? { key: key + 1, stage: 0 } : undefined;
  }

  /** Sorts rows that are tied by one more word. */
  async #refine(ties: Ties, place: { key: number; stage: number }): Promise<Ties> {
    const { count, groups } = ties;
    const steps = this.#steps;
    const read = await this.#words(this.#readRows("tied", count, place.key), place.stage, "words");
    if (read.varying.end === 0) return { ...ties, more: read.more };
    const byWords = this.#sortPlan(count, this.#rows, read.varying);
    await this.#run(byWords, { copy: [{ from: steps.buffer("words"), to: "keys", bytes: 8 * count }] });
    const order = { from: steps.buffer(byWords.values!), to: "by_words", bytes: 4 * count };
    await this.#run(groupKeysPlan(count, this.#traits), { copy: [order] }); // the next sort overwrites it
    const bits = { begin: 0, end: Math.ceil(Math.log2(groups + 1) / 8) * 8 };
    const byGroups = this.#sortPlan(count, this.#rows, bits);
    await this.#run(byGroups);
    await this.#run(combinedOrderPlan(count, byGroups.values!, this.#traits));
    const names = { sorted: "sorted", words: "words" };
    const sorted = { list: "tied" as const, count, ...place, ...names };
    const left = await this.#countTies({ ...sorted, more: read.more });
    await this.#moveTies(sorted, left.count);
    return left;
  }

  async #countTies(sorted: SortedPart & { more: boolean }): Promise<Ties> {
    const { isBytes, descending } = this.#job.keys[sorted.key]!;
    const { list, count } = sorted;
    const plan = countTiesPlan({ list, count, descending }, sorted, this.#traits);
    const read = { tie_total: 2, goes_on: 1 };
    const { tie_total, goes_on } = await this.#run(plan, { clear: ["goes_on"], read });
    return {
      count: tie_total![0]!,
      groups: tie_total![1]!,
      more: isBytes ? goes_on![0] === 1 : sorted.more,
    };
  }

  async #moveTies(sorted: SortedPart, next: number): Promise<void> {
    const { descending } = this.#job.keys[sorted.key]!;
    const { list, count } = sorted;
    const room = { all: this.#rows, next };
    await this.#run(moveTiesPlan({ list, count, descending }, sorted, room, this.#traits));
    this.#steps.swap("ties", "next_ties");
  }

  /** Moves the rows to their places, and inspects them there. */
  async #move(): Promise<{ totals: RowTotals | undefined; sum: number }> {
    const { bytes, verify } = this.#job;
    const plan = moveRowsPlan(bytes, this.#rows, this.#traits);
    const { output_sum } = await this.#run(plan, { clear: ["output_sum"], read: { output_sum: 1 } });
    if (!verify) return { totals: undefined, sum: 0 };
    const inspecting = this.#inspection("output", "places");
    const { totals_after } = await this.#run(inspecting, {
      clear: ["totals_after"],
      read: { totals_after: 6 },
    });
    return { totals: readRowTotals(totals_after!), sum: output_sum![0]! };
  }
}

/** Rows that were sorted by a word, and the buffers that hold the order and the words. */
interface SortedPart {
  readonly list: "all" | "tied";
  readonly count: number;
  readonly key: number;
  readonly stage: number;
  readonly sorted: string;
  readonly words: string;
}
