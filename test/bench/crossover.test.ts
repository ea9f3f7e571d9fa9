import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contestsOf, findCrossover, sizeToTry } from "../../src/bench/crossover.js";
import type { Metric } from "../../src/bench/metric.js";
import type { BenchRow } from "../../src/bench/schema.js";
import { benchFixture, cellOf, rowOf } from "../support/bench.js";

/** Rows with two metrics: the seconds of a cell, or why it was skipped. */
function rows(
  ...table: readonly [keyCount: number, gpu: number | string, typed: number | string][]
): BenchRow[] {
  const cell = (value: number | string) => (typeof value === "string" ? { skipped: value } : cellOf(value));
  return table.map(([keyCount, gpu, typed]) => rowOf(keyCount, { typed: cell(typed), gpu: cell(gpu) }));
}

const contest = { faster: "gpu", slower: "typed" } as const;
const from = (measured: BenchRow[]) => findCrossover(measured, contest);
const next = (measured: BenchRow[]) => sizeToTry(measured, from(measured)!, contest);
const between = (low: number, high: number) => ({
  kind: "between",
  low,
  high,
  keyCount: Math.round(Math.sqrt(low * high)),
});

describe("the crossover of two metrics", () => {
  it("begins between the last size at which the metric loses and the first from which it always wins", () => {
    expect(from(rows([1, 9, 1], [2, 9, 2], [4, 3, 4], [8, 3, 8]))).toEqual(between(2, 4));
  });

  it("does not begin at a size after which the metric loses again", () => {
    expect(from(rows([1, 1, 2], [2, 9, 2], [4, 3, 4]))).toEqual(between(2, 4));
    expect(from(rows([1, 1, 2], [2, 1, 2], [4, 9, 4]))).toEqual({ kind: "never" });
  });

  it("is 'always' if the metric wins at every size", () => {
    expect(from(rows([1, 1, 2], [2, 1, 2]))).toEqual({ kind: "always", keyCount: 1 });
  });

  it("does not include a tie", () => {
    expect(from(rows([1, 2, 2]))).toEqual({ kind: "never" });
    expect(from(rows([1, 2, 2], [2, 1, 2]))).toEqual(between(1, 2));
  });

  it("ignores sizes at which one of the two metrics was not measured", () => {
    expect(from(rows([1, 1, 2], [2, "over 10 s", 2], [4, 1, 2]))).toEqual({ kind: "always", keyCount: 1 });
    expect(from(rows([1, 1, 2], [2, 3, "over 10 s"]))).toEqual({ kind: "always", keyCount: 1 });
  });

  it("is unknown if no size has both metrics", () => {
    expect(from(rows([1, "no adapter", 2]))).toBeUndefined();
    expect(from(rows([1, 2, "keys only"]))).toBeUndefined();
    expect(from([])).toBeUndefined();
  });

  it("does not depend on the order of the rows", () => {
    expect(from(rows([1, 9, 1], [2, 9, 2], [4, 3, 4], [8, 3, 8]).reverse())).toEqual(between(2, 4));
  });
});

describe("the contests", () => {
  const of = (...metrics: Metric[]) =>
    contestsOf(new Set(metrics)).map(({ faster, slower }) => `${faster} over ${slower}`);

  it("are those of the GPU's metrics with the CPU's, the best sort on the CPU first", () => {
    expect(of("array", "typed", "cpu", "gpu", "round-trip", "upload")).toEqual([
      "gpu over cpu",
      "gpu over typed",
      "round-trip over cpu",
      "round-trip over typed",
    ]);
    expect(of("typed", "gpu")).toEqual(["gpu over typed"]);
    expect(of("cpu", "round-trip")).toEqual(["round-trip over cpu"]);
    expect(of("cpu", "typed")).toEqual([]);
    expect(of("array", "gpu")).toEqual([]);
  });
});

describe("the size to try next", () => {
  it("is the geometric mean of the two sizes", () => {
    expect(next(rows([1000, 9, 1], [4000, 3, 4]))).toBe(2000);
  });

  it("is undefined if the two sizes are within 2%, or if there is no crossover", () => {
    expect(next(rows([1000, 9, 1], [1020, 3, 4]))).toBeUndefined();
    expect(next(rows([1000, 9, 1], [1021, 3, 4]))).toBe(1010);
    expect(next(rows([1000, 1, 9]))).toBeUndefined();
    expect(next(rows([1, 9, 1], [2, 3, 4]))).toBeUndefined();
  });

  it("is undefined if the intervals overlap at a size that was tried", () => {
    const tried = (gpu: number) => ({ ...rows([2000, gpu, 1])[0]!, purpose: "crossover" as const });
    const ends = rows([1000, 9, 1], [4000, 3, 4]);
    expect(next([...ends, tried(1.01)])).toBeUndefined();
    expect(next([...ends, tried(1.2)])).toBe(2828);
  });
});

