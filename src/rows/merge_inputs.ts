import { CALLS_PER_THREAD } from "../core/cpu/tuning.js";
import { piecesOf } from "../core/cpu/work.js";
import { InputError, VerifyError } from "../core/errors.js";
import { type ByteInput, totalBytes } from "../core/streams/byte_stream.js";
import { PhaseClock } from "../core/streams/phase_clock.js";
import { checksMoreKeys, firstInvalid } from "./batch.js";
import { wrongKey } from "./invalid_key.js";
import { moveRows, type WriteRows } from "./mover.js";
import { firstInversion } from "./neighbours.js";
import { requireSameHeader } from "./reader.js";
import { doubleWord, type Report, runReporting } from "./report.js";
import { countRows, findRows } from "./row_finder.js";
import type { RowKernel, RowRunner } from "./row_kernels.js";
import type { RowReport } from "./sort_rows.js";
import { SortedInput, type SortedInputOptions } from "./sorted_input.js";
import { tooLong } from "./text.js";
import { aligned, ELEMENT_BYTES, MOST_TEXT, type RowPlaces, RowWorkspace } from "./workspace.js";
import { sortedWrongly } from "./wrong.js";

/**
 * Of all inputs together, so many bytes are merged at a time, or a share of the memory: few, to use it again.
 */
const MOST_TEXT_AT_ONCE = 32 << 20;

/**
 * With rows of four bytes, the text, the begins of rows, their elements and what is made of them take ten times
 * it.
 */
const MEMORY_PER_TEXT = 12;

/** A region holds so many bytes at least. */
const LEAST_REGION = 1 << 12;

/** A region has room for rows of so many bytes on average; of shorter ones, fewer bytes are looked at. */
const BYTES_PER_ROW = 4;

/** Bytes before a region. */
const GAP = 16;

/** Rows that a thread merges, hashes or makes elements of in one call at least. */
const LEAST_SHARED = 2 ** 13;

/** The merge is divided at samples of the rows. */
const SAMPLES_PER_PART = 4;

/** Bytes of a run and of what a thread keeps of one: see assembly/rows/merge.ts. */
const RUN_BYTES = 12;
const STATE_BYTES = 20;

/** What is written is gathered in windows of half as many bytes. */
const LEAST_SCRATCH = 1 << 20;
const MOST_SCRATCH = 16 << 20;

/** What to merge, and how. */
export interface MergeJob extends SortedInputOptions {
  readonly inputs: readonly ByteInput[];
  /** Whether only the first of rows with equal keys is written. */
  readonly unique: boolean;
  /** The most rows to write. */
  readonly head: number;
  /** The memory to use. */
  readonly memoryBytes: number;
}

/**
 * Merges sorted inputs. Rows with equal keys keep their order, and those of the first input come first. Each
 * input is read into a region of the memory, which does not grow with it. What goes before the least of the
 * last rows in the regions is merged by the words of its keys: threads merge parts of it, which samples divide.
 *
 * @throws InputError if an input is not in order, or as `sortRows`; VerifyError if the result is not in order,
 *   or does not hold the rows of the inputs.
 */
export async function mergeRows(runner: RowRunner, job: MergeJob, write: WriteRows): Promise<RowReport> {
  const merge = new InputMerge(runner, job, write);
  return merge.run();
}

/** Rows of an input that are merged together with others. */
interface Run {
  readonly input: SortedInput;
  /** Its first row, and how many rows it has. */
  readonly first: number;
  readonly count: number;
  /** Rows of the runs before it. */
  readonly before: number;
}

/** Addresses of what describes runs, and of the rows in the order of the result. */
interface MergePlaces extends RowPlaces {
  readonly runs: number;
  readonly cuts: number;
  readonly states: number;
}

