import type { KeyArray } from "../../src/core/elements.js";
import type { Engine } from "../../src/core/engines/engine.js";
import { memorySink, memorySource } from "../../src/core/streams/item_stream.js";
import type { SortKeys } from "./conformance.js";

/** Wraps an engine as a function from keys to sorted keys. The engine verifies its result. */
export function engineSort(engine: Engine, algorithm: string): SortKeys {
  return async (keys, type, descending) => {
    const sorted = new type.array(keys.length) as KeyArray;
    await engine.sort(
      { type, keyCount: keys.length, descending, algorithm, verify: true },
      memorySource(keys),
      memorySink(sorted),
    );
    return sorted;
  };
}
