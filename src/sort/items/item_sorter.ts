import type { Bytes } from "../../core/bytes.js";
import type { OutputSelection, SortJob, SortReport } from "../../core/engines/engine.js";
import type { ItemOrder } from "../../core/items/order.js";
import { IN_ORDER } from "../../core/sort/key.js";
import type { ItemSink, ItemSource } from "../../core/streams/item_stream.js";

/** How many items a sorter takes at a time, and how much memory it needs for them. */
export interface SorterLimits {
  /** The maximum number of items that `sort` takes. */
  readonly capacity: number;
  /**
   * Bytes of memory per byte of items, the device's memory included. For `sort` this is all memory that it
   * needs, for `sortBuffer` what it needs besides the buffers that it is given.
   */
  readonly memoryPerItemByte: number;
  /** The same, without the device's memory. */
  readonly hostMemoryPerItemByte: number;
  /** Whether the sink of `sortBuffer` may overwrite the buffer that is sorted. */
  readonly inPlace: boolean;
}

/** Sorts items of one kind that fit in memory. */
export interface ItemSorter extends SorterLimits {
  readonly order: ItemOrder;
  /** Whether it can write only the wanted items. If not, it writes all, whatever is wanted. */
  readonly selects: boolean;
  sort(
    itemCount: number,
    source: ItemSource,
    sink: ItemSink,
    selection?: OutputSelection,
  ): Promise<SortReport>;
  /** Sorts items that are in memory already. */
  sortBuffer(items: Bytes, sink: ItemSink, options?: BufferOptions): Promise<SortReport>;
}

/** The options of a sort of items in memory. */
export interface BufferOptions extends OutputSelection {
  /** Whether the sink checks that the items arrive unchanged. The sorter then need not. */
  readonly arrivalChecked?: boolean;
}

/** The options of a sort that do not depend on the kind of its items. */
export interface SorterOptions extends Pick<SortJob, "descending" | "algorithm" | "verify"> {
  /** Whether what `sort` wrote is discarded if it fails; see `SortJob.writesParts`. */
  readonly isDiscarded?: boolean;
  /** Aborts long computations on the CPU. */
  readonly signal?: AbortSignal | undefined;
}

/** The algorithm of several sorts: the first that sorted something. Undefined if there was no sort. */
export function algorithmOf(reports: readonly Pick<SortReport, "algorithm">[]): string | undefined {
  const sorted = reports.find(({ algorithm }) => algorithm !== IN_ORDER);
  return (sorted ?? reports[0])?.algorithm;
}
