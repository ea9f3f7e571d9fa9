import type { ElementType, KeyArray } from "../../core/elements.js";
import type { Engine, SortJob, SortReport } from "../../core/engines/engine.js";
import { VerifyError } from "../../core/errors.js";
import { transferSum } from "../../core/items/checksum.js";
import type { RecordItem } from "../../core/items/item.js";
import { type ItemOrder, itemOrder } from "../../core/items/order.js";
import { compareItems, scanNeighbours } from "../../core/items/summary.js";
import { IN_ORDER } from "../../core/sort/key.js";
import { type ItemSink, type ItemSource, memorySink, memorySource } from "../../core/streams/item_stream.js";
import { asCopy, combinePhases, PhaseClock } from "../../core/streams/phase_clock.js";
import { type Pause, periodicYield } from "../../core/streams/yield_to_event_loop.js";
import { algorithmOf, type BufferOptions, type ItemSorter, type SorterOptions } from "./item_sorter.js";
import { fieldTypes, type KeyField, prefetch } from "./record_keys.js";
import { LONGEST_RECORD } from "./record_length.js";
import { recordOrder } from "./record_order.js";

const WINDOW_BYTES = 4 << 20;
const READ_BYTES = 32 << 20;

/** Memory per record besides the record: a key (8 bytes) and an index (4) here, and what an engine takes. */
const KEY_MEMORY_BYTES = 56;

/** What is moved, in which order, and where to. */
interface MoveJob {
  readonly records: Uint8Array;
  readonly order: Uint32Array;
  readonly sink: ItemSink;
  readonly clock: PhaseClock;
  readonly pause: Pause;
  /** Whether what is written is summed up. */
  readonly sumsUp: boolean;
}

/**
 * Sorts records by their keys. It computes their order (see `recordOrder`); then each record is copied once
 * to its place, and the order of the copies is checked.
 */
export class RecordSorter implements ItemSorter {
  readonly order: ItemOrder;
  readonly capacity: number;
  readonly memoryPerItemByte: number;
  readonly hostMemoryPerItemByte: number;
  readonly inPlace = false;
  readonly selects = false;
  readonly #engine: Engine;
  readonly #item: RecordItem;
  readonly #types: readonly ElementType[];
  readonly #options: Omit<SorterOptions, "signal" | "isDiscarded">;
  readonly #signal: AbortSignal | undefined;

  constructor(engine: Engine, item: RecordItem, { signal, isDiscarded: _, ...options }: SorterOptions) {
    this.#engine = engine;
    this.#item = item;
    this.#options = options;
    this.#signal = signal;
    this.#types = fieldTypes(item);
    this.order = itemOrder(item, options.descending);
    const keys = this.#types.map((type) => engine.capacity(this.#job(type, 0), true));
    this.capacity = Math.min(...keys, Math.floor(LONGEST_RECORD / item.bytes));
    this.hostMemoryPerItemByte = 1 + KEY_MEMORY_BYTES / item.bytes;
    this.memoryPerItemByte = this.hostMemoryPerItemByte;
  }

  async sort(itemCount: number, source: ItemSource, sink: ItemSink): Promise<SortReport> {
    const begin = performance.now();
    const clock = new PhaseClock();
    const { bytes } = this.#item;
    const records = new Uint8Array(itemCount * bytes);
    const windowBytes = Math.max(1, Math.floor(READ_BYTES / bytes)) * bytes; // sources give whole items
    for (let at = 0; at < records.length; at += windowBytes) {
      const window = records.subarray(at, at + windowBytes);
      await clock.time("read", window.length, () => source.read(window, at));
    }
    const report = await this.sortBuffer(records, sink);
    const phases = [...clock.phases(), ...report.phases];
    return { ...report, phases, totalMs: performance.now() - begin };
  }

