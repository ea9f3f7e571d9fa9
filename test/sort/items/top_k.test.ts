import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { sortKernels } from "../../../src/core/cpu/kernels.js";
import { CallingThread } from "../../../src/core/cpu/runner.js";
import { elementType, elementTypes, type KeyArray } from "../../../src/core/elements.js";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import type { SortReport } from "../../../src/core/engines/engine.js";
import { keyItem } from "../../../src/core/items/item.js";
import { memorySource, sequential } from "../../../src/core/streams/item_stream.js";
import { KeySorter } from "../../../src/sort/items/key_sorter.js";
import { sortTopK, type TopKOptions } from "../../../src/sort/items/top_k.js";
import { KernelThreads } from "../../../src/threads/kernel_threads.js";
import { expectedKeys } from "../../support/expected_output.js";
import { distributions, expectSame, sortedCopy } from "../../support/keys.js";

const engine = new CpuEngine();

async function top(
  keys: KeyArray,
  type: (typeof elementTypes)[number],
  options: Omit<TopKOptions, "sorter" | "unique"> & { readonly unique?: boolean },
) {
  const { unique = false, descending } = options;
  const sorter = new KeySorter(engine, keyItem(type), { descending, algorithm: "auto", verify: true });
  const pieces: Uint8Array[] = [];
  const input = {
    itemCount: keys.length < 100_000 ? keys.length : undefined, // else they come in whole windows
    next: sequential(memorySource(new Uint8Array(keys.buffer)), keys.byteLength),
  };
  const sink = { write: async (from: Uint8Array) => void pieces.push(from.slice()), end: async () => {} };
  const report: SortReport = await sortTopK(input, sink, { ...options, sorter, unique });
  return {
    report,
    found: new type.array(new Uint8Array(Buffer.concat(pieces)).buffer as ArrayBuffer) as KeyArray,
  };
}

/** Keys of two and of three windows of 8 MiB, and their order. */
const manyKeys = [["u32", 9] as const, ["f64", 17] as const].map(([name, mebibytes]) => {
  const type = elementType(name);
  const keys = distributions.uniform!(type, (mebibytes << 20) / type.bytes + 5);
  return { type, keys, sorted: sortedCopy(keys, false) };
});

const threads = new KernelThreads(2);
afterAll(() => threads.close());

describe.each([
  ["JavaScript", undefined],
  ["a kernel", new CallingThread()],
  ["a kernel on two threads", threads.runner(sortKernels)],
] as const)("the first items in sorted order, compared by %s,", (_, runner) => {
  it.each(elementTypes)("are the same as after sorting everything: $name", async (type) => {
    for (const [d, make] of Object.values(distributions).entries()) {
      const keys = make(type, 2003);
      // Each type and distribution take two of these numbers in each direction, the next ones the others.
      const turn = d + elementTypes.indexOf(type);
      for (const descending of [false, true]) {
        const expected = sortedCopy(keys, descending);
        for (const count of (turn + Number(descending)) % 2 ? [1, 2003] : [10, 5000]) {
          const options = { count, descending, candidates: count + 17, runner };
          const { found, report } = await top(keys, type, options);
          expectSame(found, expected.slice(0, count));
          expect(report.keyCount).toBe(2003);
          if (!runner) continue; // it leaves NaNs in any order
          const exact = expectedKeys(keys, type, { descending, head: count });
          expectSame(new Uint8Array(found.buffer as ArrayBuffer), exact, `${type.name} ${count}`);
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
            runner,
          });
          expect([...found]).toEqual([...new Set<number | bigint>(sortedCopy(keys, false))].slice(0, count));
        },
      ),
      { numRuns: 150 },
    );
  });

  it("are those of several windows, read one by one or at the same time", async () => {
    for (const { type, keys, sorted } of manyKeys) {
      for (const reads of [1, 4]) {
        const options = { count: 1000, descending: reads === 4, candidates: 100_000, runner, reads };
        const { found, report } = await top(keys, type, options);
        const first = options.descending ? sorted.slice(-1000).reverse() : sorted.slice(0, 1000);
        expectSame(found, first);
        expect(report).toMatchObject({ keyCount: keys.length, written: 1000 });
      }
    }
  });
});
