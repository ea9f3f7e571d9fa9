import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCrossover, sizeToTry } from "../../src/bench/crossover.js";
import type { BenchRow } from "../../src/bench/schema.js";
import { benchFixture, cellOf, rowOf } from "../support/bench.js";

/** Rows with two metrics: the seconds of a cell, or why it was skipped. */
function rows(
  ...table: readonly [keyCount: number, gpu: number | string, typed: number | string][]
): BenchRow[] {
  const cell = (value: number | string) => (typeof value === "string" ? { skipped: value } : cellOf(value));
  return table.map(([keyCount, gpu, typed]) => rowOf(keyCount, { typed: cell(typed), gpu: cell(gpu) }));
}

const from = (measured: BenchRow[]) => findCrossover(measured, "gpu", "typed");
const next = (measured: BenchRow[]) => sizeToTry(measured, from(measured), "gpu", "typed");
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
    expect(from(rows([1, "no adapter", 2]))).toEqual({ kind: "never" });
    expect(from([])).toEqual({ kind: "never" });
  });

  it("does not depend on the order of the rows", () => {
    expect(from(rows([1, 9, 1], [2, 9, 2], [4, 3, 4], [8, 3, 8]).reverse())).toEqual(between(2, 4));
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
          crossovers: ["gpu"],
        });
        const [{ from: found }] = crossovers as [(typeof crossovers)[number]];
        expect(found.kind).toBe("between");
        if (found.kind !== "between") return;
        expect(found.low).toBeLessThanOrEqual(meeting);
        expect(found.high).toBeGreaterThanOrEqual(meeting);
        expect(found.keyCount / meeting).toBeGreaterThan(0.98);
        expect(found.keyCount / meeting).toBeLessThan(1.02);
        expect(rows.filter(({ purpose }) => purpose === "crossover").length).toBeLessThanOrEqual(9);
      }),
      { numRuns: 25 },
    );
  });

  it("adds no sizes if the GPU never wins", async () => {
    const { contender, all } = benchFixture();
    const both = [
      contender("typed", { seconds: () => 1 }),
      contender("gpu", { algorithm: "auto", seconds: () => 2 }),
    ];
    const { rows, crossovers } = await all(both, { sizes: [10, 1000], crossovers: ["gpu"] });
    expect(rows).toHaveLength(2);
    expect(crossovers).toEqual([
      {
        type: "u32",
        distribution: "uniform",
        payloadBytes: 0,
        algorithm: "auto",
        way: "gpu",
        from: { kind: "never" },
      },
    ]);
  });
});
