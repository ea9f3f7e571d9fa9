import type { Item } from "../core/items/item.js";
import { itemSorter } from "../sort/sorters.js";
import { MOST_THREADS } from "../threads/count.js";
import { cpuEngine } from "../threads/cpu_engine.js";

/** What a sort without temporary files takes. */
export interface TaskLimits {
  /** The most items, whatever the memory. */
  readonly items: number;
  /** Bytes of memory for each byte of an item. */
  readonly memoryPerByte: number;
}

/** What the CPU sorts at once, on any machine. Devices take no more memory, and most sort more items. */
export function cpuTaskLimits(item: Item): TaskLimits {
  const engine = cpuEngine(MOST_THREADS);
  try {
    const sorter = itemSorter(engine, item, { descending: false, algorithm: "auto", verify: true });
    return { items: sorter.capacity, memoryPerByte: sorter.memoryPerItemByte };
  } finally {
    engine.close();
  }
}
