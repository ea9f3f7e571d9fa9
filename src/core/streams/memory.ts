import { bytesOf } from "../bytes.js";
import type { ItemSink, ItemSource } from "./item_stream.js";

/** @returns a source that reads the items of an array. */
export function memorySource(items: ArrayBufferView): ItemSource {
  const bytes = bytesOf(items);
  return { read: async (into, offset) => into.set(bytes.subarray(offset, offset + into.length)) };
}

/** @returns a sink that writes items to an array. */
export function memorySink(items: ArrayBufferView): ItemSink {
  const bytes = bytesOf(items);
  return { write: async (from, offset) => bytes.set(from, offset), end: async () => {} };
}
