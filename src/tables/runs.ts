import { crc32 } from "node:zlib";
import { VerifyError } from "../core/errors.js";
import type { PhaseClock } from "../core/streams/phase_clock.js";
import type { TemporaryFile } from "../files/temporary.js";
import type { Column } from "./column.js";
import type { Key } from "./order.js";
import { packColumns, packedBytes, unpackColumns } from "./pack.js";
import { take } from "./take.js";

/** A run has at least so many blocks, if it has so many rows: a merge holds one of each run. */
const BLOCKS = 512;
/** A block that is so many times longer than the mean is divided. */
const LONG = 2;

/** Rows of a run that are read at once. */
export interface Block {
  /** Where it is in the temporary file, and its length, in bytes. */
  readonly at: number;
  readonly bytes: number;
  readonly rows: number;
  /** The CRC-32 of its bytes. */
  readonly sum: number;
}

/** A sorted part of a table, in the temporary file. */
export interface Run {
  readonly blocks: readonly Block[];
  /** The key columns of the last row of each block, packed. */
  readonly lasts: Uint8Array<ArrayBuffer>;
}

/** Keeps runs in a temporary file. */
export class RunFile {
  readonly #file: TemporaryFile;
  readonly #clock: PhaseClock;
  readonly #signal: AbortSignal | undefined;
  #bytes = 0;

  constructor(file: TemporaryFile, clock: PhaseClock, signal: AbortSignal | undefined) {
    this.#file = file;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Bytes that were written. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Writes a run.
   *
   * @param rows the places of its rows in the columns, in order; at least one.
   * @throws InputError if the disk is full; the signal's reason.
   */
  async write(columns: readonly Column[], rows: Uint32Array, keys: readonly Key[]): Promise<Run> {
    const meanBytes = (packedBytes(columns) / columns[0]!.length) * Math.ceil(rows.length / BLOCKS);
    const blocks: Block[] = [];
    const lasts: number[] = [];
    const writeSome = async (some: Uint32Array): Promise<void> => {
      const packed = packColumns(columns.map((column) => take(column, some)));
      if (packed.length > LONG * meanBytes && some.length > 1) {
        const half = some.length >> 1;
        await writeSome(some.subarray(0, half));
        return writeSome(some.subarray(half));
      }
      this.#signal?.throwIfAborted();
      await this.#clock.time("spill", packed.length, () => this.#file.write(packed, this.#bytes));
      blocks.push({ at: this.#bytes, bytes: packed.length, rows: some.length, sum: crc32(packed) });
      lasts.push(some.at(-1)!);
      this.#bytes += packed.length;
    };
    const step = Math.ceil(rows.length / BLOCKS);
    for (let start = 0; start < rows.length; start += step)
      await writeSome(rows.subarray(start, start + step));
    const ends = Uint32Array.from(lasts);
    return { blocks, lasts: packColumns(keys.map(({ place }) => take(columns[place]!, ends))) };
  }

  /**
   * Reads a block.
   *
   * @param like columns of the same types, with the dictionaries.
   * @throws VerifyError if it is not what was written; the signal's reason.
   */
  async read({ at, bytes, sum }: Block, like: readonly Column[]): Promise<Column[]> {
    this.#signal?.throwIfAborted();
    const packed = new Uint8Array(bytes);
    await this.#clock.time("gather", bytes, () => this.#file.read(packed, at));
    if (crc32(packed) === sum) return unpackColumns(packed, like);
    throw new VerifyError("a temporary file returned other bytes than were written to it", {
      hint: "the input is unchanged; check the memory and the disk, or name another folder for temporary files",
      options: ["tempDir"],
    });
  }
}
