import type { Engine } from "../core/engines/engine.js";
import type { Item } from "../core/items/item.js";
import type { ItemSorter, SorterOptions } from "./items/item_sorter.js";
import { KeySorter } from "./items/key_sorter.js";
import { RecordSorter } from "./items/record_sorter.js";

/** Creates the sorter for an item's kind on an engine. */
export function itemSorter(engine: Engine, item: Item, options: SorterOptions): ItemSorter {
  return item.kind === "key" ? new KeySorter(engine, item, options) : new RecordSorter(engine, item, options);
}
