import type { Item } from "../formats/format.js";
import type { Engine } from "./engine.js";
import { type ItemSorter, KeySorter, type SortWish } from "./item_sorter.js";
import { RecordSorter } from "./record_sorter.js";

/** What sorts such items on an engine. */
export function itemSorter(engine: Engine, item: Item, wish: SortWish): ItemSorter {
  return item.kind === "key" ? new KeySorter(engine, item, wish) : new RecordSorter(engine, item, wish);
}