class InputMerge {
  readonly #job: MergeJob;
  readonly #space: RowWorkspace;
  readonly #clock = new PhaseClock();
  readonly #write: WriteRows;
  readonly #inputs: readonly SortedInput[];
  /** The bytes of each region. */
  readonly #regions: number[];
  #textEnd = 0;
  #starts = 0;
  #startsEnd = 0;
  /** The input with the last row that was merged. */
  #last: SortedInput | undefined;

  constructor(runner: RowRunner, job: MergeJob, write: WriteRows) {
    this.#job = job;
    this.#space = new RowWorkspace(runner, job.order, job.unique, job.memoryBytes);
    this.#write = (bytes) => this.#clock.time("write", bytes.length, () => write(bytes));
    this.#inputs = job.inputs.map((input) => new SortedInput(this.#space, input, job));
    const text = Math.min(MOST_TEXT_AT_ONCE, Math.floor(this.#space.most / MEMORY_PER_TEXT));
    const share = Math.max(LEAST_REGION, Math.floor(text / Math.max(1, job.inputs.length)));
    this.#regions = job.inputs.map(({ byteLength = share }) =>
      Math.min(share, Math.max(LEAST_REGION, byteLength + 2)),
    );
  }

  async run(): Promise<RowReport> {
    const { head, verify } = this.#job;
    this.#space.engage(totalBytes(this.#job.inputs) ?? MOST_TEXT_AT_ONCE);
    this.#layOut();
    let written = 0;
    for (let isFirst = true; isFirst || (written < head && this.#isOpen()); isFirst = false) {
      await this.#fill();
      if (isFirst) await this.#writeHeader();
      const runs = await this.#choose();
      const rows = runs.reduce((sum, { count }) => sum + count, 0);
      if (rows === 0) continue;
      const hashes = verify ? await this.#hash(runs) : 0n;
      const places = await this.#merge(runs, rows);
      const moved = await this.#move(places, rows, head - written);
      if (verify && moved.all && moved.hashes !== hashes)
        throw sortedWrongly("rows changed while they were merged");
      const last = rowAt(this.#space, places, rows);
      this.#last = runs.find(({ first, count }) => last >= first && last < first + count)!.input;
      for (const { input, count } of runs) input.merge(count);
      written += moved.rows;
    }
    const totals = this.#inputs.map(({ total }) => total);
    return {
      rows: totals.reduce((sum, { rows }) => sum + rows, 0),
      bytes: totals.reduce((sum, { bytes }) => sum + bytes, 0),
      written,
      clock: this.#clock,
    };
  }

  #isOpen(): boolean {
    return this.#inputs.some((input) => !input.ended || input.rows > 0);
  }

  async #writeHeader(): Promise<void> {
    const [first] = this.#inputs;
    if (first && first.header.length > 0) await this.#write(new Uint8Array(first.header));
  }

  /** Gives each input its region. */
  #layOut(): void {
    const { at } = this.#space;
    const moves = this.#inputs.map((input) => input.leave());
    let position = 0;
    let row = 0;
    const regions = this.#regions.map((bytes) => {
      position += GAP;
      const region = { position, bytes, first: row, rows: Math.floor(bytes / BYTES_PER_ROW) };
      position += bytes;
      row += region.rows + 2;
      return region;
    });
    this.#textEnd = position;
    this.#starts = aligned(at.text + position + GAP + 64);
    this.#startsEnd = aligned(this.#starts + 4 * row);
    this.#space.reserve(this.#startsEnd);
    this.#space.writeOrder(this.#starts);
    for (const [i, move] of moves.entries()) {
      const region = regions[i]!;
      move({ ...region, starts: this.#starts + 4 * region.first });
    }
  }

  /** Reads on, until each input that goes on has a row. */
  async #fill(): Promise<void> {
    const { header, inputs, signal } = this.#job;
    for (let hungry = this.#inputs.filter(({ isHungry }) => isHungry); hungry.length > 0; ) {
      const arrivals = await this.#clock.time("read", 0, () =>
        Promise.all(hungry.map((input) => input.fill())),
      );
      signal?.throwIfAborted();
      await this.#clock.time("extract", 0, async () => {
        const pieceBytes = Math.max(256, Math.min(1 << 20, Math.floor(Math.min(...this.#regions) / 16)));
        await countRows(this.#space, arrivals, signal, pieceBytes);
        const parts = hungry.map((input) => input.accept());
        await findRows(this.#space, parts, signal);
      });
      for (const input of hungry) input.take();
      if (header) {
        for (const [i, input] of this.#inputs.entries())
          requireSameHeader(inputs, i, this.#inputs[0]!.header, input.header);
      }
      hungry = hungry.filter(({ rows, ended }) => rows === 0 && !ended);
      if (hungry.length > 0) this.#grow(hungry);
    }
  }

  /** Doubles the regions of inputs that hold no whole row. */
  #grow(inputs: readonly SortedInput[]): void {
    for (const [i, input] of this.#inputs.entries()) {
      if (!inputs.includes(input)) continue;
      const bytes = this.#regions[i]!;
      const text = this.#textEnd + bytes;
      if (2 * text + 2 * LEAST_SCRATCH > this.#space.most || text > MOST_TEXT)
        throw tooLong(input.name, bytes);
      this.#regions[i] = 2 * bytes;
      this.#textEnd = text;
    }
    this.#layOut();
  }

  /** The rows that go before all that were not read. */
  async #choose(): Promise<Run[]> {
    const some = this.#inputs.filter(({ rows }) => rows > 0);
    const runs = runsOf(
      some,
      some.map(({ rows }) => rows),
    );
    const open = runs.filter(({ input }) => !input.ended);
    if (open.length === 0) return runs;
    const { at, runner } = this.#space;
    const places = this.#places(runs, 0, 1);
    // A row that was not read does not come before the last row that was read of its input.
    const lasts = open.map(({ first, count }) => first + count - 1);
    this.#space.words(places.cuts, lasts.length).set(lasts);
    const [[least]] = (await this.#report("least_row", [
      (report) => [places.cuts, lasts.length, report, at.order],
    ])) as [Report];
    const run = runs.indexOf(open[least!]!);
    const cut = [places.runs, runs.length, run, lasts[least!]!, places.cuts, at.order];
    await runner.run("cut_runs", [cut], 1);
    return runsOf(some, [...this.#space.words(places.cuts, runs.length)]).filter(({ count }) => count > 0);
  }

  /** Writes what describes runs, with addresses for so many rows and parts. */
  #places(runs: readonly Run[], rows: number, parts: number): MergePlaces {
    const space = this.#space;
    const describing = aligned(this.#startsEnd);
    const cuts = aligned(describing + RUN_BYTES * runs.length);
    const states = aligned(cuts + 4 * (parts + 1) * runs.length);
    const elements = aligned(states + aligned(STATE_BYTES * runs.length) * parts);
    const scratch = aligned(elements + ELEMENT_BYTES * (rows + 1));
    const windows = Math.max(LEAST_SCRATCH, Math.min(MOST_SCRATCH, Math.floor(space.most / 8)));
    const samples = 2 * ELEMENT_BYTES * SAMPLES_PER_PART * parts;
    const scratchBytes = Math.max(
      aligned(ELEMENT_BYTES * rows + samples),
      aligned(Math.min(windows, 2 * this.#textEnd)),
    );
    const end = scratch + scratchBytes + 64;
    space.reserve(end);
    const words = space.words(describing, 3 * runs.length);
    for (const [i, { first, count, before }] of runs.entries()) {
      words.set([first, count, scratch + ELEMENT_BYTES * before], 3 * i);
    }
    const { text } = space.at;
    return {
      text,
      starts: this.#starts,
      runs: describing,
      cuts,
      states,
      elements,
      scratch,
      scratchBytes,
      end,
    };
  }

  /** Divides the rows of runs into pieces for all threads. */
  #share(runs: readonly Run[], rows: number) {
    const piece = Math.max(LEAST_SHARED, Math.ceil(rows / (CALLS_PER_THREAD * this.#space.threads)));
    return runs.flatMap(({ first, count, before }) =>
      piecesOf(count, Math.ceil(count / piece)).map((one) => ({
        row: first + one.from,
        place: before + one.from,
        count: one.count,
      })),
    );
  }

  async #hash(runs: readonly Run[]): Promise<bigint> {
    const { at } = this.#space;
    const rows = runs.reduce((sum, { count }) => sum + count, 0);
    const reports = await this.#clock.time("verify", 0, () =>
      this.#report(
        "hash_rows",
        this.#share(runs, rows).map(({ row, count }) => (report) => [row, count, report, at.order]),
      ),
    );
    return BigInt.asUintN(
      64,
      reports.reduce((sum, words) => sum + doubleWord(words, 4), 0n),
    );
  }

  /**
   * Merges the elements of runs. The first place of the result is that of the last row that was merged before.
   */
  async #merge(runs: readonly Run[], rows: number): Promise<MergePlaces> {
    const { at, threads } = this.#space;
    const parts = Math.max(1, Math.min(CALLS_PER_THREAD * threads, Math.floor(rows / LEAST_SHARED)));
    const places = this.#places(runs, rows, threads === 1 ? 1 : parts);
    const pieces = this.#share(runs, rows);
    const more = await this.#clock.time("extract", 0, async () => {
      const reports = await this.#report(
        "make_elements",
        pieces.map(({ row, place, count }) => (report) => [
          ...[places.scratch + ELEMENT_BYTES * place, row, count, 0, report, at.order, at.job],
        ]),
      );
      if (checksMoreKeys(this.#job.order)) {
        const calls = pieces.map(({ row, count }) => (report: number) => [row, count, report, at.order]);
        reports.push(...(await this.#report("check_keys", calls)));
      }
      const invalid = firstInvalid(reports);
      if (invalid) throw wrongKey(inputOf(runs, invalid.row).placeOf(invalid.row), invalid, this.#job.order);
      return reports.some(([word]) => word === 1);
    });
    await this.#clock.time("sort", 0, async () => {
      const cuts = await this.#cut(runs, rows, threads === 1 ? 1 : parts, places);
      await this.#mergeParts(runs, cuts, places, more);
    });
    return places;
  }

  /** Divides runs at samples of their rows. @returns for each cut, how many rows of each run come before it. */
  async #cut(runs: readonly Run[], rows: number, parts: number, places: MergePlaces): Promise<number[][]> {
    const cuts = [runs.map(() => 0)];
    if (parts > 1) {
      const { at, runner, threads } = this.#space;
      const count = SAMPLES_PER_PART * parts;
      const from = places.scratch + ELEMENT_BYTES * rows;
      const samples = this.#space.words(from, 4 * count);
      let run = 0;
      for (let i = 0; i < count; i++) {
        const place = Math.floor(((i + 0.5) * rows) / count);
        while (place >= runs[run]!.before + runs[run]!.count) run++;
        samples[4 * i + 2] = runs[run]!.first + place - runs[run]!.before;
      }
      await runner.run("sort_rows", [[from, count, from + ELEMENT_BYTES * count, at.order]], 1);
      const sorted = this.#space.words(from, 4 * count);
      const calls = Array.from({ length: parts - 1 }, (_, i) => {
        const row = sorted[4 * SAMPLES_PER_PART * (i + 1) + 2]!;
        const own = runs.findIndex(({ first, count }) => row >= first && row < first + count);
        return [places.runs, runs.length, own, row, places.cuts + 4 * runs.length * (i + 1), at.order];
      });
      await runner.run("cut_runs", calls, threads, this.#job.signal);
      for (let i = 1; i < parts; i++) {
        const cut = [...this.#space.words(places.cuts + 4 * runs.length * i, runs.length)];
        // They differ only if an input is not in order.
        cuts.push(cut.map((rows, j) => Math.max(rows, cuts[i - 1]![j]!)));
      }
    }
    cuts.push(runs.map(({ count }) => count));
    for (const [i, cut] of cuts.entries()) {
      this.#space.words(places.cuts + 4 * runs.length * i, runs.length).set(cut);
    }
    return cuts;
  }

  async #mergeParts(
    runs: readonly Run[],
    cuts: readonly (readonly number[])[],
    { runs: describing, cuts: cutsAt, states, elements }: MergePlaces,
    more: boolean,
  ): Promise<void> {
    const { at, runner, threads, unique } = this.#space;
    const stride = aligned(STATE_BYTES * runs.length);
    const begins = cuts.map((cut) => cut.reduce((sum, rows) => sum + rows, 0));
    const calls = begins
      .slice(0, -1)
      .map((begin, i) => [
        ...[describing, runs.length, cutsAt + 4 * runs.length * i, cutsAt + 4 * runs.length * (i + 1)],
        ...[elements + ELEMENT_BYTES * (begin + 1), states + stride * i, Number(more), at.order],
      ]);
    await runner.run("merge_runs", calls, threads, this.#job.signal);
    if (this.#last) {
      const { first } = this.#last;
      this.#space.words(elements, 4).set([0, 0, first - 1, 0]);
    }
    if (!unique) return;
    const rows = begins.at(-1)!;
    const seams = new Set(begins.filter((begin) => begin < rows && (begin > 0 || this.#last)));
    for (const begin of seams) {
      const element = elements + ELEMENT_BYTES * (begin + 1);
      await runner.run("mark_if_equal", [[element, element - ELEMENT_BYTES, at.order]], 1);
    }
  }

  async #move(places: MergePlaces, rows: number, head: number) {
    const space = this.#space;
    const batch = {
      places: this.#last ? places : { ...places, elements: places.elements + ELEMENT_BYTES },
      rowAt: (place: number) => rowAt(space, batch.places, place),
      start: (row: number) => space.words(places.starts + 4 * row, 1)[0]!,
    };
    const from = this.#last ? 1 : 0;
    try {
      return await moveRows(
        space,
        batch,
        { from, end: from + rows, head },
        this.#write,
        this.#clock,
        this.#job.signal,
      );
    } catch (error) {
      // What comes out in the wrong order went in so: the merge keeps the order of each input.
      if (error instanceof VerifyError) await this.#requireOrder();
      throw error;
    }
  }

  /** @throws InputError if an input is not in order. */
  async #requireOrder(): Promise<void> {
    for (const input of this.#inputs) {
      const row = await firstInversion(this.#space, input.neighbours, this.#job.signal);
      if (row !== undefined) throw notSorted(input, row);
    }
  }

  #report(kernel: RowKernel, calls: Parameters<typeof runReporting>[2]): Promise<Report[]> {
    return runReporting(this.#space, kernel, calls, this.#job.signal);
  }
}

/** The first rows of inputs that were not merged. */
function runsOf(inputs: readonly SortedInput[], counts: readonly number[]): Run[] {
  let before = 0;
  return inputs.map((input, i) => {
    const run = { input, first: input.first, count: counts[i]!, before };
    before += run.count;
    return run;
  });
}

function inputOf(runs: readonly Run[], row: number): SortedInput {
  return runs.find(({ first, count }) => row >= first && row < first + count)!.input;
}

function rowAt(space: RowWorkspace, { elements }: Pick<RowPlaces, "elements">, place: number): number {
  return space.words(elements + ELEMENT_BYTES * place + 8, 1)[0]!;
}

function notSorted(input: SortedInput, row: number): InputError {
  const place = input.placeOf(row);
  return new InputError(`cannot merge ${place.input}: its row ${place.row + 1} is not in order`, {
    hint: "sort all inputs instead, by leaving the merge out, or give the options that it was sorted by",
    options: ["merge"],
  });
}
