import type { InputError } from "../core/errors.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import { PhaseClock } from "../core/streams/phase_clock.js";
import { type InvalidKey, RowBatch } from "./batch.js";
import { wrongKey } from "./invalid_key.js";
import { safeEnd } from "./merge.js";
import { moveRows, type WriteRows } from "./mover.js";
import { requireSameHeader } from "./reader.js";
import type { RowRunner } from "./row_kernels.js";
import type { RowReport } from "./sort_rows.js";
import { SortedInput, type SortedInputOptions } from "./sorted_input.js";
import { MOST_TEXT, RowWorkspace } from "./workspace.js";
import { sortedWrongly } from "./wrong.js";

/** Of an input, so many bytes are read at a time, or a share of the memory. */
const MOST_READ = 4 << 20;
const LEAST_READ = 1 << 12;

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
 * Merges sorted inputs. Rows with equal keys keep their order, and those of the first input come first. It reads on
 * in the input whose last row read comes first, as far as the memory holds it, sorts what was read of all inputs
 * together, and writes the rows up to that last row. Forecasting: D. Knuth, "The art of computer programming", vol. 3,
 * 5.4.6. So the memory does not grow with the inputs.
 *
 * @throws InputError if an input is not in order, or as `sortRows`; VerifyError if the result is not in order, or does
 *   not hold the rows of the inputs.
 */
export async function mergeRows(runner: RowRunner, job: MergeJob, write: WriteRows): Promise<RowReport> {
  const merge = new InputMerge(runner, job, write);
  return merge.run();
}

class InputMerge {
  readonly #job: MergeJob;
  readonly #space: RowWorkspace;
  readonly #clock = new PhaseClock();
  readonly #write: WriteRows;
  readonly #inputs: readonly SortedInput[];
  readonly #readBytes: number;