describe("the benchmark's crossover", () => {
  it("is found to within 2% of the size at which the times are equal, from sizes far apart", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1100, max: 60_000 }), async (meeting) => {
        const { contender, all } = benchFixture();
        // The CPU takes 1 us per key; the GPU takes a fixed time, and a hundredth of that per key.
        const typed = contender("typed", { seconds: (n) => n / 1e6 });
        const gpu = contender("gpu", { algorithm: "auto", seconds: (n) => (0.99 * meeting + n / 100) / 1e6 });
        const { crossovers, rows } = await all([typed, gpu], {
          sizes: [1000, 8000, 64_000],
          contests: [contest],
        });
        const [{ from: found }] = crossovers as [(typeof crossovers)[number]];
        expect(found.kind).toBe("between");
        if (found.kind !== "between") return;
        expect(found.low).toBeLessThanOrEqual(meeting);
        expect(found.high).toBeGreaterThanOrEqual(meeting);
        if (found.low === meeting) return; // the times are equal at a size that was tried: the search ends
        expect(found.keyCount / meeting).toBeGreaterThan(0.98);
        expect(found.keyCount / meeting).toBeLessThan(1.02);
        expect(rows.filter(({ purpose }) => purpose === "crossover").length).toBeLessThanOrEqual(9);
      }),
      { numRuns: 10 },
    );
  });

  it("adds no sizes if the GPU never wins", async () => {
    const { contender, all } = benchFixture();
    const both = [
      contender("typed", { seconds: () => 1 }),
      contender("gpu", { algorithm: "auto", seconds: () => 2 }),
    ];
    const { rows, crossovers } = await all(both, { sizes: [10, 1000], contests: [contest] });
    expect(rows).toHaveLength(2);
    expect(crossovers).toEqual([
      {
        task: "sort",
        type: "u32",
        distribution: "uniform",
        payloadBytes: 0,
        algorithm: "auto",
        way: "gpu",
        against: "typed",
        from: { kind: "never" },
      },
    ]);
  });

  it("with another sort does not measure the first one again, and its size differs", async () => {
    const { contender, all } = benchFixture();
    const contenders = [
      contender("typed", { seconds: (n) => n / 1e6 }),
      contender("cpu", { seconds: (n) => n / 8e6 }),
      contender("round-trip", { algorithm: "auto", seconds: (n) => (2000 + n / 100) / 1e6 }),
    ];
    const contests = contestsOf(new Set(["typed", "cpu", "round-trip"]));
    const { rows, crossovers } = await all(contenders, { sizes: [256, 65_536], contests });
    const found = crossovers.map(({ way, against, from: { kind, ...at } }) => [way, against, kind, at]);
    // The CPU takes 1/8 us or 1 us per key, the GPU 2 ms and 1/100 us per key.
    const near = (meeting: number) =>
      expect.objectContaining({
        low: expect.toSatisfy((low: number) => low > 0.98 * meeting && low <= meeting),
        high: expect.toSatisfy((high: number) => high < 1.02 * meeting && high >= meeting),
      });
    expect(found).toEqual([
      ["round-trip", "cpu", "between", near(2000 / (1 / 8 - 1 / 100))],
      ["round-trip", "typed", "between", near(2000 / (1 - 1 / 100))],
    ]);
    const added = rows
      .filter(({ purpose }) => purpose === "crossover")
      .map(({ cells }) => Object.keys(cells));
    expect(new Set(added.map((metrics) => metrics.sort().join()))).toEqual(
      new Set(["cpu,round-trip", "round-trip,typed"]),
    );
  });

  it("is left out if a sort refuses the keys", async () => {
    const { contender, all } = benchFixture();
    const contenders = [
      contender("typed", { seconds: () => 1, refuses: () => "keys only" }),
      contender("cpu", { seconds: () => 2 }),
      contender("gpu", { algorithm: "auto", seconds: () => 1 }),
    ];
    const { crossovers } = await all(contenders, { contests: contestsOf(new Set(["typed", "cpu", "gpu"])) });
    expect(crossovers).toMatchObject([
      { way: "gpu", against: "cpu", from: { kind: "always", keyCount: 1000 } },
    ]);
  });
});
