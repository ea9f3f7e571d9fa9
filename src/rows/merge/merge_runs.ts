import { MAX_MEMORY_BYTES } from "../../core/cpu/memory.js";
import { piecesOf } from "../../core/cpu/sort/work.js";
import { InputError } from "../../core/errors.js";
import { settleAll } from "../../core/settle_all.js";
import type { ByteStore } from "../../core/streams/byte_stream.js";
import type { WriteText } from "../double_buffer.js";
import { sortFault, temporaryFileChanged } from "../errors.js";
import { doubleWord, type Report, runReporting, sumOf } from "../report.js";
import { LONGEST_TEXT, type RowWorkspace } from "../workspace.js";
import type { Merged } from "./merge_parts.js";
import {
  type ArrivedRows,
  type MergeOptions,
  type MergeSources,
  type ReadRest,
  RowMerge,
} from "./merge_rows.js";
import { SortedInput } from "./sorted_input.js";

/** The bytes of rows that a call hashes, about. */
const PIECE_BYTES = 1 << 20;

/** A sorted part of the input in a store. */
export interface StoredRun {
  /** Where it begins in the store, and its bytes. */
  readonly at: number;
  readonly bytes: number;
  readonly rows: number;
  /** The bytes of its longest row, or of a longer one. */
  readonly longestRow: number;
  /** The sum of the hashes of its rows, modulo 2^64. */
  readonly hashes: bigint;
  /** The numbers of its rows in the input; undefined if they are not to be written. */
  readonly numbers: StoredNumbers | undefined;
}

/** Numbers in a store, as u32: where they begin, and their sum, modulo 2^32. */
interface StoredNumbers {
  readonly at: number;
  readonly sum: number;
}

/**
 * Merges runs, as `RowMerge` does, in the memory in which they were sorted.
 *
 * @throws VerifyError if the result is not in order, or if the store does not hold what was written to it.
 * @throws InputError if the longest rows of all runs do not fit in the memory.
 */
export async function mergeRuns(
  space: RowWorkspace,
  runs: readonly StoredRun[],
  store: ByteStore,
  options: MergeOptions,
  write: WriteText,
): Promise<{ readonly written: number; readonly rounds: number }> {
  requireRoom(runs);
  const sources = new RunSources(space, runs, store, options);
  return new RowMerge(space, sources, options, write).run();
}

/** Each run has room for two of its longest rows, and so has each of two buffers of output. */
function requireRoom(runs: readonly StoredRun[]): void {
  const text = runs.reduce((sum, { longestRow }) => sum + 2 * longestRow, 0);
  if (text <= LONGEST_TEXT && 3 * text <= MAX_MEMORY_BYTES) return;
  throw new InputError(`the longest rows of all ${runs.length} parts that were sorted do not fit in memory`, {
    hint: "allow more memory, so that there are fewer parts",
    options: ["memoryBytes"],
  });
}

/** A run, and what was read of it. */
class OpenRun {
  readonly run: StoredRun;
  readonly input: SortedInput;
  #hashes = 0n;
  #numbers = 0;

  constructor(space: RowWorkspace, store: ByteStore, run: StoredRun) {
    this.run = run;
    this.input = new SortedInput(space, new RunReader(store, run), temporaryFileChanged);
  }

  addHashes(hashes: bigint): void {
    this.#hashes = BigInt.asUintN(64, this.#hashes + hashes);
  }
  addNumbers(numbers: Uint32Array): void {
    this.#numbers = (this.#numbers + sumOfNumbers(numbers)) >>> 0;
  }

  /** @throws VerifyError if it was read to its end, and was another one. @param verify whether to hash it. */
  requireSame(verify: boolean): void {
    const { rows, hashes, numbers } = this.run;
    if (!this.input.ended) return;
    const isSame = !verify || (this.#hashes === hashes && (!numbers || this.#numbers === numbers.sum));
    if (this.input.total.rows !== rows || !isSame) throw temporaryFileChanged();
  }
}

/** Runs that were written to a store, and must come back as they were. */
class RunSources implements MergeSources {
  readonly phase = "gather";
  readonly counted = 0;
  readonly header = new Uint8Array(0);
  readonly inputs: readonly SortedInput[];
  readonly hasNumbers: boolean;
  readonly isHashed: boolean;
  readonly #space: RowWorkspace;
  readonly #open: readonly OpenRun[];
  readonly #store: ByteStore;
  readonly #options: MergeOptions;
  /** The sum of the hashes of the rows that were merged, modulo 2^64, and their number. */
  #merged = { hashes: 0n, rows: 0 };

