import type { Words } from "../plan/plan.js";
import { FINDINGS_WORDS, type ReadRows, readPrefix, readWordFindings } from "../rows/words.js";
import type { KeyBits } from "../sort/key.js";
import { type DeviceRows, RowFallback, type RowSteps } from "./row_job.js";
import { LONGEST_ROW, type RowPlans, type SortedPart } from "./row_plans.js";

/** Each round sorts tied rows by one more word of a key. More rounds take longer than the CPU. */
const MOST_ROUNDS = 64;

/** Bytes of a string in a word: see wgsl/rows/rows_words.wgsl. */
const WORD_BYTES = 7;

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

/** What is known of the first words of all rows. */
export interface FirstWords {
  readonly varying: KeyBits;
  readonly more: boolean;
  readonly passed: number;
  /** The words that were read back besides. */
  readonly read: Words;
}

/**
 * Finds the order of the rows of a text, in the buffer "permutation": it sorts all by the first words of their
 * keys, and those that are tied by further ones.
 */
export class RowSort {
  readonly #job: DeviceRows;
  readonly #plans: RowPlans;
  readonly #steps: RowSteps;

  /** @param plans for the rows of the text, whose number is known. */
  constructor(job: DeviceRows, plans: RowPlans, steps: RowSteps) {
    this.#job = job;
    this.#plans = plans;
    this.#steps = steps;
  }

  /** Reads the first words of all rows. @param also what is read back besides the findings. */
  async firstWords(also: Readonly<Record<string, number>>): Promise<FirstWords> {
    const all = this.#plans.read("all", this.#plans.all.rows, 0);
    const passed = (await this.#inCommon(all, 0)) ?? LONGEST_ROW;
    return { ...(await this.#words(all, passed, "keys", also)), passed };
  }

  /** Sorts all rows by their first words, and those that are tied by further ones. */
  async sort({ varying, more, passed }: FirstWords): Promise<void> {
    const plans = this.#plans;
    const { rows } = plans.all;
    const { onDevice } = this.#steps;
    const plan = plans.sort(rows, varying);
    const isSettled = this.#job.keys.length === 1 && !more;
    await this.#steps.run(plan);
    onDevice.name(onDevice.buffer(plan.values!), "first_order");
    onDevice.name(onDevice.buffer(plan.result), "first_words");
    const sorted = { list: "all", count: rows, key: 0, sorted: "first_order", words: "first_words" } as const;
    const first = isSettled ? undefined : await this.#countTies(sorted, more);
    let place: Place | undefined = first && this.#next({ key: 0, passed }, first);
    if (!first || !place) {
      onDevice.name(onDevice.buffer("first_order"), "permutation");
      return;
    }
    await onDevice.compile(plans.ofTies()); // all at the same time
    await onDevice.make("permutation", Math.max(16, 4 * rows)); // further sorts overwrite the order
    await this.#moveTies(sorted, first.count);
    let ties = first;
    for (let round = 0; place; round++) {
      if (round === MOST_ROUNDS) throw new RowFallback("their keys have very many words in common");
      const refined: Refined = await this.#refine(ties, place);
      ties = refined.ties;
      place = this.#next(refined.place, ties);
    }
  }

  /** The place in the keys after a word; undefined if no rows are tied, or after the last key. */
  #next({ key, passed }: Place, { count, more }: Ties): Place | undefined {
    if (count === 0) return undefined;
    if (more) return { key, passed: passed + (this.#plans.isBytes(key) ? WORD_BYTES : 1) };
    return key + 1 < this.#job.keys.length ? { key: key + 1, passed: 0 } : undefined;
  }

  /** Sorts rows that are tied by one more word. What all groups have in common is left out. */
  async #refine(ties: Ties, { key, passed }: Place): Promise<Refined> {
    const { count, groups } = ties;
    const plans = this.#plans;
    const { onDevice } = this.#steps;
    const tied = plans.read("tied", count, key);
    const common = await this.#inCommon(tied, passed);
    if (common === undefined) return { ties: { ...ties, more: false }, place: { key, passed } };
    const place = { key, passed: passed + common };
    const read = await this.#words(tied, place.passed, "words");
    if (read.varying.end === 0) return { ties: { ...ties, more: read.more }, place };
    const byWords = plans.sort(count, read.varying);
    await this.#steps.run(byWords, {
      copy: [{ from: onDevice.buffer("words"), to: "keys", bytes: 8 * count }],
    });
    const order = { from: onDevice.buffer(byWords.values!), to: "by_words", bytes: 4 * count };
    await this.#steps.run(plans.groupKeys(count), { copy: [order] }); // the next sort overwrites it
    const bits = { begin: 0, end: Math.ceil(Math.log2(groups + 1) / 8) * 8 };
    const byGroups = plans.sort(count, bits);
    await this.#steps.run(byGroups);
    await this.#steps.run(plans.combinedOrder(count, byGroups.values!));
    const sorted = { list: "tied", count, key, sorted: "sorted", words: "words" } as const;
    const left = await this.#countTies(sorted, read.more);
    await this.#moveTies(sorted, left.count);
    return { ties: left, place };
  }

  /** How many more bytes tied strings have in common; undefined if no two of them differ. Of numbers, 0. */
  async #inCommon(rows: ReadRows, passed: number): Promise<number | undefined> {
    if (!this.#plans.isBytes(rows.key)) return 0;
    const { differing } = await this.#steps.run(this.#plans.prefix(rows, passed), {
      clear: ["differing"],
      read: { differing: 1 },
    });
    return readPrefix(differing!);
  }

  /** Reads words of a key. @param passed as in `RowPlans.words`. */
  async #words(rows: ReadRows, passed: number, into: string, also: Readonly<Record<string, number>> = {}) {
    const read = await this.#steps.run(this.#plans.words(rows, passed, into), {
      clear: ["findings"],
      read: { findings: FINDINGS_WORDS, ...also },
    });
    const findings = readWordFindings(read.findings!);
    if (findings.unread) throw new RowFallback("a key is a hexadecimal number");
    return { ...findings, read };
  }

  /** @param more whether a number goes on after its word. Of strings, the ties tell. */
  async #countTies(sorted: SortedPart, more: boolean): Promise<Ties> {
    const { tie_total, goes_on } = await this.#steps.run(this.#plans.countTies(sorted), {
      clear: ["goes_on"],
      read: { tie_total: 2, goes_on: 1 },
    });
    return {
      count: tie_total![0]!,
      groups: tie_total![1]!,
      more: this.#plans.isBytes(sorted.key) ? goes_on![0] === 1 : more,
    };
  }

  async #moveTies(sorted: SortedPart, next: number): Promise<void> {
    await this.#steps.run(this.#plans.moveTies(sorted, next));
    this.#steps.onDevice.swap("ties", "next_ties");
  }
}