  async sortBuffer(
    records: Uint8Array<ArrayBuffer>,
    sink: ItemSink,
    { arrivalChecked = false }: BufferOptions = {},
  ): Promise<SortReport> {
    const begin = performance.now();
    const clock = new PhaseClock();
    const reports: SortReport[] = [];
    const count = records.length / this.#item.bytes;
    const argsort = async ({ type }: KeyField, keys: KeyArray) => {
      const indices = new Uint32Array(keys.length);
      const job = this.#job(type, keys.length);
      reports.push(await this.#engine.argsort(job, memorySource(keys), memorySink(indices)));
      return indices;
    };
    const { descending } = this.#options;
    const pause = periodicYield(this.#signal);
    const order = await recordOrder(records, { item: this.#item, descending, argsort, clock, pause });
    const sumsUp = this.#options.verify && !arrivalChecked;
    const expected = sumsUp ? transferSum(records, this.#item) : undefined;
    const sum = await this.#move({ records, order, sink, clock, pause, sumsUp });
    if (sum !== expected) {
      throw new VerifyError("records were changed while they were moved: their checksums differ", {
        hint: "the input is unchanged; check this machine's memory",
      });
    }
    await sink.end();
    const gpuMs = reports.flatMap((report) => report.gpuMs ?? []);
    return {
      device: this.#engine.device,
      algorithm: algorithmOf(reports) ?? IN_ORDER,
      keyCount: count,
      written: count,
      verified: this.#options.verify,
      phases: combinePhases([
        ...reports.flatMap(({ phases }) => phases.map((phase) => asCopy(phase))),
        ...clock.phases(),
      ]),
      gpuMs: gpuMs.length === 0 ? undefined : gpuMs.reduce((sum, ms) => sum + ms, 0),
      gpuClock: this.#engine.gpuClock,
      totalMs: performance.now() - begin,
    };
  }

  /**
   * Moves the records through two windows: one is filled while the other is written.
   *
   * @returns the sum of what was written, if it sums up.
   */
  async #move({ records, order, sink, clock, pause, sumsUp }: MoveJob): Promise<number | undefined> {
    const { bytes } = this.#item;
    const perWindow = Math.max(1, Math.floor(WINDOW_BYTES / bytes));
    const windows = [0, 1].map(() => new Uint8Array(Math.min(perWindow, order.length) * bytes));
    const copy = copier(bytes, records);
    const writing: Promise<void>[] = [];
    let sum = 0;
    let last: Uint8Array | undefined;
    try {
      for (let start = 0, turn = 0; start < order.length; start += perWindow, turn++) {
        await writing[turn - 2];
        await pause();
        const some = order.subarray(start, start + perWindow);
        const window = windows[turn % 2]!.subarray(0, some.length * bytes);
        await clock.time("move", window.length, async () => copy(some, window));
        if (this.#options.verify) {
          await clock.time("verify", 0, async () => this.#checkOrder(last, window, start));
          last = window.slice(-bytes);
        }
        if (sumsUp) sum = (sum + transferSum(window, this.#item)) >>> 0;
        const write = clock.time("write", window.length, () => sink.write(window, start * bytes));
        write.catch(() => {}); // awaited two windows later, or at the end
        writing.push(write);
      }
    } finally {
      await Promise.allSettled(writing);
    }
    await Promise.all(writing);
    return sumsUp ? sum : undefined;
  }

  #checkOrder(last: Uint8Array | undefined, window: Uint8Array, start: number): void {
    const { firstInversion } = scanNeighbours(window, this.order);
    const seam =
      last !== undefined && compareItems(last, window.subarray(0, this.#item.bytes), this.order) > 0;
    if (firstInversion === undefined && !seam) return;
    const index = seam ? start : start + firstInversion! + 1;
    throw new VerifyError(
      `${this.#engine.device} sorted wrongly: records are out of order at index ${index}`,
      {
        hint: "the input is unchanged and no output was published; try another device, or the CPU",
        options: ["device"],
      },
    );
  }

  #job(type: ElementType, keyCount: number): SortJob {
    return { ...this.#options, type, keyCount };
  }
}

/** Longer records are copied by the system's memory copy: its call costs more, but a byte costs less. */
const SHORT_RECORD = 256;

/**
 * Makes a function that copies records in a given order: short ones by words if possible, which is faster.
 */
function copier(bytes: number, records: Uint8Array): (order: Uint32Array, window: Uint8Array) => void {
  if (bytes > SHORT_RECORD) {
    return (order, window) => {
      for (let i = 0; i < order.length; i++) {
        window.set(records.subarray(order[i]! * bytes, (order[i]! + 1) * bytes), i * bytes);
      }
    };
  }
  const whole = { recordBytes: bytes, offset: 0, bytes };
  if (bytes % 4 === 0 && records.byteOffset % 4 === 0) {
    const from = new Uint32Array(records.buffer, records.byteOffset, records.length / 4);
    const words = bytes / 4;
    return (order, window) => {
      const into = new Uint32Array(window.buffer, window.byteOffset, window.length / 4);
      for (let i = 0, at = 0; i < order.length; i++) {
        prefetch(records, whole, order, i);
        const start = order[i]! * words;
        for (let word = start; word < start + words; word++) into[at++] = from[word]!;
      }
    };
  }
  return (order, window) => {
    for (let i = 0, at = 0; i < order.length; i++) {
      prefetch(records, whole, order, i);
      const start = order[i]! * bytes;
      for (let byte = start; byte < start + bytes; byte++) window[at++] = records[byte]!;
    }
  };
}
