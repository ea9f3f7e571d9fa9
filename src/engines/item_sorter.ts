import type { KeyItem } from "../formats/format.js";
import { type ItemOrder, itemOrder } from "../keys/order.js";
import type { Engine, KeySink, KeySource, SortJob, SortReport } from "./engine.js";

/** Sorts items of one kind, as many as memory holds. */
export interface ItemSorter {
  readonly order: ItemOrder;
  /** The most items that `sort` takes. */
  readonly capacity: number;
  /** Bytes of memory, the device's included, that `sort` takes for each byte of items, and `sortBuffer` besides its buffers. */
  readonly memoryPerByte: number;
  /** The same without the device's. */
  readonly hostMemoryPerByte: number;
  /** Whether the sink of `sortBuffer` may write over the buffer. */
  readonly inPlace: boolean;
  sort(itemCount: number, source: KeySource, sink: KeySink): Promise<SortReport>;
  /**
   * Sorts what is in memory already.
   *
   * @param arrivalChecked whether it is the sink that checks that items arrive as they were sent.
   */
  sortBuffer(items: Uint8Array<ArrayBuffer>, sink: KeySink, arrivalChecked?: boolean): Promise<SortReport>;
}

export type SortWish = Omit<SortJob, "type" | "keyCount">;

/** Keys, sorted by an engine: by the contract of `Engine` it has read all before it writes. */
export class KeySorter implements ItemSorter {
  readonly order: ItemOrder;
  readonly capacity: number;
  /** Keys and what they are scattered to. */
  readonly memoryPerByte = 2;
  readonly hostMemoryPerByte = 0;
  readonly inPlace = true;
  readonly #engine: Engine;
  readonly #job: Omit<SortJob, "keyCount">;

  constructor(engine: Engine, item: KeyItem, wish: SortWish) {
    this.#engine = engine;
    this.#job = { ...wish, type: item.type };
    this.order = itemOrder(item, wish.descending);
    this.capacity = engine.capacity({ ...this.#job, keyCount: 0 });
  }

  sort(keyCount: number, source: KeySource, sink: KeySink): Promise<SortReport> {
    return this.#engine.sort({ ...this.#job, keyCount }, source, sink);
  }

  /** Hands on the keys' indices, as u32, instead of the keys. */
  argsort(keyCount: number, source: KeySource, sink: KeySink): Promise<SortReport> {
    return this.#engine.argsort({ ...this.#job, keyCount }, source, sink);
  }

  sortBuffer(items: Uint8Array<ArrayBuffer>, sink: KeySink, arrivalChecked = false): Promise<SortReport> {
    const keyCount = items.length / this.order.item.bytes;
    return this.#engine.sort({ ...this.#job, keyCount, arrivalChecked }, memorySource(items), sink);
  }
}

export function memorySource(bytes: Uint8Array): KeySource {
  return { read: async (into, offset) => into.set(bytes.subarray(offset, offset + into.length)) };
}

export function memorySink(bytes: Uint8Array): KeySink {
  return { write: async (from, offset) => bytes.set(from, offset) };
}
