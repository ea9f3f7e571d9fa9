import { elementType } from "../elements.js";
import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import { distinctRowsPlan, keepDistinctPlan } from "../rows/distinct.js";
import { countRowsPlan, findRowsPlan, type TextShape } from "../rows/find.js";
import { type InspectedRows, inspectRowsPlan } from "../rows/inspect.js";
import { moveRowsPlan } from "../rows/move.js";
import { type RowReading, rowReading } from "../rows/reading.js";
import {
  combinedOrderPlan,
  countTiesPlan,
  groupKeysPlan,
  moveTiesPlan,
  type SortedRows,
} from "../rows/ties.js";
import { keyWordsPlan, prefixPlan, type ReadRows, type RowList } from "../rows/words.js";
import type { KeyBits, SortPlan } from "../sort/key.js";
import { radixPlan, radixTuning } from "../sort/radix/radix.js";
import { type DeviceRows, fitting } from "./row_job.js";

/** Bytes of a row, as a guess before they are counted. */
export const GUESSED_ROW = 40;

/**
 * Bytes of a row, at most. An invocation walks through a row to check it, so a longer one would take too long.
 */
export const LONGEST_ROW = 1 << 20;

const U64 = elementType("u64");

/** The number of rows, and of their bytes. */
export interface TextSize {
  readonly rows: number;
  readonly bytes: number;
}

/** Rows that were sorted by a word, and the buffers that hold the order and the words. */
export interface SortedPart {
  readonly list: RowList;
  readonly count: number;
  /** The number of the key that the word is of. */
  readonly key: number;
  readonly sorted: string;
  readonly words: string;
}

/** The plans of one sort, for as many rows as its text has or may have. */
export class RowPlans {
  /** The rows of the text, and its bytes. */
  readonly all: TextSize;
  readonly #job: DeviceRows;
  readonly #traits: DeviceTraits;
  readonly #text: TextShape;
  readonly #reading: RowReading;

  constructor(job: DeviceRows, traits: DeviceTraits, rows: number) {
    const { bytes, terminator, separator, keys, order } = job;
    this.all = { rows, bytes };
    this.#job = job;
    this.#traits = traits;
    this.#text = { bytes, terminator, separator };
    this.#reading = rowReading(keys, separator !== undefined, order);
  }

  /**
   * Those that most sorts run. Those whose kernels take longest to compile come first, as Dawn compiles two at
   * a time, in the order in which it is asked to.
   */
  usual(): Plan[] {
    const { rows } = this.all;
    const { unique, verify, keys } = this.#job;
    const read = this.read("all", rows, 0);
    const mayTie = keys.length > 1 || this.isBytes(0);
    return [
      this.words(read, 0, "keys"),
      ...(verify ? [this.inspectOutput(this.all)] : []),
      ...(unique ? [this.distinct(this.all), this.keepDistinct(rows)] : []),
      this.sort(rows),
      ...(this.isBytes(0) ? [this.prefix(read, 0)] : []),
      this.count(),
      this.find(),
      ...(mayTie
        ? [this.countTies({ list: "all", count: rows, key: 0, sorted: "indices", words: "keys" })]
        : []),
      this.move(this.all),
    ];
  }

