import { CALLS_PER_THREAD } from "../../core/cpu/tuning.js";
import { InputError } from "../../core/errors.js";
import { type ByteInput, totalBytes } from "../../core/streams/byte_stream.js";
import { PhaseClock } from "../../core/streams/phase_clock.js";
import { DoubleBuffer, type WriteText } from "../double_buffer.js";
import { sortFault } from "../errors.js";
import { requireGuessedValues, type Widen, WrongGuess, widened } from "../order/guess.js";
import { firstInvalid, KeyTallies, type OnTallied, talliesMoreKeys } from "../order/tally.js";
import { requireSameHeader } from "../reader.js";
import { type Report, type ReportingCall, runReporting } from "../report.js";
import { countRows, findRows } from "../row_finder.js";
import type { RowRunner } from "../row_kernels.js";
import type { RowReport } from "../sort_rows.js";
import { rowTooLong } from "../text.js";
import { aligned, LONGEST_TEXT, REPORTS, RowWorkspace } from "../workspace.js";
import { chooseRuns, describeRuns, divideRuns, type InputRun, LEAST_PART_ROWS } from "./merge_cuts.js";
import { type Merged, MergedParts, type MergePart, type PartFault } from "./merge_parts.js";
import { type MergePlaces, mergePlaces, PART_BYTES } from "./merge_places.js";
import { type Region, SortedInput, type SortedInputOptions } from "./sorted_input.js";

/** The most bytes of all inputs that are in memory at a time: few, so that they are still in the cache. */
const MOST_TEXT_AT_ONCE = 32 << 20;

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

/** What to merge, and how. */
export interface MergeJob extends SortedInputOptions {
  readonly inputs: readonly ByteInput[];
  /** Whether only the first of rows with equal keys is written. */
  readonly unique: boolean;
  /** The most rows to write. */
  readonly head: number;
  /** The memory to use. */
  readonly memoryBytes: number;
  /** As of `RowJob`. A wrong guess is thrown as `WrongGuess`: what was written is to be written anew. */
  readonly widen?: Widen | undefined;
  /** The order in words, for errors, if columns or a guess give it. */
  readonly by?: string | undefined;
  /** As of `RowJob`, but called before the output ends. */
  readonly onTallied?: OnTallied | undefined;
}

/**
 * Merges sorted inputs. Rows with equal keys keep their order, and those of the first input come first. Each
 * input is read into a region of the memory, which does not grow with it. What goes before the least of the
 * last rows in the regions is merged by the words of its keys: threads merge parts of it, which samples
 * divide, and each part is written while others are merged.
 *
 * @throws InputError if an input is not in order, or as `sortRows`; WrongGuess; VerifyError if the result is
 *   not in order, or does not hold the rows of the inputs.
 */
export async function mergeRows(runner: RowRunner, job: MergeJob, write: WriteText): Promise<RowReport> {
  const merge = new InputMerge(runner, job, write);
  return merge.run();
}

class InputMerge {
  readonly #job: MergeJob;
  readonly #space: RowWorkspace;
  readonly #clock = new PhaseClock();
  readonly #inputs: readonly SortedInput[];
  /** The bytes of each region, which grow if a row is longer, and the most rows, which stay. */
  readonly #regions: number[];
  readonly #mostRows: readonly number[];
  readonly #output: DoubleBuffer;
  readonly #tallies: KeyTallies;
  #textEnd = 0;
  #starts = 0;
  #places!: MergePlaces;
  /** The input with the last row that was merged. */
  #last: SortedInput | undefined;

  constructor(runner: RowRunner, job: MergeJob, write: WriteText) {
    this.#job = job;
    this.#tallies = new KeyTallies(job.order.keys.length);
    this.#space = new RowWorkspace(runner, job.order, job.unique, job.memoryBytes);
    this.#output = new DoubleBuffer(
      (bytes) => this.#clock.time("write", bytes.length, () => write(bytes)),
      job.signal,
    );
    this.#inputs = job.inputs.map((input) => new SortedInput(this.#space, input, job));
    const text = Math.min(MOST_TEXT_AT_ONCE, Math.floor(this.#space.most / MEMORY_PER_TEXT));
    const share = Math.max(LEAST_REGION, Math.floor(text / Math.max(1, job.inputs.length)));
    this.#regions = job.inputs.map(({ byteLength = share }) =>
      Math.min(share, Math.max(LEAST_REGION, byteLength + 2)),
    );
    this.#mostRows = this.#regions.map((bytes) => Math.floor(bytes / BYTES_PER_ROW));
  }

  async run(): Promise<RowReport> {
    this.#space.engage(totalBytes(this.#job.inputs) ?? MOST_TEXT_AT_ONCE);
    try {
      const written = await this.#mergeAll();
      requireGuessedValues(this.#job.order, this.#tallies.all);
      this.#job.onTallied?.(this.#tallies.all, written < this.#job.head);
      await this.#output.end();
      return this.#reportOf(written);
    } finally {
      await this.#output.settled();
    }
  }

  async #mergeAll(): Promise<number> {
    const { head } = this.#job;
    await this.#layOut();
    let written = 0;
    for (let isFirst = true; isFirst || (written < head && this.#isOpen()); isFirst = false) {
      await this.#fill();
      if (isFirst) this.#writeHeader();
      const { runs, last } = await chooseRuns(this.#space, this.#places, this.#inputs);
      if (runs.length === 0) continue;
      written += await this.#merge(runs, last, head - written);
      this.#last = runs.find(({ first, count }) => last === first + count - 1)?.input;
      for (const { input, count } of runs) input.merge(count);
    }
    return written;
  }

  #reportOf(written: number): RowReport {
    const totals = this.#inputs.map(({ total }) => total);
    return {
      rows: totals.reduce((sum, { rows }) => sum + rows, 0),
      bytes: totals.reduce((sum, { bytes }) => sum + bytes, 0),
      written,
      tallies: this.#tallies.all,
      clock: this.#clock,
    };
  }

  #isOpen(): boolean {
    return this.#inputs.some((input) => !input.ended || input.rows > 0);
  }

