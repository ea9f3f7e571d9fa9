import type { ByteStore } from "../../core/streams/byte_stream.js";
import type { PhaseClock } from "../../core/streams/phase_clock.js";
import type { WriteText } from "../double_buffer.js";
import { sortFault, temporaryFileChanged } from "../errors.js";
import { sumOf } from "../report.js";
import { RowBatch, type RowPiece } from "../row_batch.js";
import { RowSorter } from "../row_sorter.js";
import { ELEMENT_BYTES, LONGEST_TEXT, type RowWorkspace } from "../workspace.js";
import { type Sample, writeRows } from "../write_rows.js";

/** A run, and how much of it was written. */
interface Open {
  readonly run: StoredRun;
  /** Bytes and rows that were written. */
  bytes: number;
  rows: number;
  /** Rows that were read, some of which may not have been written. */
  read: number;
  /** The next sample that is not read yet. */
  next: number;
}

/** A piece of a run in memory. */
interface Slice {
  readonly open: Open;
  readonly bytes: number;
  /** The numbers of its first row in the batch, and of the one after its last. */
  readonly from: number;
  readonly end: number;
  /** Whether the run ends with it. */
  readonly isLast: boolean;
}

/** What is sorted at a time: a piece of each run. */
interface Part {
  readonly batch: RowBatch;
  readonly slices: readonly Slice[];
  /** For each row of the batch its number in the input, if that is wanted. */
  readonly numbers: Uint32Array | undefined;
}

/**
 * Merges sorted runs. It reads from each run what comes before a word, as far as the memory holds it, sorts
 * all that together, and writes the rows that go before everything which was not read. Threads sort a text
 * faster than one thread merges it. R. Sedgewick and K. Wayne, "Algorithms", 4th ed. 2011, 2.4, merge by
 * comparisons instead.
 */
export class RowMerge {
  readonly #space: RowWorkspace;
  readonly #runs: readonly Open[];
  readonly #store: ByteStore;
  readonly #clock: PhaseClock;
  readonly #signal: AbortSignal | undefined;

  constructor(
    space: RowWorkspace,
    runs: readonly StoredRun[],
    store: ByteStore,
    clock: PhaseClock,
    signal?: AbortSignal,
  ) {
    this.#space = space;
    this.#runs = runs.map((run) => ({ run, bytes: 0, rows: 0, read: 0, next: 0 }));
    this.#store = store;
    this.#clock = clock;
    this.#signal = signal;
  }

  get #tools() {
    return { space: this.#space, clock: this.#clock, signal: this.#signal };
  }

