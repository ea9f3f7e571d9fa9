import type { Engine, OutputSelection, SortJob, SortReport } from "../../core/engines/engine.js";
import type { KeyItem } from "../../core/items/item.js";
import { type ItemOrder, itemOrder } from "../../core/items/order.js";
import { type ItemSink, type ItemSource, memorySource } from "../../core/streams/item_stream.js";
import { INDEX_BYTES } from "./indexed.js";
import type { BufferOptions, ItemSorter, SorterLimits, SorterOptions } from "./item_sorter.js";

/** Sorts keys with an engine. It works in place, because an engine reads all keys before it writes any. */
export class KeySorter implements ItemSorter {
  readonly order: ItemOrder;
  readonly capacity: number;
  readonly memoryPerItemByte: number;
  readonly hostMemoryPerItemByte = 0;
  readonly inPlace = true;
  readonly selects = true;
  readonly #engine: Engine;
  readonly #job: Omit<SortJob, "keyCount">;
  readonly #isDiscarded: boolean;

  constructor(engine: Engine, item: KeyItem, { isDiscarded = false, ...options }: SorterOptions) {
    this.#engine = engine;
    this.#isDiscarded = isDiscarded;
    this.#job = { ...options, type: item.type };
    this.order = itemOrder(item, options.descending);
    this.memoryPerItemByte = engine.memoryPerKey({ ...this.#job, keyCount: 0 }, false) / item.type.bytes;
    this.capacity = engine.capacity({ ...this.#job, keyCount: 0 });
  }

  sort(
    keyCount: number,
    source: ItemSource,
    sink: ItemSink,
    selection?: OutputSelection,
  ): Promise<SortReport> {
    return this.#engine.sort(
      { ...this.#job, keyCount, ...selection, writesParts: this.#isDiscarded && "discarded" },
      source,
      sink,
    );
  }

  /** The limits of `argsort`, where an item is a key with its index. */
  get indexLimits(): SorterLimits {
    const { hostMemoryPerItemByte, inPlace, order } = this;
    const job = { ...this.#job, keyCount: 0 };
    const capacity = this.#engine.capacity(job, true);
    const perKey = this.#engine.memoryPerKey(job, true);
    const memoryPerItemByte = perKey / (order.itemBytes + INDEX_BYTES);
    return { capacity, memoryPerItemByte, hostMemoryPerItemByte, inPlace };
  }

  /** Writes the keys' indices, as u32, instead of the keys. */
  argsort(keyCount: number, source: ItemSource, sink: ItemSink): Promise<SortReport> {
    return this.#engine.argsort({ ...this.#job, keyCount }, source, sink);
  }

  sortBuffer(items: Uint8Array<ArrayBuffer>, sink: ItemSink, options?: BufferOptions): Promise<SortReport> {
    const keyCount = items.length / this.order.itemBytes;
    return this.#engine.sort({ ...this.#job, keyCount, ...options }, memorySource(items), sink);
  }
}
