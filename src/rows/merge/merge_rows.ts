import { CALLS_PER_THREAD } from "../../core/cpu/tuning.js";
import { aligned } from "../../core/cpu/workspace.js";
import { settleAll } from "../../core/settle_all.js";
import type { PhaseClock } from "../../core/streams/phase_clock.js";
import { DoubleBuffer, type WriteText } from "../double_buffer.js";
import { sortFault } from "../errors.js";
import { type Widen, WrongGuess, widened } from "../order/guess.js";
import { firstInvalid, type KeyTallies, talliesMoreKeys } from "../order/tally.js";
import { requireSameHeader } from "../reader.js";
import { type Report, type ReportingCall, runReporting } from "../report.js";
import { countRows, findRows } from "../row_finder.js";
import { LONGEST_TEXT, REPORTS, type RowWorkspace } from "../workspace.js";
import {
  chooseRuns,
  describeRuns,
  divideRuns,
  type InputRun,
  LEAST_PART_ROWS,
  type MergePlaces,
  mergePlaces,
  PART_BYTES,
} from "./merge_cuts.js";
import { type Merged, MergedParts, type MergePart, type PartFault } from "./merge_parts.js";
import type { Region, SortedInput } from "./sorted_input.js";

/** The most bytes of all inputs that are in memory at a time: few, so that they are still in the cache. */
export const MOST_TEXT_AT_ONCE = 32 << 20;

/** The memory per byte of text: itself, start and number of rows of four bytes, and two output buffers. */
const MEMORY_PER_TEXT = 5;

/** The fewest bytes of a region. */
const LEAST_REGION = 1 << 12;

/**
 * The bytes of an average row, which say for how many rows a region has room. Of shorter ones, it holds fewer
 * bytes.
 */
const BYTES_PER_ROW = 4;

/** Bytes before a region. */
const GAP = 16;

/** Instead of the number of a row. */
const NONE = 0xffff_ffff;

/** How to merge. */
export interface MergeOptions {
  readonly clock: PhaseClock;
  /** The phase in which the inputs are read. */
  readonly phase: "read" | "gather";
  /** Whether each input begins with a header, which all must have in common. */
  readonly header: boolean;
  /** The most rows to write. */
  readonly head: number;
  readonly verify: boolean;
  /** Whether rows are hashed. */
  readonly hashed: boolean;
  /** The most bytes of memory that long rows may take. */
  readonly mostBytes: number;
  /** Takes what the keys of the rows that are written hold. */
  readonly tallies: KeyTallies;
  readonly widen?: Widen | undefined;
  /** The error of an input whose next row has no room. */
  readonly tooLong: (input: SortedInput) => Error;
  /** The error of an input whose row `row` is not in order. Default: that of a CPU that errs. */
  readonly notSorted?: ((input: SortedInput, row: number) => Error) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before the output ends. It may throw. */
  readonly onMerged: (merged: MergedRows) => void;
}

/** What was merged. */
export interface MergedRows {
  /** Rows that were written. */
  readonly written: number;
  /** Rows that were left out, as they are equal to the one before. */
  readonly equal: number;
  /** The sum of the hashes of both, modulo 2^64; 0 unless rows are hashed. */
  readonly hashes: bigint;
  /** How many times what was in memory was merged. */
  readonly rounds: number;
}

/**
 * Merges sorted inputs. Rows with equal keys keep their order, and those of the first input come first. Each
 * input is read into a region of the memory, which does not grow with it. All rows up to the least of the
 * regions' last rows are merged by the words of their keys: threads merge parts of them, which samples
 * divide, and each part is written while others are merged. If rows have numbers, these are written instead.
 */