  constructor(space: RowWorkspace, runs: readonly StoredRun[], store: ByteStore, options: MergeOptions) {
    this.#space = space;
    this.#open = runs.map((run) => new OpenRun(space, store, run));
    this.#store = store;
    this.#options = options;
    this.inputs = this.#open.map(({ input }) => input);
    this.hasNumbers = runs.some(({ numbers }) => numbers !== undefined);
    this.isHashed = options.verify;
  }

  async arrived(parts: readonly ArrivedRows[]): Promise<void> {
    const { clock, verify } = this.#options;
    if (this.hasNumbers) await clock.time("gather", 0, () => this.#readNumbers(parts));
    if (verify) await clock.time("verify", 0, () => this.#hash(parts));
  }

  async #readNumbers(parts: readonly ArrivedRows[]): Promise<void> {
    await settleAll(
      parts.map(async ({ input, first, count }) => {
        const open = this.#openOf(input);
        const numbers = input.numbersOf(first, count);
        const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
        const before = input.total.rows - count;
        // More rows than were written have no numbers.
        if (input.total.rows > open.run.rows) throw temporaryFileChanged();
        await this.#store.read(bytes, open.run.numbers!.at + 4 * before);
        open.addNumbers(numbers);
      }),
    );
  }

  async #hash(parts: readonly ArrivedRows[]): Promise<void> {
    const pieces = parts.flatMap(({ input, first, count, bytes }) =>
      piecesOf(count, Math.min(count, Math.ceil(bytes / PIECE_BYTES))).map((piece) => ({
        open: this.#openOf(input),
        call: (report: number) => [first + piece.from, piece.count, report, this.#space.at.order],
      })),
    );
    const calls = pieces.map(({ call }) => call);
    const reports = await runReporting(this.#space, "hash_rows", calls, this.#options.signal);
    for (const [i, { open }] of pieces.entries()) open.addHashes(doubleWord(reports[i]!, 4));
  }

  #openOf(input: SortedInput): OpenRun {
    return this.#open[this.inputs.indexOf(input)]!;
  }

  faultOf(): undefined {}

  accept(_: Report, { hashes, rows, equal }: Merged): void {
    const { hashes: before, rows: rowsBefore } = this.#merged;
    this.#merged = { hashes: BigInt.asUintN(64, before + hashes), rows: rowsBefore + rows + equal.rows };
  }

  async requireOrder(readRest: ReadRest): Promise<void> {
    await readRest();
    for (const open of this.#open) open.requireSame(this.#options.verify);
  }

  async ended(_: number, readRest: ReadRest): Promise<void> {
    const { verify } = this.#options;
    // The first rows alone do not tell whether a run is what it was.
    if (verify) await readRest();
    for (const open of this.#open) open.requireSame(verify);
    const rows = this.#open.reduce((sum, { run }) => sum + run.rows, 0);
    const hashes = sumOf(this.#open.map(({ run }) => run.hashes));
    if (verify && this.#merged.rows === rows && this.#merged.hashes !== hashes)
      throw sortFault("rows changed while they were merged");
  }

  /** There is room for the longest row. */
  tooLong(): Error {
    return temporaryFileChanged();
  }
}

/** Reads a run from its begin to its end. */
class RunReader {
  readonly header = new Uint8Array(0);
  readonly starts = [{ name: "a temporary file", position: 0, firstLine: 1 }];
  readonly byteLength: number;
  readonly longestRow: number;
  bytesRead = 0;
  readonly #store: ByteStore;
  readonly #at: number;

  constructor(store: ByteStore, { at, bytes, longestRow }: StoredRun) {
    this.longestRow = longestRow;
    this.#store = store;
    this.#at = at;
    this.byteLength = bytes;
  }

  async read(into: Uint8Array): Promise<number> {
    const bytes = Math.min(into.length, this.byteLength - this.bytesRead);
    if (bytes > 0) await this.#store.read(into.subarray(0, bytes), this.#at + this.bytesRead);
    this.bytesRead += bytes;
    return bytes;
  }
}

/** The sum of numbers of rows, modulo 2^32. */
export function sumOfNumbers(numbers: Uint32Array): number {
  let sum = 0;
  for (const number of numbers) sum = (sum + number) >>> 0;
  return sum;
}
