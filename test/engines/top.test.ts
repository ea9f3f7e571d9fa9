import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementType, elementTypes, type KeyArray } from "../../src/elements.js";
import { CpuEngine } from "../../src/engines/cpu.js";
import { KeySorter, memorySource } from "../../src/engines/item_sorter.js";
import { sortTop } from "../../src/engines/top.js";
import { keyItem } from "../../src/formats/format.js";
import { cursor } from "../../src/formats/raw.js";
import { distributions, sortedCopy } from "../support/keys.js";

const engine = new CpuEngine();

async function top(
  keys: KeyArray,
  type: (typeof elementTypes)[number],
  options: { wanted: number; descending: boolean; unique?: boolean; candidates: number },
) {
  const { wanted, descending, unique = false, candidates } = options;
  const sorter = new KeySorter(engine, keyItem(type), { descending, algorithm: "auto", verify: true });
  const pieces: Uint8Array[] = [];
  const input = {
    itemCount: undefined,
    next: cursor(memorySource(new Uint8Array(keys.buffer)), keys.byteLength),
  };
  const sink = { write: async (from: Uint8Array) => void pieces.push(from.slice()) };
  const report = await sortTop(input, sink, { sorter, wanted, unique, candidates });
  return {
    report,
    found: new type.array(new Uint8Array(Buffer.concat(pieces)).buffer as ArrayBuffer) as KeyArray,
  };
}

describe("the first of an order", () => {
  it.each(elementTypes)("are those of sorting everything: $name", async (type) => {
    for (const make of Object.values(distributions)) {
      const keys = make(type, 2003);
      for (const descending of [false, true]) {
        const expected = sortedCopy(keys, descending);
        for (const wanted of [1, 10, 2003, 5000]) {
          const { found, report } = await top(keys, type, { wanted, descending, candidates: wanted + 17 });
          expect([...found]).toEqual([...expected.slice(0, wanted)]);
          expect(report.keyCount).toBe(2003);
        }
      }
    }
  });

  it("of which each counts once are the first of those that differ", async () => {
    const u32 = elementType("u32");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(50), { maxLength: 400 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 30 }),
        async (values, wanted, spare) => {
          const keys = Uint32Array.from(values);
          const { found } = await top(keys, u32, {
            wanted,
            descending: false,
            unique: true,
            candidates: wanted + spare,
          });
          expect([...found]).toEqual([...new Set<number | bigint>(sortedCopy(keys, false))].slice(0, wanted));
        },
      ),
      { numRuns: 300 },
    );
  });
});
