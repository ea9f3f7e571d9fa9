import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { chooseIndexStrategy, chooseStrategy, type Workload } from "../../src/sort/strategy.js";

const sorter = { capacity: 10_000, memoryPerItemByte: 2, hostMemoryPerItemByte: 0, inPlace: true };
const work: Workload = { itemCount: 5000, itemBytes: 4, seekable: true, sortedInputs: 0, head: undefined };
const memory = (bytes: number, countsDevice = true, dedicated = !countsDevice) => ({
  bytes,
  dedicated,
  countsDevice,
});

describe("the strategy", () => {
  it("is to sort at once if the items fit twice in the memory, to the byte", () => {
    const inMemory = { kind: "in memory", itemCount: 5000, smallerChunks: [1250, 313, 79] };
    expect(chooseStrategy(work, sorter, memory(40_000))).toEqual(inMemory);
    expect(chooseStrategy(work, sorter, memory(39_999))).toMatchObject({ kind: "out of core" });
  });

  it("does not count the memory of a GPU, unless the caller set the budget", () => {
    expect(chooseStrategy(work, sorter, memory(30_000, false))).toMatchObject({ kind: "in memory" });
  });

  it("is to sort out of core if the items exceed the device, or cannot be read in any order", () => {
    const tooMany = { ...work, itemCount: 10_001 };
    expect(chooseStrategy(tooMany, sorter, memory(1e9))).toMatchObject({ kind: "out of core" });
    const pipe = { ...work, seekable: false, itemCount: undefined };
    expect(chooseStrategy(pipe, sorter, memory(1e9))).toEqual({ kind: "out of core", chunkItems: 10_000 });
  });

  it("is to merge inputs that are sorted already, if they do not fit in memory", () => {
    const sorted = { ...work, sortedInputs: 3 };
    expect(chooseStrategy(sorted, sorter, memory(1e9))).toMatchObject({ kind: "in memory" });
    expect(chooseStrategy(sorted, sorter, memory(1000))).toMatchObject({ kind: "merge", runs: 3 });
    const pipes = { ...sorted, seekable: false };
    expect(chooseStrategy(pipes, sorter, memory(1000))).toMatchObject({ kind: "out of core" });
  });

  it("is one pass if only the first few are wanted, unless a GPU's own memory holds everything", () => {
    const huge = { ...sorter, capacity: 2 ** 30 };
    const first = { ...work, head: 10 };
    const topK = { kind: "top k", count: 10, candidates: 2 ** 20 };
    expect(chooseStrategy(first, huge, memory(1e9))).toEqual(topK);
    expect(chooseStrategy(first, huge, memory(1e9, false))).toMatchObject({ kind: "in memory" });
    expect(chooseStrategy(first, huge, memory(1e9, true, true))).toMatchObject({ kind: "in memory" });
    expect(chooseStrategy(first, huge, memory(39_999, true, true))).not.toMatchObject({ kind: "in memory" });
    const many = { ...work, head: 2 ** 24 };
    expect(chooseStrategy(many, huge, memory(1e6)), "too many candidates").not.toMatchObject(topK);
  });

  it("says what the device selects by itself, if it sorts at once", () => {
    const selected = { unique: true, head: 10 };
    const first = { ...work, head: 10, selected };
    expect(chooseStrategy(first, sorter, memory(30_000, false))).toMatchObject({
      kind: "in memory",
      selected,
    });
    expect(chooseStrategy(work, sorter, memory(30_000, false))).not.toHaveProperty("selected");
    expect(chooseStrategy(first, sorter, memory(1000))).not.toHaveProperty("selected");
  });

  it("for indices is to sort keys and indices at once, or undefined", () => {
    const indices = { kind: "indices in memory", itemCount: 5000 };
    expect(chooseIndexStrategy(work, sorter, memory(80_000))).toEqual(indices);
    expect(chooseIndexStrategy(work, sorter, memory(79_999))).toBeUndefined();
    expect(chooseIndexStrategy({ ...work, head: 1 }, sorter, memory(1e9))).toBeUndefined();
    expect(chooseIndexStrategy({ ...work, seekable: false }, sorter, memory(1e9))).toBeUndefined();
  });

  it("raises a budget with which there would be too many runs, and says so", () => {
    const huge = { ...sorter, capacity: 2 ** 40 };
    const keys = (itemCount: number) => ({ ...work, itemCount });
    for (const itemCount of [200_000, 2 ** 24, 2 ** 28, 2 ** 34]) {
      const strategy = chooseStrategy(keys(itemCount), huge, memory(1024));
      if (strategy.kind !== "out of core") throw new TypeError(strategy.kind);
      const { chunkItems, raisedMemoryBytes } = strategy;
      const runs = itemCount / chunkItems;
      expect(runs <= 64 || (chunkItems / runs) * 4 >= 2000, "a bucket's slice of a run is short").toBe(true);
      expect(runs <= 64 || runs * (itemCount / (chunkItems / 4)) <= 1.01 * chunkItems, "cuts").toBe(true);
      expect(raisedMemoryBytes).toBeGreaterThanOrEqual(chunkItems * 4 * 5.5);
      expect(chooseStrategy(keys(itemCount), huge, memory(raisedMemoryBytes!))).toEqual({
        kind: "out of core",
        chunkItems,
      });
    }
    const merge = { ...keys(300_000), sortedInputs: 300 };
    expect(chooseStrategy(merge, huge, memory(1024))).toMatchObject({
      kind: "merge",
      chunkItems: 300 * 512,
      raisedMemoryBytes: 300 * 512 * 22,
    });
    // 46 keys fit. Cuts read 4 * 300,000 / n keys of each of three runs for n keys: 64 times n if n is 237.
    expect(chooseStrategy({ ...merge, sortedInputs: 3 }, huge, memory(1024))).toEqual({
      kind: "merge",
      runs: 3,
      chunkItems: 238,
      raisedMemoryBytes: 238 * 22,
    });
  });

  it("refuses records that do not fit the memory or the sorter, unless there are none", () => {
    const records = { ...work, itemCount: 3, itemBytes: 3e9 };
    expect(() => chooseStrategy(records, sorter, memory(1e9))).toThrow(
      "to sort records of 3000000000 bytes takes 16500000000 bytes of memory, but only 1000000000 may be used",
    );
    expect(() => chooseStrategy({ ...records, itemCount: undefined }, sorter, memory(1e9))).toThrow(
      InputError,
    );
    expect(() => chooseStrategy(records, { ...sorter, capacity: 0 }, memory(1e12))).toThrow("are too long");
    expect(chooseStrategy({ ...records, itemCount: 0 }, { ...sorter, capacity: 0 }, memory(1))).toMatchObject(
      {
        kind: "in memory",
        itemCount: 0,
      },
    );
    expect(chooseStrategy({ ...records, itemBytes: 9000 }, sorter, memory(1))).toMatchObject({
      chunkItems: 1,
      raisedMemoryBytes: 9000 * 5.5,
    });
  });

  it("never has empty chunks, or chunks over the sorter's capacity, for any input", () => {
    const works = fc.record({
      itemCount: fc.option(fc.nat(2 ** 40), { nil: undefined }),
      itemBytes: fc.integer({ min: 1, max: 10_000 }),
      seekable: fc.boolean(),
      sortedInputs: fc.nat(3),
      head: fc.option(fc.integer({ min: 1, max: 1e6 }), { nil: undefined }),
    });
    const sorters = fc.record({
      capacity: fc.integer({ min: 1, max: 2 ** 31 }),
      memoryPerItemByte: fc.integer({ min: 1, max: 50 }),
      hostMemoryPerItemByte: fc.integer({ min: 0, max: 50 }),
      inPlace: fc.boolean(),
    });
    const budgets = fc.record({
      bytes: fc.integer({ min: 1, max: 2 ** 40 }),
      dedicated: fc.boolean(),
      countsDevice: fc.boolean(),
    });
    fc.assert(
      fc.property(works, sorters, budgets, (work, sorter, budget) => {
        const strategy = chooseStrategy(work, sorter, budget);
        const chunks =
          strategy.kind === "in memory"
            ? strategy.smallerChunks.filter(() => work.itemCount! > 0)
            : strategy.kind === "out of core" || strategy.kind === "merge"
              ? [strategy.chunkItems]
              : [];
        for (const items of chunks) {
          expect(items).toBeGreaterThan(0);
          expect(items).toBeLessThanOrEqual(sorter.capacity);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