export class RowMerge {
  readonly #space: RowWorkspace;
  readonly #inputs: readonly SortedInput[];
  readonly #options: MergeOptions;
  readonly #hasNumbers: boolean;
  /** The bytes of each region, which grow if a row is longer, and the most rows, which stay. */
  readonly #regions: number[];
  readonly #mostRows: readonly number[];
  readonly #output: DoubleBuffer;
  #textEnd = 0;
  #starts = 0;
  /** The address of a number for each row; 0 if rows have none. */
  #numbers = 0;
  #places!: MergePlaces;
  /** The input with the last row that was merged. */
  #last: SortedInput | undefined;
  #merged: MergedRows = { written: 0, equal: 0, hashes: 0n, rounds: 0 };

  constructor(space: RowWorkspace, inputs: readonly SortedInput[], options: MergeOptions, write: WriteText) {
    this.#space = space;
    this.#inputs = inputs;
    this.#options = options;
    this.#hasNumbers = inputs.some(({ hasNumbers }) => hasNumbers);
    this.#output = new DoubleBuffer(write, options.signal);
    const text = Math.min(MOST_TEXT_AT_ONCE, Math.floor(space.most / MEMORY_PER_TEXT));
    const share = Math.max(LEAST_REGION, Math.floor(text / Math.max(1, inputs.length)));
    this.#regions = inputs.map(({ byteLength = share }) =>
      Math.min(share, Math.max(LEAST_REGION, byteLength + 2)),
    );
    this.#mostRows = this.#regions.map((bytes) => Math.floor(bytes / BYTES_PER_ROW));
  }

  /**
   * @throws InputError if an input is not in order, or as `sortRows`; WrongGuess; VerifyError if the result is
   *   not in order, or does not hold the rows of the inputs.
   */
  async run(): Promise<MergedRows> {
    const { head, onMerged } = this.#options;
    try {
      await this.#layOut();
      for (let isFirst = true; isFirst || (this.#merged.written < head && this.#isOpen()); isFirst = false) {
        await this.#fill();
        if (isFirst) this.#writeHeader();
        const { runs, last } = await chooseRuns(this.#space, this.#places, this.#inputs);
        if (runs.length === 0) continue;
        await this.#merge(runs, last);
        this.#last = runs.find(({ first, count }) => last === first + count - 1)?.input;
        for (const { input, count } of runs) input.merge(count);
        this.#merged = { ...this.#merged, rounds: this.#merged.rounds + 1 };
      }
      onMerged(this.#merged);
      await this.#output.end();
      return this.#merged;
    } finally {
      await this.#output.settled();
    }
  }

  #isOpen(): boolean {
    return this.#inputs.some((input) => !input.ended || input.rows > 0);
  }

  #writeHeader(): void {
    const [first] = this.#headed;
    if (first) this.#output.send(new Uint8Array(first.header));
  }

  /** Gives each input its region. */
  async #layOut(): Promise<void> {
    await this.#output.end(); // the memory may move
    const { at, most, threads } = this.#space;
    const moves = this.#inputs.map((input) => input.leave());
    let position = 0;
    let row = 0;
    const regions: Omit<Region, "starts" | "numbers">[] = [];
    for (const [i, bytes] of this.#regions.entries()) {
      position += GAP;
      const rows = this.#mostRows[i]!;
      regions.push({ position, bytes, first: row, rows });
      position += bytes;
      row += rows + 2;
    }
    this.#textEnd = position;
    this.#starts = aligned(at.text + position + GAP + 64);
    const parts = Math.min(REPORTS, CALLS_PER_THREAD * threads, Math.ceil(row / LEAST_PART_ROWS));
    const afterStarts = aligned(this.#starts + 4 * row);
    this.#numbers = this.#hasNumbers ? afterStarts : 0;
    const begin = this.#hasNumbers ? aligned(afterStarts + 4 * row) : afterStarts;
    this.#places = mergePlaces(begin, this.#inputs.length, parts, position, most);
    this.#space.reserve(this.#places.end);
    this.#space.writeOrder(this.#starts);
    for (const [i, move] of moves.entries()) {
      const region = regions[i]!;
      const numbers = this.#hasNumbers ? this.#numbers + 4 * region.first : undefined;
      move({ ...region, starts: this.#starts + 4 * region.first, numbers });
    }
  }

  /** Reads on, until each input that goes on has a row. */
  async #fill(): Promise<void> {
    const { clock, phase, header, signal } = this.#options;
    for (let short = this.#inputs.filter(({ needsRefill }) => needsRefill); short.length > 0; ) {
      const bytesRead = () => this.#inputs.reduce((sum, input) => sum + input.bytesRead, 0);
      const already = bytesRead();
      const arrivals = await clock.time(
        phase,
        () => bytesRead() - already,
        () => settleAll(short.map((input) => input.fill())),
      );
      signal?.throwIfAborted();
      await clock.time("extract", 0, async () => {
        await countRows(this.#space, arrivals, signal);
        const parts = short.map((input) => input.accept());
        await findRows(this.#space, parts, signal);
      });
      await clock.time(phase, 0, () => settleAll(short.map((input) => input.take())));
      if (header) {
        const [first, ...others] = this.#headed;
        for (const input of others) requireSameHeader(first!, input);
      }
      short = short.filter(({ rows, ended }) => rows === 0 && !ended);
      if (short.length > 0) await this.#grow(short);
    }
  }

  /** The inputs that have a header: an empty one has none. */
  get #headed() {
    return this.#inputs.filter((input) => input.header.length > 0);
  }

  /** Doubles the regions of inputs that hold no whole row. */
  async #grow(inputs: readonly SortedInput[]): Promise<void> {
    const { mostBytes, tooLong } = this.#options;
    const before = this.#textEnd;
    for (const [i, input] of this.#inputs.entries()) {
      if (!inputs.includes(input)) continue;
      const bytes = this.#regions[i]!;
      const text = this.#textEnd + bytes;
      const out = this.#places.outs[0]! + text - before;
      if (out + text > mostBytes || text > LONGEST_TEXT) throw tooLong(input);
      this.#regions[i] = 2 * bytes;
      this.#textEnd = text;
    }
    await this.#layOut();
  }

  /**
   * Merges and writes rows, each part as soon as it is merged.
   *
   * @param last a row of the runs that none of them comes after, unless the runs end here.
   */
  async #merge(runs: readonly InputRun[], last: number | undefined): Promise<void> {
    const most = this.#options.head - this.#merged.written;
    const parts = await this.#divide(runs, last);
    const merged = new MergedParts({
      parts,
      most,
      faultOf: (report, merged, part) => this.#faultOf(runs, report, merged, part),
      accept: (report, part, out) => {
        this.#options.tallies.add([report], this.#textOf(runs));
        this.#output.send(this.#space.bytes(out, part.bytes));
        this.#count(part);
      },
    });
    const calls = parts.map((_, i) => this.#callOf(runs.length, i, most));
    await this.#runParts(calls, (report) => merged.take(report));
    const cut = merged.cutPart;
    if (cut !== undefined) {
      const call = this.#callOf(runs.length, cut, most - merged.rows);
      await this.#runParts([call], (report) => merged.takeCut(report));
    }
    await merged.throwFault();
  }

  /** Counts rows that were merged. */
  #count({ rows, equal, hashes }: Merged): void {
    const { written, equal: equalRows, hashes: sum, rounds } = this.#merged;
    this.#merged = {
      written: written + rows,
      equal: equalRows + equal.rows,
      hashes: BigInt.asUintN(64, sum + hashes),
      rounds,
    };
  }

  /** Divides the merge of runs into parts, and describes these to the kernels. */
  async #divide(runs: readonly InputRun[], last: number | undefined): Promise<MergePart[]> {
    const { clock, signal, hashed } = this.#options;
    const places = this.#places;
    describeRuns(this.#space, places, runs);
    const before = this.#last && this.#last.first - 1;
    const bytes = runs.reduce((sum, { first, count }) => sum + this.#bytesOf(first, count), 0);
    const cuts = await clock.time("sort", 0, () =>
      divideRuns(this.#space, places, runs, bytes, before, signal),
    );
    cuts.push({ counts: runs.map(({ count }) => count), row: last });
    for (const [i, { counts }] of cuts.entries()) {
      this.#space.words(places.cuts + 4 * runs.length * i, runs.length).set(counts);
    }
    let to = await this.#output.next(places.outs);
    return cuts.slice(1).map((end, i) => {
      const out = to;
      let rows = 0;
      for (const [j, { first }] of runs.entries()) {
        const from = cuts[i]!.counts[j]!;
        const count = end.counts[j]! - from;
        rows += count;
        to += this.#hasNumbers ? 4 * count : this.#bytesOf(first + from, count);
      }
      const words = this.#space.words(places.parts + PART_BYTES * i, PART_BYTES / 4);
      words.set([out, to, cuts[i]!.row ?? NONE, end.row ?? NONE, this.#numbers, Number(hashed)]);
      return { out, bytes: to - out, rows };
    });
  }

  /** The call that merges a part of some runs. @param most the most rows of it. */
  #callOf(runs: number, part: number, most: number): ReportingCall {
    const places = this.#places;
    const checks = talliesMoreKeys(this.#space.order);
    return (report) => [
      places.runs,
      runs,
      places.cuts + 4 * runs * part,
      places.parts + PART_BYTES * part,
      places.states + places.stateBytes * part,
      Math.min(most, NONE),
      Number(checks),
      report,
      this.#space.at.order,
    ];
  }

  #runParts(calls: readonly ReportingCall[], take: (report: Report) => void): Promise<Report[]> {
    const { clock, signal } = this.#options;
    return clock.time("move", 0, () => runReporting(this.#space, "merge_runs", calls, signal, take));
  }

  /** @throws InputError if an input is not in order. */
  async #requireOrder(): Promise<void> {
    const { notSorted, signal } = this.#options;
    if (!notSorted) return;
    for (const input of this.#inputs) {
      const { first, count } = input.neighbours;
      const call = (report: number) => [first + 1, Math.max(0, count - 1), report, this.#space.at.order];
      const [[row]] = (await runReporting(this.#space, "find_disorder", [call], signal)) as [Report];
      if (row! > 0) throw notSorted(input, row!);
    }
  }

  /** Why what came of a part cannot be written. @param part undefined if some of its rows may be missing. */
  #faultOf(
    runs: readonly InputRun[],
    report: Report,
    merged: Merged,
    part: MergePart | undefined,
  ): PartFault | undefined {
    const { verify, widen } = this.#options;
    const invalid = firstInvalid([report]);
    if (invalid) {
      return async () => {
        throw new WrongGuess(widened(invalid, [report], this.#textOf(runs), this.#space.order, widen));
      };
    }
    if (merged.inversions > 0) {
      return async () => {
        // What comes out in the wrong order went in so: the merge keeps the order of each input.
        await this.#requireOrder();
        throw sortFault(`${merged.inversions} neighbours are out of order`);
      };
    }
    const { changed, rows, bytes, equal } = merged;
    const isWhole = !part || (rows + equal.rows === part.rows && bytes + equal.bytes === part.bytes);
    if (!verify || (changed === 0 && isWhole)) return undefined;
    return async () => {
      throw sortFault("rows changed while they were merged");
    };
  }

  #textOf(runs: readonly InputRun[]) {
    const { at } = this.#space;
    return {
      placeOf: (row: number) => inputOf(runs, row).placeOf(row),
      textBetween: (from: number, to: number) => this.#space.bytes(at.text + from, to - from).slice(),
    };
  }

  /** The bytes of `count` rows of an input from number `first` on. */
  #bytesOf(first: number, count: number): number {
    const start = (row: number) => this.#space.words(this.#starts + 4 * row, 1)[0]!;
    return start(first + count) - start(first);
  }
}

function inputOf(runs: readonly InputRun[], row: number): SortedInput {
  return runs.find(({ first, count }) => row >= first && row < first + count)!.input;
}