  /** @throws VerifyError if the result is not in order, or does not hold the rows of the runs. */
  async run(
    options: { readonly head: number; readonly verify: boolean },
    write: WriteText,
  ): Promise<{ rows: number; parts: number }> {
    let last: Uint8Array | undefined;
    let left = 0n;
    let [rows, parts] = [0, 0];
    while (rows < options.head && this.#runs.some(({ run, bytes }) => bytes < run.bytes)) {
      const { batch, slices, numbers } = await this.#read(last);
      const first = last ? 1 : 0;
      const before = options.verify
        ? await this.#clock.time("verify", 0, () => checkedHash(batch, slices, numbers, left))
        : 0n;
      const sorter = new RowSorter(batch, this.#clock, this.#signal);
      await sorter.readKeys();
      await sorter.sort();
      if (last && batch.rowAt(0) !== 0) throw sortFault("the parts of the output are not in order");
      const lasts = slices.filter(({ isLast }) => !isLast).map((slice) => slice.end - 1);
      const end = safeEnd(this.#space, batch, new Set(lasts));
      const places = { from: first, end, head: options.head - rows, numbers: mapOf(numbers) };
      const moved = await writeRows({ ...this.#tools, batch, ...places, write });
      if (options.verify && moved.all) {
        left = await this.#hashFrom(batch, end);
        if (BigInt.asUintN(64, moved.hashes + left) !== before)
          throw sortFault("rows changed while they were merged");
      }
      last = batch.rowBytes(batch.rowAt(end - 1));
      this.#advance(batch, slices, end);
      rows += moved.rows;
      parts++;
    }
    return { rows, parts };
  }

  /** The sum of the hashes of the rows of a batch from a place on, which are not written yet. */
  async #hashFrom(batch: RowBatch, place: number): Promise<bigint> {
    if (place === batch.rows) return 0n;
    const places = { from: place, end: batch.rows, head: Number.POSITIVE_INFINITY };
    const { hashes } = await writeRows({ ...this.#tools, batch, ...places, write: async () => {} });
    return hashes;
  }

  /** Reads the last row that was written, if there is one, and what comes next of each run. */
  async #read(last: Uint8Array | undefined): Promise<Part> {
    const space = this.#space;
    const { text } = space.at;
    this.#choose(last?.length ?? 0);
    const slices = this.#slices(last ? 1 : 0);
    const textBytes = slices.reduce((sum, { bytes }) => sum + bytes, last?.length ?? 0);
    space.reserve(text + textBytes);
    if (last) space.bytes(text, last.length).set(last);
    await this.#clock.time("gather", textBytes, async () => {
      let at = text + (last?.length ?? 0);
      for (const { open, bytes } of slices) {
        if (bytes > 0) await this.#store.read(space.bytes(at, bytes), open.run.at + open.bytes);
        at += bytes;
      }
    });
    const batch = new RowBatch(space, this.#signal);
    await this.#clock.time("extract", 0, async () => {
      await batch.count(textBytes);
      await batch.find();
    });
    if (batch.rows !== slices.at(-1)!.end) throw temporaryFileChanged();
    return { batch, slices, numbers: await this.#readNumbers(slices, batch.rows) };
  }

  /** What comes next of each run. @param first the number of the first row in the batch. */
  #slices(first: number): Slice[] {
    const slices: Slice[] = [];
    let from = first;
    for (const open of this.#runs) {
      const { run, next, bytes, rows } = open;
      const sample: Sample | undefined = run.samples[next];
      const end = from + (sample?.rows ?? run.rows) - rows;
      const isLast = sample === undefined;
      slices.push({ open, bytes: (sample?.offset ?? run.bytes) - bytes, from, end, isLast });
      from = end;
    }
    return slices;
  }

  /** The numbers in the input of the rows of slices; undefined if the runs have none. */
  async #readNumbers(slices: readonly Slice[], rows: number): Promise<Uint32Array | undefined> {
    if (!this.#runs.some(({ run }) => run.numbersAt !== undefined)) return undefined;
    const numbers = new Uint32Array(rows);
    for (const { open, from, end } of slices) {
      if (open.run.numbersAt === undefined || end === from) continue;
      const some = numbers.subarray(from, end);
      const bytes = new Uint8Array(some.buffer, some.byteOffset, some.byteLength);
      await this.#store.read(bytes, open.run.numbersAt + 4 * open.rows);
    }
    return numbers;
  }

  /**
   * Chooses up to which sample each run is read: again and again the run goes on that has the smallest word
   * next.
   */
  #choose(lastBytes: number): void {
    const space = this.#space;
    let bytes = lastBytes;
    let rows = 1;
    for (const open of this.#runs) {
      // What was read but not written is read again, at least up to the next sample.
      const { samples } = open.run;
      while (open.next < samples.length && samples[open.next]!.rows <= open.rows) open.next++;
      bytes += (samples[open.next]?.offset ?? open.run.bytes) - open.bytes;
      rows += (samples[open.next]?.rows ?? open.run.rows) - open.rows;
    }
    const numberBytes = this.#runs.some(({ run }) => run.numbersAt !== undefined) ? 4 : 0;
    const fits = () =>
      bytes <= LONGEST_TEXT && space.bytesFor(bytes, rows) + numberBytes * rows <= space.most;
    while (fits()) {
      let smallest: Open | undefined;
      for (const open of this.#runs) {
        const sample = open.run.samples[open.next];
        if (sample && (!smallest || isBefore(sample, smallest.run.samples[smallest.next]!))) smallest = open;
      }
      if (!smallest) return;
      const { run, next } = smallest;
      const [own, after] = [run.samples[next]!, run.samples[next + 1]];
      bytes += (after?.offset ?? run.bytes) - own.offset;
      rows += (after?.rows ?? run.rows) - own.rows;
      if (!fits()) return;
      smallest.next++;
    }
  }

  /** Counts what was written of each run. */
  #advance(batch: RowBatch, slices: readonly Slice[], end: number): void {
    // Few rows are left in memory, so they are counted.
    const left = slices.map(() => 0);
    for (let place = end; place < batch.rows; place++) {
      const row = batch.rowAt(place);
      left[slices.findIndex((slice) => row < slice.end)]!++;
    }
    for (const [i, { open, from, end: after }] of slices.entries()) {
      const written = after - from - left[i]!;
      open.read = open.rows + after - from;
      open.bytes += batch.start(from + written) - batch.start(from);
      open.rows += written;
    }
  }
}

