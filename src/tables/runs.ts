import { crc32 } from "node:zlib";
import { VerifyError } from "../core/errors.js";
import type { PhaseClock } from "../core/streams/phase_clock.js";
import type { TemporaryFile } from "../files/temporary.js";
import type { Column } from "./column.js";
import { bytesToSort } from "./memory.js";
import { packColumns, packedBytes, unpackColumns } from "./pack.js";
import { take } from "./take.js";

/** A block that has so many times its share of bytes is divided. */
const LONG = 2;

/** Before each block stand its length in bytes, its rows, the CRC-32 of its bytes and that of these numbers. */
const HEAD_BYTES = 24;

/** Rows of a run that are read at once. */
export interface Block {
  readonly bytes: number;
  /** 0 after the last block of a run. */
  readonly rows: number;
  /** The CRC-32 of its bytes. */
  readonly sum: number;
}

/**
 * A sorted part of a table: blocks that follow each other in a temporary file. What is in the next one stands
 * before it in the file, so that a run takes the same memory however long it is.
 */
export interface Run {
  readonly file: RunFile;
  /** Where its first block is in the file, behind its head. */
  readonly at: number;
  readonly first: Block;
  readonly rows: number;
  /** Bytes in the file. */
  readonly bytes: number;
  /** Bytes of memory that its largest block takes while it is merged. */
  readonly blockCost: number;
}

/** Keeps runs in a temporary file. */
export class RunFile {
  readonly #file: TemporaryFile;
  readonly #clock: PhaseClock;
  readonly #signal: AbortSignal | undefined;
  #bytes = 0;
  #closing: Promise<void> | undefined;

  constructor(file: TemporaryFile, clock: PhaseClock, signal: AbortSignal | undefined) {
    this.#file = file;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Bytes that were written. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Begins a run. It must end before another one begins. @param blockBytes about the bytes of its blocks. */
  begin(blockBytes: number): RunWriter {
    return new RunWriter(this, blockBytes);
  }

  /** @throws InputError if the disk is full; the signal's reason. */
  async append(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#signal?.throwIfAborted();
    await this.#clock.time("spill", bytes.length, () => this.#file.write(bytes, this.#bytes));
    this.#bytes += bytes.length;
  }

  /** @throws InputError if the file cannot be read; the signal's reason. */
  async read(at: number, count: number): Promise<Uint8Array<ArrayBuffer>> {
    this.#signal?.throwIfAborted();
    const bytes = new Uint8Array(count);
    await this.#clock.time("gather", count, () => this.#file.read(bytes, at));
    return bytes;
  }

  /** Closes the file, once. */
  close(): Promise<void> {
    this.#closing ??= this.#file.close();
    return this.#closing;
  }
}

/** Writes a run, block by block. */
export class RunWriter {
  readonly #file: RunFile;
  readonly #start: number;
  readonly #blockBytes: number;
  #first: Block | undefined;
  #rows = 0;
  #blockCost = 0;

  constructor(file: RunFile, blockBytes: number) {
    this.#file = file;
    this.#start = file.bytes;
    this.#blockBytes = blockBytes;
  }

  /**
   * Adds rows.
   *
   * @param rows their places in the columns, in order.
   * @throws InputError if the disk is full; the signal's reason.
   */
  async add(columns: readonly Column[], rows: Uint32Array): Promise<void> {
    const perRow = packedBytes(columns) / Math.max(1, columns[0]!.length);
    const step = Math.max(1, Math.ceil(this.#blockBytes / perRow));
    for (let start = 0; start < rows.length; start += step)
      await this.#addSome(columns, rows.subarray(start, start + step));
  }

  /** Rows may have other lengths than the mean one. */
  async #addSome(columns: readonly Column[], rows: Uint32Array): Promise<void> {
    const packed = packColumns(
      columns.map((column) => take(column, rows)),
      HEAD_BYTES,
    );
    if (packed.length > LONG * this.#blockBytes && rows.length > 1) {
      const half = rows.length >> 1;
      await this.#addSome(columns, rows.subarray(0, half));
      return this.#addSome(columns, rows.subarray(half));
    }
    const body = packed.subarray(HEAD_BYTES);
    const block: Block = { bytes: body.length, rows: rows.length, sum: crc32(body) };
    packed.set(headOf(block));
    await this.#file.append(packed);
    this.#first ??= block;
    this.#rows += rows.length;
    this.#blockCost = Math.max(this.#blockCost, bytesToSort(block.bytes, block.rows));
  }

  /** Ends the run. @returns undefined if it has no rows. */
  async end(): Promise<Run | undefined> {
    if (!this.#first) return undefined;
    await this.#file.append(headOf({ bytes: 0, rows: 0, sum: 0 }));
    return {
      file: this.#file,
      at: this.#start + HEAD_BYTES,
      first: this.#first,
      rows: this.#rows,
      bytes: this.#file.bytes - this.#start,
      blockCost: this.#blockCost,
    };
  }
}

/** Reads a run, block by block. */
export class RunReader {
  readonly #file: RunFile;
  readonly #like: readonly Column[];
  #at: number;
  #next: Block;

  /** @param like columns of the same types, with the dictionaries. */
  constructor({ file, at, first }: Run, like: readonly Column[]) {
    this.#file = file;
    this.#like = like;
    this.#at = at;
    this.#next = first;
  }

  /** What is read next; undefined at the end. */
  get next(): Block | undefined {
    return this.#next.rows > 0 ? this.#next : undefined;
  }

  /**
   * Reads the next block, and what is in the one after it.
   *
   * @throws VerifyError if it is not what was written; the signal's reason.
   */
  async read(): Promise<Column[]> {
    const { bytes, sum } = this.#next;
    const read = await this.#file.read(this.#at, bytes + HEAD_BYTES);
    const body = read.subarray(0, bytes);
    if (crc32(body) !== sum) throw changed();
    this.#at += read.length;
    this.#next = blockOf(read.subarray(bytes));
    return unpackColumns(body, this.#like);
  }
}

function headOf({ bytes, rows, sum }: Block): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(HEAD_BYTES);
  const view = new DataView(head.buffer);
  view.setFloat64(0, bytes);
  view.setUint32(8, rows);
  view.setUint32(12, sum);
  view.setUint32(16, crc32(head.subarray(0, 16)));
  return head;
}

/** @throws VerifyError if the head of a block is not what was written. */
function blockOf(head: Uint8Array): Block {
  const view = new DataView(head.buffer, head.byteOffset);
  if (view.getUint32(16) !== crc32(head.subarray(0, 16))) throw changed();
  return { bytes: view.getFloat64(0), rows: view.getUint32(8), sum: view.getUint32(12) };
}

function changed(): VerifyError {
  return new VerifyError("a temporary file returned other bytes than were written to it", {
    hint: "the input is unchanged; check the memory and the disk, or name another folder for temporary files",
    options: ["tempDir"],
  });
}