  /** Those that sort rows whose first words are equal. */
  ofTies(): Plan[] {
    const { rows } = this.all;
    const read = this.read("tied", rows, 0);
    const part = { count: rows, key: 0, sorted: "sorted", words: "words" };
    return [
      this.moveTies({ ...part, list: "all" }, rows),
      ...(this.#job.keys.some((_, key) => this.isBytes(key)) ? [this.prefix(read, 0)] : []),
      this.words(read, 0, "words"),
      this.groupKeys(rows),
      this.combinedOrder(rows, "indices"),
      this.countTies({ ...part, list: "tied" }),
      this.moveTies({ ...part, list: "tied" }, rows),
    ];
  }

  /** Whether a key is compared byte by byte. */
  isBytes(key: number): boolean {
    return this.#job.keys[key]!.compare === "bytes";
  }

  /** Whether some rows may be in error. */
  get isChecked(): boolean {
    return this.#job.keys.some(({ isChecked }) => isChecked);
  }

  /** Counts the rows and the quotes of the text. */
  count(): Plan {
    return countRowsPlan(this.#text, this.#traits);
  }

  /** Finds where the rows begin. */
  find(): Plan {
    return findRowsPlan(this.#text, this.all.rows, this.#traits);
  }

  /** Looks for rows that are in error: reads the first words of all keys of which some may be. */
  check(): Plan {
    const checked = [...this.#job.keys.entries()].filter(([, { isChecked }]) => isChecked);
    const plans = checked.map(([key]) => this.words(this.read("all", this.all.rows, key), 0, "keys"));
    return { ...plans[0]!, passes: plans.flatMap(({ passes }) => passes) };
  }

  /** The rows of which the words of a key are read. */
  read(list: RowList, count: number, key: number): ReadRows {
    return { ...this.all, ...this.#ordering, list, count, key };
  }

  /** @param passed bytes of the key that come before. */
  prefix(rows: ReadRows, passed: number): Plan {
    return prefixPlan(rows, passed, this.#traits);
  }

  /**
   * Reads words of a key.
   *
   * @param passed how many bytes of a string come before; of a number, how many words.
   */
  words(rows: ReadRows, passed: number, into: string): Plan {
    const place = this.isBytes(rows.key) ? { stage: 0, prefix: passed } : { stage: passed, prefix: 0 };
    return keyWordsPlan(rows, { ...place, into }, this.#traits);
  }

  /** Sorts words and indices. The kernels are those for all rows, so the same ones sort all ties. */
  sort(count: number, varying?: KeyBits): SortPlan {
    const options = { descending: false, payload: "index", once: true, varying } as const;
    const tuning = radixTuning(this.all.rows, U64, this.#traits, options);
    return fitting(radixPlan(count, U64, options, this.#traits, tuning), this.#traits);
  }

  countTies(part: SortedPart): Plan {
    return countTiesPlan(this.#sorted(part), part, this.#traits);
  }

  /** @param next the rows that are still tied. */
  moveTies(part: SortedPart, next: number): Plan {
    return moveTiesPlan(this.#sorted(part), part, { all: this.all.rows, next }, this.#traits);
  }

  groupKeys(count: number): Plan {
    return groupKeysPlan(count, this.#traits);
  }

  combinedOrder(count: number, byGroups: string): Plan {
    return combinedOrderPlan(count, byGroups, this.#traits);
  }

  /** Moves the first rows of the order to their places. */
  move({ rows, bytes }: TextSize): Plan {
    return moveRowsPlan(bytes, rows, this.#traits, this.all);
  }

  /** Finds the distinct rows of the output. */
  distinct(size: TextSize): Plan {
    return distinctRowsPlan({ ...size, ...this.#ordering }, this.#traits);
  }

  keepDistinct(rows: number): Plan {
    return keepDistinctPlan(rows, this.#traits);
  }

  /** Inspects the text before the sort. */
  inspectText(): Plan {
    return this.#inspect(this.all, { text: "text", starts: "starts", isSorted: false }, "totals_before");
  }

  /** Inspects the rows at the beginning of the output. */
  inspectOutput(size: TextSize): Plan {
    return this.#inspect(size, { text: "output", starts: "places", isSorted: true }, "totals_after");
  }

  #inspect(size: TextSize, shape: Pick<InspectedRows, "text" | "starts" | "isSorted">, totals: string): Plan {
    const { terminator, head } = this.#job;
    const rows = { ...size, ...this.#ordering, ...shape, terminator, firstRows: head };
    return inspectRowsPlan(rows, totals, this.#traits);
  }

  #sorted({ list, count, key }: SortedPart): SortedRows {
    return { list, count, descending: this.#job.keys[key]!.descending };
  }

  /** How the keys are read, and the length of their order. */
  get #ordering() {
    return { reading: this.#reading, orderWords: this.#job.order.length };
  }
}