/**
 * Adds up hashes of the rows that were read. Those from one sample to the next are compared with what was
 * written to the runs, and those that are read once more with what came first; and so are their numbers.
 *
 * @param left the sum of the hashes of those that are read once more.
 * @returns the sum of all, modulo 2^64. @throws VerifyError if a temporary file changed.
 */
async function checkedHash(
  batch: RowBatch,
  slices: readonly Slice[],
  numbers: Uint32Array | undefined,
  left: bigint,
): Promise<bigint> {
  const pieces = slices.flatMap(piecesOfSlice);
  const hashes = await batch.hashesOf(pieces);
  const isSame = pieces.every(({ from, count, expected }, i) => {
    if (!expected) return true;
    const number = numbers && sumOfNumbers(numbers.subarray(from, from + count));
    return hashes[i] === expected.hashes && number === expected.numbers;
  });
  const again = sumOf(hashes.filter((_, i) => pieces[i]!.again));
  if (!isSame || again !== left) throw temporaryFileChanged();
  return sumOf(hashes);
}

/** Rows of a batch whose hashes are added up. */
interface HashedPiece extends RowPiece {
  /** The sums of their hashes and their numbers; undefined if the rows do not begin with a sample. */
  readonly expected: { readonly hashes: bigint; readonly numbers: number | undefined } | undefined;
  /** Whether they were read before. */
  readonly again: boolean;
}

function piecesOfSlice({ open, from, end }: Slice): HashedPiece[] {
  const { rows: written, read, next, run } = open;
  const begun = run.samples.findIndex(({ rows }) => rows >= written);
  const first = begun < 0 ? next : begun;
  const placeOf = (sample: number) => (sample < next ? from + run.samples[sample]!.rows - written : end);
  const pieces: HashedPiece[] = [];
  const rest = placeOf(first) - from;
  if (rest > 0) pieces.push({ from, count: rest, expected: undefined, again: true });
  for (let i = first; i < next; i++) {
    const { hashes, rows } = run.samples[i]!;
    const expected = { hashes, numbers: run.numberSums?.[i] };
    pieces.push({ from: placeOf(i), count: placeOf(i + 1) - placeOf(i), expected, again: rows < read });
  }
  return pieces;
}

/**
 * The place after the last row of a batch that goes before all rows that were not read.
 *
 * @param lasts the last rows that were read of the sorted parts that go on.
 */
function safeEnd(space: RowWorkspace, batch: RowBatch, lasts: ReadonlySet<number>): number {
  // A row that was not read is not before the last row that was read of its part: and rows that are equal to
  // that one come later if their part comes later.
  if (lasts.size === 0) return batch.rows;
  const words = space.words(batch.places.elements, (ELEMENT_BYTES / 4) * batch.rows);
  for (let place = 0; place < batch.rows; place++) if (lasts.has(words[4 * place + 2]!)) return place + 1;
  return batch.rows;
}

/** Turns numbers of rows in a batch into their numbers in the input. */
function mapOf(numbers: Uint32Array | undefined) {
  if (!numbers) return undefined;
  return (rows: Uint32Array) => {
    for (let i = 0; i < rows.length; i++) rows[i] = numbers[rows[i]!]!;
  };
}

/** Whether the words of a sample come before those of another one. */
function isBefore({ words: a }: Sample, { words: b }: Sample): boolean {
  const i = a.findIndex((word, place) => word !== b[place]);
  return i >= 0 && a[i]! < b[i]!;
}

/** A sorted part of the input in a store. */
export interface StoredRun {
  /** Where it begins in the store, and its bytes. */
  readonly at: number;
  readonly bytes: number;
  readonly rows: number;
  /**
   * Where the numbers of its rows in the input are in the store, as u32; undefined if they are not wanted.
   */
  readonly numbersAt?: number | undefined;
  /** The sums of the numbers of the rows from each sample to the next. */
  readonly numberSums?: readonly number[] | undefined;
  /** Places in it, in ascending order; the first one is its begin. */
  readonly samples: readonly Sample[];
}

/** The sum of numbers of rows, modulo 2^32. */
export function sumOfNumbers(numbers: Uint32Array): number {
  let sum = 0;
  for (const number of numbers) sum = (sum + number) >>> 0;
  return sum;
}
