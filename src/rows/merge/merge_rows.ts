import { CALLS_PER_THREAD } from "../../core/cpu/tuning.js";
import { settleAll } from "../../core/settle_all.js";
import type { PhaseClock } from "../../core/streams/phase_clock.js";
import { DoubleBuffer, type WriteText } from "../double_buffer.js";
import { sortFault } from "../errors.js";
import type { TalliedText } from "../order/tally.js";
import { type Report, type ReportingCall, runReporting } from "../report.js";
import { countRows, findRows } from "../row_finder.js";
import { aligned, LONGEST_TEXT, REPORTS, type RowWorkspace } from "../workspace.js";
import { chooseRuns, describeRuns, divideRuns, type InputRun, LEAST_PART_ROWS } from "./merge_cuts.js";
import { type Merged, MergedParts, type MergePart, type PartFault } from "./merge_parts.js";
import { type MergePlaces, mergePlaces, PART_BYTES } from "./merge_places.js";
import type { Region, SortedInput } from "./sorted_input.js";

/** The most bytes of all inputs that are in memory at a time: few, so that they are still in the cache. */
export const MOST_TEXT_AT_ONCE = 32 << 20;

/** The memory per byte of text: for itself, for the begins of rows of four bytes, and for twice the output. */
const MEMORY_PER_TEXT = 5;

/** The fewest bytes of a region. */
const LEAST_REGION = 1 << 12;

/**
 * The bytes of an average row, which say for how many rows a region has room. Of shorter ones, it holds fewer
 * bytes.
 */
const BYTES_PER_ROW = 4;

/** The most bytes of a piece in which rows are counted. */
const MOST_PIECE = 1 << 20;

/** Bytes before a region. */
const GAP = 16;

/** Instead of the number of a row. */
const NONE = 0xffff_ffff;

/** Rows of an input that were found: `count` from number `first` on in memory. */
export interface ArrivedRows {
  readonly input: SortedInput;
  readonly first: number;
  readonly count: number;
  readonly bytes: number;
}

/** Reads what is left of all inputs, of which nothing is written any more. */
export type ReadRest = () => Promise<void>;

/** What is merged, and what is special about it. */
export interface MergeSources {
  readonly inputs: readonly SortedInput[];
  /** The phase in which they are read. */
  readonly phase: "read" | "gather";
  /** Of how many keys it is to be counted what they hold: of none, of the first one, or of all. */
  readonly counted: 0 | 1 | 2;
  /** Whether rows have numbers, which are written instead of them. */
  readonly hasNumbers: boolean;
  /** Whether rows are hashed, rather than each copy compared. */
  readonly isHashed: boolean;
  /** What comes before the rows. Known after the first rows have arrived. */
  readonly header: Uint8Array;
  /** Takes rows that have arrived, at most one part of them for each input. */
  arrived(parts: readonly ArrivedRows[]): Promise<void>;
  /** Why what was merged cannot be written, if it is for what the keys hold. */
  faultOf(report: Report, text: TalliedText): PartFault | undefined;
  /** Takes what kernels report of rows that are written next. */
  accept(report: Report, merged: Merged, text: TalliedText): void;
  /** @throws an error if the inputs are the reason why the result is not in order. */
  requireOrder(readRest: ReadRest): Promise<void>;
  /** @throws an error if the inputs are not what they must be. @param written the rows that were written. */
  ended(written: number, readRest: ReadRest): Promise<void>;
  /** The error of an input whose next row has more than this number of bytes. */
  tooLong(input: SortedInput, bytes: number): Error;
}

/** How to merge. */
export interface MergeOptions {
  readonly clock: PhaseClock;
  /** The most rows to write. */
  readonly head: number;
  readonly verify: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Merges sorted inputs. Rows with equal keys keep their order, and those of the first input come first. Each
 * input is read into a region of the memory, which does not grow with it. What goes before the least of the
 * last rows in the regions is merged by the words of its keys: threads merge parts of it, which samples
 * divide, and each part is written while others are merged.
 */
export class RowMerge {
  readonly #space: RowWorkspace;
  readonly #sources: MergeSources;
  readonly #inputs: readonly SortedInput[];
  readonly #options: MergeOptions;
  /** The bytes of each region, which grow if a row is longer, and the most rows, which stay. */
  readonly #regions: number[];
  readonly #mostRows: readonly number[];
  readonly #output: DoubleBuffer;
  #textEnd = 0;
  #starts = 0;
  #numbers = 0;
  #places!: MergePlaces;
  /** The input with the last row that was merged. */
  #last: SortedInput | undefined;
  #rounds = 0;

