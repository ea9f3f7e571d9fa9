import { VerifyError } from "../errors.js";
import type { RecordItem } from "../formats/format.js";
import { transferSum } from "../keys/checksum.js";
import { type ItemOrder, itemOrder } from "../keys/order.js";
import { type KeyPart, keyParts } from "../keys/parts.js";
import { compareItems, scanNeighbours } from "../keys/scan.js";
import type { Engine, KeySink, KeySource, SortJob, SortReport } from "./engine.js";
import { type ItemSorter, memorySink, memorySource, type SortWish } from "./item_sorter.js";
import { type Phase, PhaseClock } from "./phases.js";

const WINDOW_BYTES = 4 << 20;
const READ_BYTES = 32 << 20;
const LONGEST_BUFFER = 2 ** 32;

/** Bytes a record takes besides itself: a key of 8 and its index of 4, twice, on the device and for it here. */
const KEY_MEMORY_BYTES = 48;

/**
 * Records, of which an engine sorts the keys: it gives the order of their last part, then of the part before it by
 * keys in that order, and so on to the first; each sort is stable, so the last one's order is that of all parts. Then
 * the records are moved, each once, and looked at again where they come to stand.
 */
export class RecordSorter implements ItemSorter {
  readonly order: ItemOrder;
  readonly capacity: number;
  readonly memoryPerByte: number;
  readonly hostMemoryPerByte: number;
  readonly inPlace = false;
  readonly #engine: Engine;
  readonly #item: RecordItem;
  readonly #parts: readonly KeyPart[];
  readonly #wish: SortWish;

  constructor(engine: Engine, item: RecordItem, wish: SortWish) {
    this.#engine = engine;
    this.#item = item;
    this.#wish = wish;
    this.#parts = keyParts(item);
    this.order = itemOrder(item, wish.descending);
    const keys = this.#parts.map((part) => engine.capacity(this.#job(part, 0)));
    this.capacity = Math.min(...keys, Math.floor(LONGEST_BUFFER / item.bytes));
    this.hostMemoryPerByte = 1 + KEY_MEMORY_BYTES / item.bytes;
    this.memoryPerByte = this.hostMemoryPerByte;
  }

  async sort(itemCount: number, source: KeySource, sink: KeySink): Promise<SortReport> {
    const begin = performance.now();
    const clock = new PhaseClock();
    const records = new Uint8Array(itemCount * this.#item.bytes);
    for (let at = 0; at < records.length; at += READ_BYTES) {
      const window = records.subarray(at, at + READ_BYTES);
      await clock.time("read", window.length, () => source.read(window, at));
    }
    const report = await this.sortBuffer(records, sink);
    const phases = [...clock.phases(), ...report.phases];
    return { ...report, phases, totalMs: performance.now() - begin };
  }

  async sortBuffer(records: Uint8Array<ArrayBuffer>, sink: KeySink): Promise<SortReport> {
    const begin = performance.now();
    const clock = new PhaseClock();
    const reports: SortReport[] = [];
    const count = records.length / this.#item.bytes;
    let order: Uint32Array<ArrayBuffer> | undefined;
    for (const part of this.#parts.toReversed()) {
      const keys = new part.type.array(count);
      const taken = order;
      await clock.time("extract", 0, async () => part.take(records, taken, keys));
      const indices = new Uint32Array(count);
      const bytes = new Uint8Array(keys.buffer as ArrayBuffer);
      const into = memorySink(new Uint8Array(indices.buffer));
      reports.push(await this.#engine.argsort(this.#job(part, count), memorySource(bytes), into));
      if (taken) for (let i = 0; i < count; i++) indices[i] = taken[indices[i]!]!;
      order = indices;
    }
    if (order) await this.#move(records, order, sink, clock);
    const gpuMs = reports.flatMap((report) => report.gpuMs ?? []);
    const [last] = reports;
    if (!last) throw new TypeError("records have no key");
    return {
      ...last,
      keyCount: count,
      phases: summed([...reports.flatMap(({ phases }) => phases.filter(isNotOfMemory)), ...clock.phases()]),
      gpuMs: gpuMs.length === 0 ? undefined : gpuMs.reduce((sum, ms) => sum + ms, 0),
      totalMs: performance.now() - begin,
    };
  }

  /** Two windows: one is filled while the other is written. */
  async #move(records: Uint8Array, order: Uint32Array, sink: KeySink, clock: PhaseClock): Promise<void> {
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
        const some = order.subarray(start, start + perWindow);
        const window = windows[turn % 2]!.subarray(0, some.length * bytes);
        await clock.time("move", window.length, async () => copy(some, window));
        if (this.#wish.verify) {
          await clock.time("verify", 0, async () => this.#checkOrder(last, window, start));
          last = window.slice(-bytes);
          sum = (sum + transferSum(window, this.#item)) >>> 0;
        }
        const write = clock.time("write", window.length, () => sink.write(window, start * bytes));
        write.catch(() => {}); // waited for two windows on, or at the end
        writing.push(write);
      }
    } finally {
      await Promise.allSettled(writing);
    }
    await Promise.all(writing);
    if (this.#wish.verify && sum !== transferSum(records, this.#item)) {
      throw new VerifyError("records were changed while they were moved: their checksums differ", {
        hint: "the input is untouched; check this machine's memory",
      });
    }
  }

  #checkOrder(last: Uint8Array | undefined, window: Uint8Array, start: number): void {
    const { firstInversion } = scanNeighbours(window, this.order);
    const seam =
      last !== undefined && compareItems(last, window.subarray(0, this.#item.bytes), this.order) > 0;
    if (firstInversion === undefined && !seam) return;
    throw new VerifyError(
      `${this.#engine.device} sorted wrongly: records are out of order at index ${seam ? start : start + firstInversion! + 1}`,
      { hint: "the input is untouched and no output was published; try another --device, or --device cpu" },
    );
  }

  #job({ type }: KeyPart, keyCount: number): SortJob {
    return { ...this.#wish, type, keyCount };
  }
}

/** Copies records of an order to a window. Whole words where records are made of them, which is several times faster. */
function copier(bytes: number, records: Uint8Array): (order: Uint32Array, window: Uint8Array) => void {
  if (bytes % 4 === 0 && records.byteOffset % 4 === 0) {
    const from = new Uint32Array(records.buffer, records.byteOffset, records.length / 4);
    const words = bytes / 4;
    return (order, window) => {
      const into = new Uint32Array(window.buffer, window.byteOffset, window.length / 4);
      for (let i = 0, at = 0; i < order.length; i++) {
        const start = order[i]! * words;
        for (let word = start; word < start + words; word++) into[at++] = from[word]!;
      }
    };
  }
  return (order, window) => {
    for (let i = 0, at = 0; i < order.length; i++) {
      const start = order[i]! * bytes;
      for (let byte = start; byte < start + bytes; byte++) window[at++] = records[byte]!;
    }
  };
}

/** What an engine reads and writes is memory here. */
const isNotOfMemory = ({ name }: Phase) => name !== "read" && name !== "write";

function summed(phases: readonly Phase[]): Phase[] {
  const sums = new Map<string, Phase>();
  for (const phase of phases) {
    const known = sums.get(phase.name);
    sums.set(
      phase.name,
      known ? { ...phase, ms: known.ms + phase.ms, bytes: known.bytes + phase.bytes } : phase,
    );
  }
  return [...sums.values()];
}
