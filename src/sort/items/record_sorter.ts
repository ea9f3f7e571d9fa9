import { MAX_MEMORY_BYTES } from "../../core/cpu/memory.js";
import type { SortReport } from "../../core/engines/engine.js";
import type { RecordItem } from "../../core/items/item.js";
import { type ItemOrder, itemOrder } from "../../core/items/order.js";
import { type ItemSink, type ItemSource, memorySource } from "../../core/streams/item_stream.js";
import { PhaseClock } from "../../core/streams/phase_clock.js";
import type { KernelKey, KernelOrder } from "../../rows/order/row_order.js";
import { RowBatch } from "../../rows/row_batch.js";
import { type RowRunner, rowKernels } from "../../rows/row_kernels.js";
import { RowSorter } from "../../rows/row_sorter.js";
import { RowWorkspace } from "../../rows/workspace.js";
import { writeRows } from "../../rows/write_rows.js";
import type { KernelThreads } from "../../threads/kernel_threads.js";
import type { BufferOptions, ItemSorter, SorterOptions } from "./item_sorter.js";
import { recordLimits } from "./record_limits.js";

const READ_BYTES = 32 << 20;

/**
 * Sorts records on the CPU, as rows of one length: by words of their keys, as `sortRows` of src/rows/ sorts
 * text.
 */
export class RecordSorter implements ItemSorter {
  readonly order: ItemOrder;
  readonly capacity: number;
  readonly memoryPerItemByte: number;
  readonly hostMemoryPerItemByte: number;
  readonly inPlace: boolean;
  readonly selects = false;
  readonly device = "CPU";
  readonly #runner: RowRunner;
  readonly #item: RecordItem;
  readonly #options: SorterOptions;
  #space: RowWorkspace<KernelOrder> | undefined;

  /** @param tools lends the threads, until `close`. */
  constructor(tools: Pick<KernelThreads, "runner">, item: RecordItem, options: SorterOptions) {
    this.#runner = tools.runner(rowKernels);
    this.#item = item;
    this.#options = options;
    this.order = itemOrder(item, options.descending);
    const { capacity, memoryPerItemByte, hostMemoryPerItemByte, inPlace } = recordLimits(item);
    this.capacity = capacity;
    this.memoryPerItemByte = memoryPerItemByte;
    this.hostMemoryPerItemByte = hostMemoryPerItemByte;
    this.inPlace = inPlace;
  }

  sort(itemCount: number, source: ItemSource, sink: ItemSink): Promise<SortReport> {
    return this.#sort(itemCount, source, sink, this.#options.verify);
  }

  sortBuffer(
    records: Uint8Array<ArrayBuffer>,
    sink: ItemSink,
    { arrivalChecked = false }: BufferOptions = {},
  ): Promise<SortReport> {
    const count = records.length / this.#item.bytes;
    return this.#sort(count, memorySource(records), sink, this.#options.verify && !arrivalChecked);
  }

  /** @param sumsUp whether hashes of the records are summed up before they are sorted and after it. */
  async #sort(itemCount: number, source: ItemSource, sink: ItemSink, sumsUp: boolean): Promise<SortReport> {
    const begin = performance.now();
    const clock = new PhaseClock();
    const { descending, verify, signal } = this.#options;
    const { bytes } = this.#item;
    this.#space ??= new RowWorkspace(
      this.#runner,
      recordOrder(this.#item, descending),
      false,
      MAX_MEMORY_BYTES,
    );
    const space = this.#space;
    const textBytes = itemCount * bytes;
    space.chooseThreads(textBytes);
    const batch = new RowBatch(space, signal);
    batch.divide(textBytes, bytes);
    const windowBytes = Math.max(1, Math.floor(READ_BYTES / bytes)) * bytes; // sources give whole items
    for (let at = 0; at < textBytes; at += windowBytes) {
      const window = space.bytes(batch.places.text + at, Math.min(windowBytes, textBytes - at));
      await clock.time("read", window.length, () => source.read(window, at));
    }
    const hashes = sumsUp ? await clock.time("verify", 0, () => batch.hash(0)) : undefined;
    const sorter = new RowSorter(batch, clock, signal);
    await sorter.readKeys();
    const end = await sorter.sort();
    let written = 0;
    const write = (window: Uint8Array<ArrayBuffer>) => {
      const offset = written;
      written += window.length;
      return clock.time("write", window.length, () => sink.write(window, offset));
    };
    const head = Number.POSITIVE_INFINITY;
    await writeRows({ space, batch, end, head, numbers: false, hashes, write, clock, signal });
    await sink.end();
    return {
      device: this.device,
      algorithm: "radix",
      keyCount: itemCount,
      written: itemCount,
      verified: verify,
      phases: clock.phases(),
      gpuMs: undefined,
      gpuClock: undefined,
      totalMs: performance.now() - begin,
    };
  }

  close(): void {
    this.#runner.close();
  }
}

/** The order of records, as kernels of rows read it. */
function recordOrder({ keys, byteOrder }: RecordItem, descending: boolean): KernelOrder {
  return {
    terminator: undefined,
    separator: undefined,
    quotes: false,
    keys: keys.map((key): KernelKey => {
      const { offset } = key;
      const bytes = "type" in key ? key.type.bytes : key.bytes;
      const place = { begin: { field: 0, offset }, end: { field: 0, bytes: offset + bytes }, descending };
      if ("type" in key) return { ...place, compare: "stored", stored: { type: key.type, byteOrder } };
      return { ...place, compare: "bytes" };
    }),
  };
}
