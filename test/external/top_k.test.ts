import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementType, elementTypes, type KeyArray } from "../../src/core/elements.js";
import { CpuEngine } from "../../src/core/engines/cpu.js";
import { keyItem } from "../../src/core/items/item.js";
import { sequential } from "../../src/core/streams/item_stream.js";
import { memorySource } from "../../src/core/streams/memory.js";
import { KeySorter } from "../../src/external/key_sorter.js";
import { sortTopK } from "../../src/external/top_k.js";
import { distributions, sortedCopy } from "../support/keys.js";

const engine = new CpuEngine();

async function top(
  keys: KeyArray,
  type: (typeof elementTypes)[number],
  options: { count: number; descending: boolean; unique?: boolean; candidates: number },
) {
  const { count, descending, unique = false, candidates } = options;
  const sorter = new KeySorter(engine, keyItem(type), { descending, algorithm: "auto", verify: true });
  const pieces: Uint8Array[] = [];
  const input = {
    itemCount: undefined,
    next: sequential(memorySource(new Uint8Array(keys.buffer)), keys.byteLength),
  };
  const sink = { write: async (from: Uint8Array) => void pieces.push(from.slice()), end: async () => {} };
  const report = await sortTopK(input, sink, { sorter, count, unique, candidates });
  return {
    report,
    found: new type.array(new Uint8Array(Buffer.concat(pieces)).buffer as ArrayBuffer) as KeyArray,
  };
}

describe("the first items in sorted order", () => {
  it.each(elementTypes)("are the same as after sorting everything: $name", async (type) => {
    for (const make of Object.values(distributions)) {
      const keys = make(type, 2003);
      for (const descending of [false, true]) {
        const expected = sortedCopy(keys, descending);
        for (const count of [1, 10, 2003, 5000]) {
          const { found, report } = await top(keys, type, { count, descending, candidates: count + 17 });
          expect([...found]).toEqual([...expected.slice(0, count)]);
          expect(report.keyCount).toBe(2003);
        }
      }
    }
  });

  it("are the first distinct ones with `unique`", async () => {
    const u32 = elementType("u32");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(50), { maxLength: 400 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 30 }),
        async (values, count, spare) => {
          const keys = Uint32Array.from(values);
          const { found } = await top(keys, u32, {
            count,
            descending: false,
            unique: true,
            candidates: count + spare,
          });
          expect([...found]).toEqual([...new Set<number | bigint>(sortedCopy(keys, false))].slice(0, count));
        },
      ),
      { numRuns: 300 },
    );
  });
});