  constructor(space: RowWorkspace, sources: MergeSources, options: MergeOptions, write: WriteText) {
    this.#space = space;
    this.#sources = sources;
    this.#inputs = sources.inputs;
    this.#options = options;
    this.#output = new DoubleBuffer(write, options.signal);
    const text = Math.min(MOST_TEXT_AT_ONCE, Math.floor(space.most / MEMORY_PER_TEXT));
    const share = Math.max(LEAST_REGION, Math.floor(text / Math.max(1, this.#inputs.length)));
    const regions = this.#inputs.map(({ byteLength = share }) =>
      Math.min(share, Math.max(LEAST_REGION, byteLength + 2)),
    );
    this.#mostRows = regions.map((bytes) => Math.floor(bytes / BYTES_PER_ROW));
    // The row that was merged last, and the next one.
    this.#regions = regions.map((bytes, i) => Math.max(bytes, 2 * this.#inputs[i]!.longestRow));
  }

  /**
   * @returns the rows that were written, and in how many rounds.
   * @throws VerifyError if the result is not in order, or does not hold the rows of the inputs; and what the
   *   sources throw.
   */
  async run(): Promise<{ readonly written: number; readonly rounds: number }> {
    try {
      const written = await this.#mergeAll();
      await this.#sources.ended(written, this.#readRest);
      await this.#output.end();
      return { written, rounds: this.#rounds };
    } finally {
      await this.#output.settled();
    }
  }

  readonly #readRest: ReadRest = async () => {
    while (this.#isOpen()) {
      for (const input of this.#inputs) input.merge(input.rows);
      await this.#fill();
    }
  };

  async #mergeAll(): Promise<number> {
    const { head } = this.#options;
    await this.#layOut();
    let written = 0;
    for (let isFirst = true; isFirst || (written < head && this.#isOpen()); isFirst = false) {
      await this.#fill();
      const { header } = this.#sources;
      if (isFirst && header.length > 0) this.#output.send(new Uint8Array(header));
      const { runs, last } = await chooseRuns(this.#space, this.#places, this.#inputs);
      if (runs.length === 0) continue;
      written += await this.#merge(runs, last, head - written);
      this.#last = runs.find(({ first, count }) => last === first + count - 1)?.input;
      for (const { input, count } of runs) input.merge(count);
      this.#rounds++;
    }
    return written;
  }

  #isOpen(): boolean {
    return this.#inputs.some((input) => !input.ended || input.rows > 0);
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
    const { hasNumbers } = this.#sources;
    this.#numbers = hasNumbers ? afterStarts : 0;
    const begin = hasNumbers ? aligned(afterStarts + 4 * row) : afterStarts;
    this.#places = mergePlaces(begin, this.#inputs.length, parts, position, most);
    this.#space.reserve(this.#places.end);
    this.#space.writeOrder(this.#starts);
    for (const [i, move] of moves.entries()) {
      const region = regions[i]!;
      const numbers = hasNumbers ? this.#numbers + 4 * region.first : undefined;
      move({ ...region, starts: this.#starts + 4 * region.first, numbers });
    }
  }

  /** Reads on, until each input that goes on has a row. */
  async #fill(): Promise<void> {
    const { clock, signal } = this.#options;
    for (let short = this.#inputs.filter(({ needsRefill }) => needsRefill); short.length > 0; ) {
      const bytesRead = () => this.#inputs.reduce((sum, input) => sum + input.bytesRead, 0);
      const already = bytesRead();
      const arrivals = await clock.time(
        this.#sources.phase,
        () => bytesRead() - already,
        () => settleAll(short.map((input) => input.fill())),
      );
      signal?.throwIfAborted();
      await clock.time("extract", 0, async () => {
        // Half of the rows that a region has room for are in it at most when more is read.
        const pieceBytes = Math.min(MOST_PIECE, Math.floor(Math.min(...this.#mostRows) / 2));
        await countRows(this.#space, arrivals, signal, pieceBytes);
        const parts = short.map((input) => input.accept());
        await findRows(this.#space, parts, signal);
      });
      await this.#sources.arrived(short.map((input) => ({ input, ...input.take() })));
      short = short.filter(({ rows, ended }) => rows === 0 && !ended);
      if (short.length > 0) await this.#grow(short);
    }
  }

  /** Doubles the regions of inputs that hold no whole row. */
  async #grow(inputs: readonly SortedInput[]): Promise<void> {
    for (const [i, input] of this.#inputs.entries()) {
      if (!inputs.includes(input)) continue;
      const bytes = this.#regions[i]!;
      const text = this.#textEnd + bytes;
      if (this.#places.outs[0]! + bytes + text > this.#space.most || text > LONGEST_TEXT)
        throw this.#sources.tooLong(input, bytes);
      this.#regions[i] = 2 * bytes;
      this.#textEnd = text;
    }
    await this.#layOut();
  }

  /**
   * Merges and writes rows, each part as soon as it is merged.
   *
   * @param last a row of the runs that none of them comes after, unless the runs end here.
   * @param most the most rows to write.
   * @returns the number of rows that were written.
   */
  async #merge(runs: readonly InputRun[], last: number | undefined, most: number): Promise<number> {
    const parts = await this.#divide(runs, last);
    const merged = new MergedParts({
      parts,
      most,
      faultOf: (report, merged, part) => this.#faultOf(runs, report, merged, part),
      accept: (report, part, out) => {
        this.#sources.accept(report, part, this.#textOf(runs));
        this.#output.send(this.#space.bytes(out, part.bytes));
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
    return merged.rows;
  }

  /** Divides the merge of runs into parts, and describes these to the kernels. */
  async #divide(runs: readonly InputRun[], last: number | undefined): Promise<MergePart[]> {
    const { clock, signal } = this.#options;
    const places = this.#places;
    describeRuns(this.#space, places, runs);
    const before = this.#last && this.#last.first - 1;
    const cuts = await clock.time("sort", 0, () => divideRuns(this.#space, places, runs, before, signal));
    cuts.push({ counts: runs.map(({ count }) => count), row: last });
    for (const [i, { counts }] of cuts.entries()) {
      this.#space.words(places.cuts + 4 * runs.length * i, runs.length).set(counts);
    }
    const isHashed = Number(this.#sources.isHashed);
    let to = await this.#output.next(places.outs);
    return cuts.slice(1).map((end, i) => {
      const out = to;
      let rows = 0;
      for (const [j, { first }] of runs.entries()) {
        const [from, after] = [cuts[i]!.counts[j]!, end.counts[j]!];
        rows += after - from;
        if (this.#numbers === 0) to += this.#start(first + after) - this.#start(first + from);
      }
      if (this.#numbers !== 0) to += 4 * rows;
      const words = this.#space.words(places.parts + PART_BYTES * i, PART_BYTES / 4);
      words.set([out, to, cuts[i]!.row ?? NONE, end.row ?? NONE, this.#numbers, isHashed]);
      return { out, bytes: to - out, rows };
    });
  }

  /** The call that merges a part of some runs. @param most the most rows of it. */
  #callOf(runs: number, part: number, most: number): ReportingCall {
    const places = this.#places;
    return (report) => [
      places.runs,
      runs,
      places.cuts + 4 * runs * part,
      places.parts + PART_BYTES * part,
      places.states + places.stateBytes * part,
      Math.min(most, NONE),
      this.#sources.counted,
      report,
      this.#space.at.order,
    ];
  }

  #runParts(calls: readonly ReportingCall[], take: (report: Report) => void): Promise<Report[]> {
    const { clock, signal } = this.#options;
    return clock.time("move", 0, () => runReporting(this.#space, "merge_runs", calls, signal, take));
  }

  /** Why what came of a part cannot be written. @param part undefined if some of its rows may be missing. */
  #faultOf(
    runs: readonly InputRun[],
    report: Report,
    merged: Merged,
    part: MergePart | undefined,
  ): PartFault | undefined {
    const { verify } = this.#options;
    const fault = this.#sources.faultOf(report, this.#textOf(runs));
    if (fault) return fault;
    if (merged.inversions > 0) {
      return async () => {
        // What comes out in the wrong order went in so: the merge keeps the order of each input.
        await this.#sources.requireOrder(this.#readRest);
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

  #textOf(runs: readonly InputRun[]): TalliedText {
    const { at } = this.#space;
    return {
      placeOf: (row: number) => inputOf(runs, row).placeOf(row),
      textBetween: (from: number, to: number) => this.#space.bytes(at.text + from, to - from).slice(),
    };
  }

  /** The position at which a row begins. */
  #start(row: number): number {
    return this.#space.words(this.#starts + 4 * row, 1)[0]!;
  }
}

function inputOf(runs: readonly InputRun[], row: number): SortedInput {
  return runs.find(({ first, count }) => row >= first && row < first + count)!.input;
}