  constructor(runner: RowRunner, job: MergeJob, write: WriteRows) {
    this.#job = job;
    this.#space = new RowWorkspace(runner, job.order, job.unique, job.memoryBytes);
    this.#write = (bytes) => this.#clock.time("write", bytes.length, () => write(bytes));
    this.#inputs = job.inputs.map((input) => new SortedInput(this.#space, input, this.#clock, job));
    const share = Math.floor(this.#space.most / (16 * Math.max(1, job.inputs.length)));
    this.#readBytes = Math.min(MOST_READ, Math.max(LEAST_READ, share));
  }

  async run(): Promise<RowReport> {
    const { head, verify, signal } = this.#job;
    let last: Uint8Array | undefined;
    let [written, hashes, all] = [0, 0n, true];
    for (let isFirst = true; isFirst || (written < head && this.#isOpen()); isFirst = false) {
      await this.#fill();
      if (isFirst) await this.#writeHeader();
      const batch = await this.#gather(last);
      if (batch.rows === (last ? 1 : 0)) break;
      const invalid = await batch.sort();
      if (invalid) throw this.#invalidKey(invalid, last ? 1 : 0);
      if (last && batch.rowAt(0) !== 0) throw sortedWrongly("the parts of the output are not in order");
      const first = last ? 1 : 0;
      const ends: number[] = [];
      let row = first;
      for (const input of this.#inputs) {
        row += input.rows;
        ends.push(row);
      }
      const open = new Set(ends.filter((_, i) => !this.#inputs[i]!.ended).map((end) => end - 1));
      const end = safeEnd(this.#space, batch, open);
      const places = { from: first, end, head: head - written };
      const moved = await moveRows(this.#space, batch, places, this.#write, this.#clock, signal);
      written += moved.rows;
      hashes += moved.hashes;
      all &&= moved.all;
      last = batch.rowBytes(batch.rowAt(end - 1));
      this.#drop(batch, ends, end);
    }
    const read = this.#inputs.map((input) => input.read);
    const expected = BigInt.asUintN(
      64,
      read.reduce((sum, one) => sum + one.hashes, 0n),
    );
    if (verify && all && !this.#isOpen() && BigInt.asUintN(64, hashes) !== expected) {
      throw sortedWrongly("rows changed while they were merged");
    }
    return {
      rows: read.reduce((sum, one) => sum + one.rows, 0),
      bytes: read.reduce((sum, one) => sum + one.bytes, 0),
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

  /** Reads some rows of each input, and more of those that hold the others up, as far as the memory allows. */
  async #fill(): Promise<void> {
    for (const [i, input] of this.#inputs.entries()) {
      while (input.rows === 0 && !input.ended) await input.extend(this.#readBytes);
      if (this.#job.header) requireSameHeader(this.#job.inputs, i, this.#inputs[0]!.header, input.header);
    }
    while (this.#fits()) {
      const next = await this.#next();
      if (!next) return;
      await next.extend(this.#readBytes);
    }
  }

  /** Whether one more piece of an input fits in the memory, together with what is held, and as held. */
  #fits(): boolean {
    const sum = (of: (input: SortedInput) => number) =>
      this.#inputs.reduce((all, input) => all + of(input), 0);
    const bytes = sum((input) => input.bytes) + this.#readBytes;
    const held = sum((input) => input.rows);
    const rows = held + Math.ceil((held / Math.max(1, bytes - this.#readBytes)) * this.#readBytes);
    const inUse = this.#space.bytesFor(bytes, rows) + bytes + 4 * rows;
    return bytes <= MOST_TEXT / 2 && inUse <= this.#space.most;
  }

  /** The input whose last row read comes first, as no row after it can be written; undefined if all were read. */
  async #next(): Promise<SortedInput | undefined> {
    const open = this.#inputs.filter(({ ended }) => !ended);
    if (open.length < 2) return open[0];
    const batch = await this.#batchOf(open.map(({ last }) => last));
    await batch.sort();
    return open[batch.rowAt(0)];
  }

  /** The last row that was written, if there is one, and what is held of each input, as one text. */
  async #gather(last: Uint8Array | undefined): Promise<RowBatch> {
    const space = this.#space;
    const total = this.#inputs.reduce((sum, input) => sum + input.bytes, last?.length ?? 0);
    space.engage(total);
    space.reserve(space.at.text + total);
    let at = space.at.text;
    if (last) {
      space.bytes(at, last.length).set(last);
      at += last.length;
    }
    for (const input of this.#inputs) {
      input.copyTo(space.bytes(at, input.bytes));
      at += input.bytes;
    }
    return this.#found(total);
  }

  async #batchOf(rows: readonly Uint8Array[]): Promise<RowBatch> {
    const space = this.#space;
    const total = rows.reduce((sum, row) => sum + row.length, 0);
    space.reserve(space.at.text + total);
    let at = space.at.text;
    for (const row of rows) {
      space.bytes(at, row.length).set(row);
      at += row.length;
    }
    return this.#found(total);
  }

  async #found(bytes: number): Promise<RowBatch> {
    const batch = new RowBatch(this.#space, this.#clock, this.#job.signal);
    await this.#clock.time("extract", 0, async () => {
      await batch.count(bytes);
      await batch.find();
    });
    return batch;
  }

  #invalidKey(invalid: InvalidKey, first: number): InputError {
    let own = invalid.row - first;
    const input = this.#inputs.find(({ rows }) => {
      if (own < rows) return true;
      own -= rows;
      return false;
    });
    return wrongKey(input!.placeOf(own), invalid);
  }

  /** Forgets what was written of each input. @param ends the number after the last row of each in the batch. */
  #drop(batch: RowBatch, ends: readonly number[], end: number): void {
    const left = ends.map(() => 0);
    for (let place = end; place < batch.rows; place++) {
      const row = batch.rowAt(place);
      left[firstAbove(ends, row)]!++;
    }
    for (const [i, input] of this.#inputs.entries()) input.drop(input.rows - left[i]!);
  }
}

/** The place of the first number in ascending ones that is larger than `value`. */
function firstAbove(numbers: readonly number[], value: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
