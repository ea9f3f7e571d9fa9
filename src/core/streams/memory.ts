import type { ItemSink, ItemSource } from "./item_stream.js";

export const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  new Uint8Array(buffer, byteOffset, byteLength);

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
