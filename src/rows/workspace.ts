import { FINDINGS_BYTES } from "../core/cpu/findings.js";
import { growMemory, MAX_MEMORY_BYTES, tablesAt } from "../core/cpu/memory.js";
import { CALLS_PER_THREAD } from "../core/cpu/tuning.js";
import { aligned, COUNT_TABLE_BYTES, JOB_BYTES } from "../core/cpu/workspace.js";
import { InputError } from "../core/errors.js";
import { CODING_BYTES } from "./order/key_coding.js";
import { keysOf, orderBytes, writeOrder } from "./order/order_words.js";
import type { KernelOrder, RowOrder } from "./order/row_order.js";
import { reportBytes } from "./order/tally.js";
import type { RowRunner } from "./row_kernels.js";

/** Bytes of an element: see assembly/rows/elements.ts. */
export const ELEMENT_BYTES = 16;

/**
 * The last word of the element of a row that is equal to the one before it: see assembly/rows/elements.ts.
 */
export const EQUAL = 0xffff_ffff;

/** Positions in a text have 31 bits: see assembly/rows/words.ts. */
export const LONGEST_TEXT = 2 ** 31 - 2 ** 16;

/** Bytes of what a call leaves to others, with 32 ranges: see assembly/rows/pending.ts. */
export const PENDING_BYTES = 1024;

/** Kernels read some bytes beyond the end of the text, and of the output. */
const PADDING = 64;

/** How many calls of kernels report at the same time. */
export const REPORTS = 1024;

/** The memory in which rows are sorted: their text first, as their number is known only when it was read. */
export class RowWorkspace<Order extends KernelOrder = RowOrder> {
  readonly runner: RowRunner;
  /** The threads that the kernels run on now, at most those of the runner: see `chooseThreads`. */
  threads = 1;
  /** Another order in its place must have as many keys, of the same parts of rows. */
  order: Order;
  /** Bytes of what a kernel reports. */
  readonly reportBytes: number;
  readonly memory: WebAssembly.Memory;
  /** Addresses. */
  readonly at: {
    readonly job: number;
    /** What codes keys, directly before the order. */
    readonly coding: number;
    readonly order: number;
    readonly countTables: number;
    readonly findings: number;
    readonly findingsRows: number;
    /** What calls that sort rows further leave to others, for as many as there are findings. */
    readonly pending: number;
    readonly reports: number;
    readonly text: number;
  };
  /** The most bytes of the memory. */
  readonly most: number;
  /** Whether rows with equal keys are marked. */
  readonly unique: boolean;

  /**
   * @param runner runs the kernels. The caller closes it.
   * @param mostBytes the most memory to use.
   */
  constructor(runner: RowRunner, order: Order, unique: boolean, mostBytes: number) {
    const { threads } = runner;
    this.order = order;
    this.reportBytes = reportBytes(keysOf(order).length);
    let next = tablesAt(threads);
    const take = (bytes: number) => {
      const at = next;
      next += aligned(bytes);
      return at;
    };
    const findingsRows = 2 * CALLS_PER_THREAD * threads + 1;
    this.at = {
      job: take(JOB_BYTES),
      coding: take(CODING_BYTES),
      order: take(orderBytes(order)),
      countTables: take(threads * COUNT_TABLE_BYTES),
      findings: take(findingsRows * FINDINGS_BYTES),
      findingsRows,
      pending: take(findingsRows * PENDING_BYTES),
      reports: take(REPORTS * this.reportBytes),
      text: next,
    };
    this.runner = runner;
    this.unique = unique;
    this.most = Math.max(Math.min(mostBytes, MAX_MEMORY_BYTES), next + LEAST_BYTES);
    this.memory = allocate(() => runner.makeMemory(next + LEAST_BYTES, MAX_MEMORY_BYTES));
  }

  /** Chooses how many threads work on a text. */
  chooseThreads(textBytes: number): void {
    this.threads = this.runner.threadsFor(textBytes);
  }

  /** Addresses for a text and its rows. The memory holds them after `reserve`. */
  placesFor(textBytes: number, rows: number): RowPlaces {
    const starts = aligned(this.at.text + textBytes + PADDING);
    const elements = aligned(starts + 4 * (rows + 2));
    const scratch = aligned(elements + ELEMENT_BYTES * rows);
    const forOutput = Math.min(MOST_FOR_OUTPUT, textBytes / LEAST_TEXTS);
    const scratchBytes = aligned(Math.max(ELEMENT_BYTES * rows, LEAST_SCRATCH, forOutput));
    return {
      text: this.at.text,
      starts,
      elements,
      scratch,
      scratchBytes,
      end: scratch + scratchBytes + PADDING,
    };
  }

  /** @throws InputError if there is not as much memory. */
  reserve(end: number): void {
    if (end > MAX_MEMORY_BYTES || !growMemory(this.memory, end)) throw noMemory();
  }

  /** Tells the kernels where the rows are. */
  writeOrder(starts: number): void {
    const { order, text } = this.at;
    writeOrder(this.memory, this.order, { order, text, starts, unique: this.unique });
  }

  bytes(at: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.memory.buffer as ArrayBuffer, at, length);
  }

  words(at: number, count: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, at, count);
  }
}

/** Addresses in a workspace. */
export interface RowPlaces {
  readonly text: number;
  readonly starts: number;
  readonly elements: number;
  readonly scratch: number;
  readonly scratchBytes: number;
  readonly end: number;
}

/**
 * The least scratch, in bytes. The output is written from it: one half is filled while the other is written.
 */
const LEAST_SCRATCH = 1 << 20;

/**
 * The most scratch that the output adds: it keeps all threads busy with long rows, whose elements take little
 * room.
 */
const MOST_FOR_OUTPUT = 16 << 20;

/** The text has at least this number of times the bytes that only the output needs. */
const LEAST_TEXTS = 32;

/** The memory that each of many rows takes, in bytes, its text included. */
export function rowMemoryBytes(bytes: number): number {
  return bytes + 4 + ELEMENT_BYTES + Math.max(ELEMENT_BYTES, bytes / LEAST_TEXTS);
}

/** The least memory for texts, whatever the limit. */
const LEAST_BYTES = 3 << 20;

function allocate<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof RangeError) throw noMemory(cause);
    throw cause;
  }
}

function noMemory(cause?: unknown): InputError {
  return new InputError("these rows do not fit in the memory of this process", {
    hint: "allow less memory, so that they are sorted in parts",
    options: ["memoryBytes"],
    cause,
  });
}