  #writeHeader(): void {
    const [first] = this.#inputs;
    if (first && first.header.length > 0) this.#output.send(new Uint8Array(first.header));
  }

  /** Gives each input its region. */
  async #layOut(): Promise<void> {
    await this.#output.end(); // the memory may move
    const { at, most, threads } = this.#space;
    const moves = this.#inputs.map((input) => input.leave());
    let position = 0;
    let row = 0;
    const regions: Omit<Region, "starts">[] = [];
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
    this.#places = mergePlaces(aligned(this.#starts + 4 * row), this.#inputs.length, parts, position, most);
    this.#space.reserve(this.#places.end);
    this.#space.writeOrder(this.#starts);
    for (const [i, move] of moves.entries()) {
      const region = regions[i]!;
      move({ ...region, starts: this.#starts + 4 * region.first });
    }
  }

  /** Reads on, until each input that goes on has a row. */
  async #fill(): Promise<void> {
    const { header, inputs, signal } = this.#job;
    for (let short = this.#inputs.filter(({ needsRefill }) => needsRefill); short.length > 0; ) {
      const bytesRead = () => this.#inputs.reduce((sum, input) => sum + input.bytesRead, 0);
      const already = bytesRead();
      const arrivals = await this.#clock.time(
        "read",
        () => bytesRead() - already,
        () => Promise.all(short.map((input) => input.fill())),
      );
      signal?.throwIfAborted();
      await this.#clock.time("extract", 0, async () => {
        // Half of the rows that a region has room for are in it at most when more is read.
        const pieceBytes = Math.min(MOST_PIECE, Math.floor(Math.min(...this.#mostRows) / 2));
        await countRows(this.#space, arrivals, signal, pieceBytes);
        const parts = short.map((input) => input.accept());
        await findRows(this.#space, parts, signal);
      });
      for (const input of short) input.take();
      if (header) {
        for (const [i, input] of this.#inputs.entries())
          requireSameHeader(inputs, i, this.#inputs[0]!.header, input.header);
      }
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
        throw rowTooLong(input.placeOf(input.first), input.bytes);
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
      accept: (report, out, bytes) => {
        this.#tallies.add([report], this.#textOf(runs));
        this.#output.send(this.#space.bytes(out, bytes));
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
    const { signal } = this.#job;
    const places = this.#places;
    describeRuns(this.#space, places, runs);
    const before = this.#last && this.#last.first - 1;
    const cuts = await this.#clock.time("sort", 0, () =>
      divideRuns(this.#space, places, runs, before, signal),
    );
    cuts.push({ counts: runs.map(({ count }) => count), row: last });
    for (const [i, { counts }] of cuts.entries()) {
      this.#space.words(places.cuts + 4 * runs.length * i, runs.length).set(counts);
    }
    let to = await this.#output.next(places.outs);
    return cuts.slice(1).map((end, i) => {
      const out = to;
      for (const [j, { first }] of runs.entries()) {
        to += this.#start(first + end.counts[j]!) - this.#start(first + cuts[i]!.counts[j]!);
      }
      const words = this.#space.words(places.parts + PART_BYTES * i, PART_BYTES / 4);
      words.set([out, to, cuts[i]!.row ?? NONE, end.row ?? NONE]);
      const rows = runs.reduce((sum, _, j) => sum + end.counts[j]! - cuts[i]!.counts[j]!, 0);
      return { out, bytes: to - out, rows };
    });
  }

  /** The call that merges a part of some runs. @param most the most rows of it. */
  #callOf(runs: number, part: number, most: number): ReportingCall {
    const places = this.#places;
    const checks = talliesMoreKeys(this.#job.order);
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
    const { signal } = this.#job;
    return this.#clock.time("move", 0, () => runReporting(this.#space, "merge_runs", calls, signal, take));
  }

  /** @throws InputError if an input is not in order. */
  async #requireOrder(): Promise<void> {
    for (const input of this.#inputs) {
      const { first, count } = input.neighbours;
      const call = (report: number) => [first + 1, Math.max(0, count - 1), report, this.#space.at.order];
      const [[row]] = (await runReporting(this.#space, "find_disorder", [call], this.#job.signal)) as [
        Report,
      ];
      if (row! > 0) throw notSorted(input, row!, this.#job.by);
    }
  }

  /** Why what came of a part cannot be written. @param part undefined if some of its rows may be missing. */
  #faultOf(
    runs: readonly InputRun[],
    report: Report,
    merged: Merged,
    part: MergePart | undefined,
  ): PartFault | undefined {
    const { order, verify, widen } = this.#job;
    const invalid = firstInvalid([report]);
    if (invalid) {
      return async () => {
        throw new WrongGuess(widened(invalid, [report], this.#textOf(runs), order, widen));
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

  /** The position at which a row begins. */
  #start(row: number): number {
    return this.#space.words(this.#starts + 4 * row, 1)[0]!;
  }
}

function inputOf(runs: readonly InputRun[], row: number): SortedInput {
  return runs.find(({ first, count }) => row >= first && row < first + count)!.input;
}

function notSorted(input: SortedInput, row: number, by: string | undefined): InputError {
  const place = input.placeOf(row);
  const order = by === undefined ? "" : ` by ${by}`;
  return new InputError(`cannot merge ${place.input}: its row ${place.row + 1} is not in order${order}`, {
    hint: "sort all inputs instead, by leaving the merge out, or give the options that it was sorted by",
    options: ["merge"],
  });
}
