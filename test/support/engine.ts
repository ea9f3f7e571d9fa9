import type { KeyArray } from "../../src/elements.js";
import type { Engine } from "../../src/engines/engine.js";
import type { SortKeys } from "./conformance.js";

/** An engine as a function from keys to sorted keys, with its check on. */
export function engineSort(engine: Engine, algorithm: string): SortKeys {
  return async (keys, type, descending) => {
    const sorted = new type.array(keys.length) as KeyArray;
    const from = new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);
    const to = new Uint8Array(sorted.buffer);
    await engine.sort(
      { type, keyCount: keys.length, descending, algorithm, verify: true },
      { read: async (into, offset) => into.set(from.subarray(offset, offset + into.length)) },
      { write: async (window, offset) => to.set(window, offset) },
    );
    return sorted;
  };
}
